// SPDX-License-Identifier: Apache-2.0
#include "port/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "base/files.h"
#include "port/build_flags.h"
#include "port/frontend.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

// Files per process: spread its start and its prelude; few enough that the cores end together.
constexpr size_t kMinBatch = 24;
constexpr size_t kMaxBatch = 400;
constexpr int64_t kMaxBuildFileBytes = int64_t{16} << 20;

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

Finding finding_of(const Json& json) {
  return {.id = json.at("id"),
          .severity = severity_from_name(json.at("severity").get<std::string>()),
          .file = json.at("file"),
          .line = json.at("line"),
          .column = json.at("column"),
          .message = json.at("message"),
          .fix = fix_from_name(json.at("fix").get<std::string>()),
          .evidence = json.at("evidence")};
}

// Sorted, each place once: a header is seen from each of its includers.
void tidy(std::vector<Finding>& findings) {
  const auto key = [](const Finding& one) {
    return std::tie(one.file, one.line, one.id, one.severity, one.column);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  const auto same = [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line, a.id) == std::tie(b.file, b.line, b.id);
  };
  findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
}

void tidy(std::vector<ScanNote>& notes) {
  const auto key = [](const ScanNote& note) { return std::tie(note.file, note.line, note.text); };
  std::sort(notes.begin(), notes.end(),
            [&](const ScanNote& a, const ScanNote& b) { return key(a) < key(b); });
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
}

class Collector {
 public:
  explicit Collector(const ScanOptions& options) : options_(options) {}

