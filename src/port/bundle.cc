// SPDX-License-Identifier: Apache-2.0
#include "port/bundle.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/json_depth.h"
#include "base/text.h"
#include "port/findings_sarif.h"
#include "port/patch_series.h"
#include "port/repair.h"
#include "port/report.h"
#include "port/sha256.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "bundle.json";
constexpr const char* kMaker = "ambidex port run";
constexpr const char* kTranscript = "transcript.jsonl";  // of `port repair`
constexpr const char* kWork = "work";  // modules and buffers: large, and made anew at every run
constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

using Hashes = std::map<std::string, std::string>;

// Of a link it is that of where it leads to, so that nothing outside of the bundle is read. What is
// neither file, link nor folder is in no bundle of ours.
std::string hash_of(const fs::directory_entry& entry) {
  if (entry.is_symlink()) return sha256("link to " + fs::read_symlink(entry.path()).string());
  return entry.is_regular_file() ? sha256(read_file(entry.path().string(), kMaxFileBytes)) : "";
}

// Of every file of the bundle but the manifest itself, by its name within the folder.
Hashes hashes_of(const fs::path& folder) {
  Hashes hashes;
  for (auto entry = fs::recursive_directory_iterator(folder);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    const bool is_folder = !entry->is_symlink() && entry->is_directory();
    if (name == kWork && is_folder) entry.disable_recursion_pending();
    if (name != kManifest && !is_folder) hashes[name] = hash_of(*entry);
  }
  return hashes;
}

[[noreturn]] void fail_bundle(const fs::path& folder, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}; make it with `ambidex port run`",
                                                quote((folder / kManifest).string()), what));
}

Json read_manifest(const fs::path& folder) {
  const std::string path = (folder / kManifest).string();
  Json bundle = parse_foreign_json<Json>(read_file(path, kMaxFileBytes));
  try {
    if (bundle.at("made_by").get<std::string>() != kMaker) fail_bundle(folder, "is not ours");
    if (const auto version = bundle.at("version").get<std::string>(); version != AMBIDEX_VERSION) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: made by ambidex {}, this is {}; check it with that version",
                              quote(path), quote(version), AMBIDEX_VERSION));
    }
    static_cast<void>(bundle.at("files").get<Hashes>());
    for (const auto& word : bundle.at("arguments").get<std::vector<std::string>>()) {
      if (word.starts_with("-D") || word.starts_with("-I")) continue;
      fail_bundle(folder, fmt::format("\"arguments\" has {}, which is no -D or -I", quote(word)));
    }
    if (!bundle.at("key").is_number_unsigned()) fail_bundle(folder, "\"key\" is no number from 0");
    static_cast<void>(bundle.at("kernels").get<std::vector<Json>>());
    const fs::path source(bundle.at("source").get<std::string>());
    if (source.has_parent_path() || source == "." || source == "..")
      fail_bundle(folder, "\"source\" is not a name in original/");
  } catch (const Json::exception& error) {
    fail_bundle(folder, fmt::format("is no manifest of a port ({})", error.what()));
  }
  return bundle;
}

void check_untouched(const fs::path& folder, const Hashes& recorded) {
  const Hashes found = hashes_of(folder);
  for (const auto& [name, hash] : recorded) {
    const auto file = found.find(name);
    if (file != found.end() && file->second == hash) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {} since the bundle was made; what it shows is no longer sure",
                            quote((folder / name).string()),
                            file == found.end() ? "is gone" : "was changed"));
  }
  for (const auto& [name, hash] : found) {
    if (recorded.contains(name)) continue;
    throw Error(ErrorKind::bad_input, fmt::format("{}: is not in the manifest; move it elsewhere",
                                                  quote((folder / name).string())));
  }
}

void compare_hashes(const Hashes& recorded, const Hashes& fresh, BundleCheck& check) {
  for (const auto& [name, hash] : recorded) {
    ++check.num_files;
    const auto found = fresh.find(name);
    if (found == fresh.end()) {
      check.differences.push_back(fmt::format("{}: was not made again", quote(name)));
    } else if (found->second != hash) {
      check.differences.push_back(fmt::format("{}: came out differently", quote(name)));
    }
  }
  for (const auto& [name, hash] : fresh) {
    if (!recorded.contains(name)) {
      check.differences.push_back(fmt::format("{}: was not there before", quote(name)));
    }
  }
}

}  // namespace

