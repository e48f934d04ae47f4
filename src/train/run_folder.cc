// SPDX-License-Identifier: Apache-2.0
#include "train/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "train/files.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int64_t kMaxInfoBytes = 1 << 20;

std::string info_file(const std::string& run) { return run + "/run.json"; }
std::string model_file(const std::string& run) { return run + "/model.yaml"; }

template <class V, class T>
void visit_data(V&& v, T& x) {
  v("path", x.path), v("valid_path", x.valid_path), v("test_path", x.test_path);
  v("format", x.format), v("skip_bad", x.skip_bad);
}

template <class V, class T>
void visit_length(V&& v, T& x) {
  v("epochs", x.epochs), v("steps", x.steps), v("until_auc", x.until_auc);
}

template <class V, class T>
void visit_saving(V&& v, T& x) {
  v("checkpoint_every", x.checkpoint_every), v("keep", x.keep);
  v("eval_every", x.eval_every), v("log_every", x.log_every);
}

/// A path that still leads there when the run is resumed from another folder.
std::string lasting(const std::string& path) {
  if (path.empty() || path.starts_with("synthetic:")) return path;
  return fs::absolute(path).lexically_normal().string();
}

}  // namespace

void create_run(const std::string& run, const RunInfo& info) {
  std::error_code code;
  if (fs::exists(info_file(run), code)) {
    const bool has_checkpoint = !list_checkpoints(checkpoints_folder(run)).empty();
    throw Error(
        ErrorKind::bad_input,
        has_checkpoint
            ? fmt::format("{}: holds a run already; --resume {} goes on with it, another --out "
                          "starts a new one",
                          run, run)
            : fmt::format("{}: holds a run that ended before its first checkpoint; remove the "
                          "folder, or give another --out",
                          run));
  }
  if (fs::exists(run, code) && (!fs::is_directory(run, code) || !fs::is_empty(run, code))) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: is not an empty folder; give a new --out", run));
  }
  fs::create_directories(run, code);
  if (code) fail_file(run, "make the folder", code.value());
  RunInfo lasting_info = info;
  TrainData& data = lasting_info.data;
  for (std::string* path : {&data.path, &data.valid_path, &data.test_path}) *path = lasting(*path);
  try {
    write_file(model_file(run), yaml_of(info.model));
    write_info(run, lasting_info);
  } catch (const Error&) {  // half a run is none
    fs::remove(model_file(run), code);
    fs::remove(run, code);
    throw;
  }
}

void write_info(const std::string& run, const RunInfo& info) {
  Json json = Json::object();
  json["version"] = AMBIDEX_VERSION;
  visit_data([&](const char* key, const auto& value) { json["data"][key] = value; }, info.data);
  visit_length([&](const char* key, const auto& value) { json["length"][key] = value; },
               info.length);
  visit_saving([&](const char* key, const auto& value) { json["saving"][key] = value; },
               info.saving);
  // A path may hold bytes that are not UTF-8, which JSON has no words for.
  try {
    write_file(info_file(run), json.dump(1) + "\n");
  } catch (const Json::type_error&) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--data {}: the path is not UTF-8; rename it", quote(info.data.path)));
  }
}

RunLock::RunLock(const std::string& run) {
  const std::string path = run + "/lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail_file(path, "open", errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file_);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: another process trains in this run; wait for it, or give another "
                          "--out",
                          run));
}

RunLock::~RunLock() { ::close(file_); }

RunInfo load_run(const std::string& run) {
  if (!fs::exists(info_file(run))) {
    throw Error(ErrorKind::not_found,
                fmt::format("{}: no run there; ambidex train MODEL --data PATH --out {} makes one",
                            run, run));
  }
  RunInfo info{.model = load_model(model_file(run))};
  try {
    const Json json = Json::parse(read_file(info_file(run), kMaxInfoBytes));
    visit_data([&](const char* key, auto& value) { json.at("data").at(key).get_to(value); },
               info.data);
    visit_length([&](const char* key, auto& value) { json.at("length").at(key).get_to(value); },
                 info.length);
    visit_saving([&](const char* key, auto& value) { json.at("saving").at(key).get_to(value); },
                 info.saving);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: not what train writes there ({})", info_file(run), error.what()));
  }
  return info;
}

std::string checkpoints_folder(const std::string& run) { return run + "/checkpoints"; }
std::string best_folder(const std::string& run) { return run + "/best"; }
std::string log_file(const std::string& run) { return run + "/metrics.jsonl"; }

std::string newest_checkpoint(const std::string& run) {
  const std::vector<Checkpoint> checkpoints = list_checkpoints(checkpoints_folder(run));
  if (checkpoints.empty()) {
    throw Error(ErrorKind::not_found,
                fmt::format("{}: no checkpoint yet; train it anew with another --out", run));
  }
  return checkpoints.back().path;
}

std::string scoring_checkpoint(const std::string& run) {
  std::error_code code;
  if (fs::is_directory(best_folder(run), code)) return best_folder(run);
  return newest_checkpoint(run);
}

std::string event_file(const std::string& run, double wall_seconds) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}/events.out.tfevents.{:.0f}.{}.{}", run, wall_seconds, host.data(),
                     getpid());
}

}  // namespace ambidex