  // Asks for all of `files`, by batches on several processes.
  void ask(const std::vector<std::string>& files) {
    const size_t share = files.size() / (3 * static_cast<size_t>(options_.num_processes));
    const size_t size = std::clamp(share, kMinBatch, kMaxBatch);
    std::atomic<size_t> next = 0;
    std::exception_ptr failure;
    const auto work = [&] {
      for (size_t first = next.fetch_add(size); first < files.size();
           first = next.fetch_add(size)) {
        try {
          const size_t last = std::min(first + size, files.size());
          batch({files.begin() + static_cast<std::ptrdiff_t>(first),
                 files.begin() + static_cast<std::ptrdiff_t>(last)});
        } catch (...) {
          const std::lock_guard lock(mutex_);
          failure = std::current_exception();
          next = files.size();
        }
      }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.num_processes; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  // A file that cannot be read or is no text.
  void leave_out(const ScanNote& note) {
    failures_.push_back({.file = normal(note.file), .text = "was not looked at: " + note.text});
    kind_of_failures_ = ErrorKind::bad_input;
  }

  bool has_seen(const std::string& file) const { return files_.contains(normal(file)); }

  // A file that could not be looked at is one file's failure, unless there is no other.
  ScanResult result() {
    if (files_.empty() && !failures_.empty()) {
      throw Error(kind_of_failures_, failures_[0].file + ": " + failures_[0].text);
    }
    for (ScanNote& failure : failures_) result_.parse_errors.push_back(std::move(failure));
    result_.files.assign(files_.begin(), files_.end());
    return std::move(result_);
  }

 private:
  Json request(const std::vector<std::string>& files, bool words_only) const {
    return {{"files", files},
            {"arguments", options_.arguments},
            {"dialect", options_.hip ? "hip" : "cuda"},
            {"words_only", words_only}};
  }

  // Only a crash and a lack of time are met by asking again for less.
  static void rethrow_unless_smaller_helps(const Error& error) {
    const bool crashed = dynamic_cast<const CrashedError*>(&error) != nullptr;
    const bool took_too_long = error.kind == ErrorKind::device_failure;
    if (!crashed && !took_too_long && error.kind != ErrorKind::internal) throw;
  }

  void batch(const std::vector<std::string>& files) {
    try {
      const double seconds = options_.max_seconds * static_cast<double>(files.size() + 3) / 4;
      take(ask_frontend("scan", request(files, false), seconds));
      return;
    } catch (const Error& error) {
      rethrow_unless_smaller_helps(error);
      if (files.size() == 1) return one(files[0], error.what());
    }
    for (const std::string& file : files) one(file, "");
  }

  // `reason` is why clang has given up on the file alone; "" if it has not been asked.
  void one(const std::string& file, std::string reason) {
    for (const bool words_only : {false, true}) {
      if (!words_only && !reason.empty()) continue;
      try {
        take(ask_frontend("scan", request({file}, words_only), options_.max_seconds));
        if (words_only)
          note(file, "clang gave up on the file, which was read word by word: " + reason);
        return;
      } catch (const Error& error) {
        rethrow_unless_smaller_helps(error);
        reason = error.what();
      }
    }
    const std::lock_guard lock(mutex_);
    failures_.push_back({.file = normal(file), .text = "could not be looked at: " + reason});
  }

  void note(const std::string& file, const std::string& text) {
    const std::lock_guard lock(mutex_);
    files_.insert(normal(file));
    result_.parse_errors.push_back({.file = normal(file), .text = text});
  }

  void take(const Json& answer) {
    const std::lock_guard lock(mutex_);
    for (const Json& finding : answer.at("findings")) {
      result_.findings.push_back(finding_of(finding));
    }
    for (const Json& one : answer.at("unknown_includes")) {
      result_.unknown_includes.push_back(
          {.file = one.at("file"), .line = one.at("line"), .text = one.at("name")});
    }
    for (const Json& one : answer.at("parse_errors")) {
      result_.parse_errors.push_back(
          {.file = one.at("file"), .line = one.at("line"), .text = one.at("message")});
    }
    for (const Json& file : answer.at("files")) files_.insert(file.get<std::string>());
  }

  const ScanOptions& options_;
  std::mutex mutex_;
  std::set<std::string> files_;
  ErrorKind kind_of_failures_ = ErrorKind::internal;
  std::vector<ScanNote> failures_;  // of files at which not even the words could be looked
  ScanResult result_;
};

// A child that dies before it has read its request must not end us. Set here, and not by each
// process that is run, since several are run at once.
struct IgnoredPipeSignal {
  void (*before)(int) = std::signal(SIGPIPE, SIG_IGN);
  ~IgnoredPipeSignal() { std::signal(SIGPIPE, before); }
};

// Gives files the names by which the user called them: "./a.cu", not "a.cu".
void restore_names(const ScanSources& sources, ScanResult& result) {
  std::map<std::string, std::string> given;
  for (const auto* names : {&sources.roots, &sources.headers}) {
    for (const std::string& name : *names) given.emplace(normal(name), name);
  }
  const auto restore = [&](std::string& file) {
    const auto found = given.find(file);
    if (found != given.end()) file = found->second;
  };
  for (Finding& finding : result.findings) restore(finding.file);
  for (std::string& file : result.files) restore(file);
  for (ScanNote& note : result.unknown_includes) restore(note.file);
  for (ScanNote& note : result.parse_errors) restore(note.file);
}

}  // namespace

ScanResult scan(const ScanOptions& options) {
  check(options.num_processes > 0 && options.max_seconds > 0, "a scan needs processes and time");
  const ScanSources sources = scan_sources(options.paths);
  const IgnoredPipeSignal ignored;
  Collector collector(options);
  for (const ScanNote& note : sources.unread) collector.leave_out(note);
  collector.ask(sources.roots);
  std::vector<std::string> alone;  // headers that no source includes
  for (const std::string& header : sources.headers) {
    if (!collector.has_seen(header)) alone.push_back(header);
  }
  collector.ask(alone);
  ScanResult result = collector.result();
  for (const std::string& file : sources.build_files) {
    for (Finding& finding : scan_build_file(file, read_file(file, kMaxBuildFileBytes))) {
      result.findings.push_back(std::move(finding));
    }
    result.files.push_back(file);
  }
  restore_names(sources, result);
  tidy(result.findings);
  tidy(result.unknown_includes);
  tidy(result.parse_errors);
  return result;
}

nlohmann::ordered_json to_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"severity", name_of(finding.severity)},
                    {"file", finding.file},
                    {"line", finding.line},
                    {"message", finding.message},
                    {"fix", name_of(finding.fix)},
                    {"column", finding.column},
                    {"evidence", finding.evidence}});
  }
  return list;
}

}  // namespace ambidex