std::string within_folder(std::string text, const std::string& folder) {
  std::string prefix = fs::absolute(folder).lexically_normal().string();
  if (!prefix.ends_with('/')) prefix += '/';
  for (size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    text.erase(at, prefix.size());
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<PortedKernel>& kernels) {
  Json rows = Json::array();
  for (const PortedKernel& kernel : kernels) {
    rows.push_back({{"kernel", kernel.kernel},
                    {"program", kernel.program},
                    {"verdict", name_of(kernel.verdict)},
                    {"reason", kernel.reason},
                    {"num_cases", kernel.num_cases},
                    {"num_bit_identical", kernel.num_bit_identical}});
  }
  return rows;
}

void keep_edited_port(const std::string& folder) {
  const fs::path root(folder), hip = root / "hip";
  std::error_code failure;
  if (!fs::is_regular_file(root / kManifest, failure) || !fs::is_directory(hip, failure)) return;
  const Json bundle =
      parse_foreign_json<Json>(read_file((root / kManifest).string(), kMaxFileBytes));
  if (!bundle.is_object() || !bundle.contains("files")) return;
  const Json& recorded = bundle["files"];
  std::vector<std::string> edited;
  for (const auto& [name, hash] : hashes_of(hip)) {
    if (recorded.is_object() && recorded.value("hip/" + name, Json()) == Json(hash)) continue;
    edited.push_back("hip/" + name);
  }
  keep_edits(folder, edited);
}

void write_bundle(const PortRun& run, const PortRunOptions& options) {
  const fs::path folder(options.folder);
  const auto write = [&](const fs::path& name, std::string text) {
    write_file((folder / name).string(), within_folder(std::move(text), options.folder));
  };
  nlohmann::json compiled = nlohmann::json::array(), verdicts = nlohmann::json::array();
  for (const CompiledSource& source : run.compiled) compiled.push_back(to_json(source));
  for (const PortRun::ProgramRun& program : run.programs) {
    nlohmann::json row = to_json(program.report);
    row["name"] = program.name;
    row["fault"] = program.fault;
    verdicts.push_back(std::move(row));
  }
  for (const PortRun::ProgramRun& program : run.programs) {
    const fs::path contracts = fs::path("contracts") / program.name;
    if (!program.report.contracts.empty()) fs::create_directories(folder / contracts);
    for (const Contract& contract : program.report.contracts) {
      write(contracts / contract_file_name(contract), to_json(contract).dump(2) + "\n");
    }
  }
  write("hazards.json", to_json(run.scan.findings).dump(2) + "\n");
  write("hazards.sarif", sarif_of(run.scan.findings));
  write("edits.json", edits_json({run.tree}));
  write("port.patch", patch_of(run.tree));
  fs::create_directories(folder / "patches");
  for (const SeriesPatch& patch : patch_series(run.tree)) {
    write(fs::path("patches") / patch.name, patch.text);
  }
  fs::create_directories(folder / "objects");
  write("objects/resources.json", compiled.dump(2) + "\n");
  write("verdict.json", verdicts.dump(2) + "\n");
  write("REPORT.md", port_report(run, options));
  const fs::path path(options.path);
  const Json bundle{
      {"made_by", kMaker},
      {"version", AMBIDEX_VERSION},
      {"source", fs::is_directory(path) ? "" : path.filename().string()},
      {"arguments", options.arguments},
      {"key", options.key},
      {"kernels", Json::parse(within_folder(to_json(run.kernels).dump(), options.folder))},
      {"files", hashes_of(folder)}};
  write_file((folder / kManifest).string(), bundle.dump(2) + "\n");
}

BundleCheck check_bundle(const std::string& folder, const std::string& scratch, int num_workers,
                         bool trusted) {
  const fs::path root(folder);
  const Json bundle = read_manifest(root);
  const auto recorded = bundle.at("files").get<Hashes>();
  check_untouched(root, recorded);
  const auto source = bundle.at("source").get<std::string>();
  const PortRunOptions options{
      .path = (source.empty() ? root / "original" : root / "original" / source).string(),
      .folder = scratch,
      .arguments = bundle.at("arguments").get<std::vector<std::string>>(),
      .key = bundle.at("key").get<uint64_t>(),
      .num_workers = num_workers,
      .trusted = trusted};
  const bool repaired = recorded.contains(kTranscript);
  BundleCheck check{
      .run = repaired ? repair_port({.run = options, .replay = (root / kTranscript).string()}).port
                      : run_port(options),
      .num_files = 0,
      .differences = {}};
  if (read_manifest(scratch).at("kernels") != bundle.at("kernels")) {
    check.differences.emplace_back("the verdicts came out differently");
  }
  compare_hashes(recorded, hashes_of(scratch), check);
  return check;
}

}  // namespace ambidex
