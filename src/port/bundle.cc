// SPDX-License-Identifier: Apache-2.0
#include "port/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/json_depth.h"
#include "base/text.h"
#include "port/file_hashes.h"
#include "port/findings_sarif.h"
#include "port/patch_series.h"
#include "port/repair.h"
#include "port/report.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "bundle.json";
constexpr const char* kUnfinished = "unfinished.json";  // of a run that goes on
constexpr const char* kMaker = "ambidex port run";
constexpr const char* kTranscript = "transcript.jsonl";  // of `port repair`
constexpr const char* kWork = "work";  // modules and buffers: large, and made anew at every run
constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

// Of every file of the bundle but the manifest itself.
FileHashes hashes_of(const fs::path& folder) {
  return file_hashes(folder, [](const std::string& name) {
    return name != kWork && name != kManifest && name != kUnfinished;
  });
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
    static_cast<void>(bundle.at("files").get<FileHashes>());
    if (bundle.at("name").get<std::string>().empty()) fail_bundle(folder, "\"name\" is empty");
    for (const auto& word : bundle.at("arguments").get<std::vector<std::string>>()) {
      if (word.starts_with("-D") || word.starts_with("-I")) continue;
      fail_bundle(folder, fmt::format("\"arguments\" has {}, which is no -D or -I", quote(word)));
    }
    static_cast<void>(bundle.at("program_arguments").get<std::vector<std::string>>());
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

void check_untouched(const fs::path& folder, const FileHashes& recorded) {
  const FileHashes found = hashes_of(folder);
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

std::string_view line_at(std::string_view text, size_t start) {
  return text.substr(start, text.find('\n', start) - start);
}

// Where two texts part: "; line 3 was "a", is "b""; empty of what is no text.
std::string first_difference(const fs::path& before, const fs::path& after) {
  const std::string old_text = read_file(before.string(), kMaxFileBytes);
  const std::string new_text = read_file(after.string(), kMaxFileBytes);
  if (!why_no_source(old_text).empty() || !why_no_source(new_text).empty()) return "";
  const auto parting =
      std::mismatch(old_text.begin(), old_text.end(), new_text.begin(), new_text.end()).first;
  const auto same = static_cast<size_t>(parting - old_text.begin());
  const size_t start = same == 0 ? 0 : old_text.rfind('\n', same - 1) + 1;  // npos + 1 is 0
  return fmt::format("; line {} was {}, is {}", 1 + std::count(old_text.begin(), parting, '\n'),
                     quote(line_at(old_text, start)), quote(line_at(new_text, start)));
}

void compare_bundles(const fs::path& folder, const fs::path& again, const FileHashes& recorded,
                     BundleCheck& check) {
  const FileHashes fresh = hashes_of(again);
  for (const auto& [name, hash] : recorded) {
    ++check.num_files;
    const auto found = fresh.find(name);
    if (found == fresh.end()) {
      check.differences.push_back(fmt::format("{}: was not made again", quote(name)));
    } else if (found->second != hash) {
      check.differences.push_back(fmt::format("{}: came out differently{}", quote(name),
                                              first_difference(folder / name, again / name)));
    }
  }
  for (const auto& [name, hash] : fresh) {
    if (!recorded.contains(name)) {
      check.differences.push_back(fmt::format("{}: was not there before", quote(name)));
    }
  }
}

// The file in original/ that was ported; "" if that is all of it.
std::string source_of(const PortRunOptions& options) {
  const std::string name = fs::path(options.path).filename().string();
  const fs::path file = fs::path(options.folder) / "original" / name;
  return !fs::is_directory(options.path) && fs::is_regular_file(file) ? name : "";
}

// Before it becomes text: there a path may be spelled otherwise, with escapes.
template <class Document>
Document strings_within(Document json, const std::string& folder) {
  if (json.is_string()) return within_folder(json.template get<std::string>(), folder);
  if (!json.is_structured()) return json;
  for (auto& item : json) item = strings_within(item, folder);
  return json;
}

template <class Document>
std::string text_of(const Document& json) {
  return json.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::vector<Finding> findings_within(std::vector<Finding> findings, const std::string& folder) {
  for (Finding& finding : findings) {
    for (std::string* text : {&finding.file, &finding.message, &finding.evidence}) {
      *text = within_folder(*text, folder);
    }
  }
  return findings;
}

// A -I as it was recorded: of the bundle itself, or of a folder elsewhere, which has to be there.
std::string argument_here(const std::string& word, const fs::path& root) {
  if (!word.starts_with("-I")) return word;
  const std::string name = word.substr(2);
  if (name.empty()) fail_bundle(root, "\"arguments\" has a -I without a folder");
  if (*fs::path(name).begin() == "original") return "-I" + (root / name).string();
  std::error_code failure;
  if (fs::is_directory(name, failure)) return word;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: the port was made with the headers in {}, which is no folder from "
                          "here; check it from where it is",
                          quote((root / kManifest).string()), quote(name)));
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
                    {"num_bit_identical", kernel.num_bit_identical},
                    {"error_class", name_of(kernel.error_class)}});
  }
  return rows;
}

void write_bundle(const PortRun& run, const PortRunOptions& options) {
  const fs::path folder(options.folder);
  const auto write = [&](const fs::path& name, std::string text) {
    write_file((folder / name).string(), within_folder(std::move(text), options.folder));
  };
  const auto write_json = [&](const fs::path& name, const auto& json) {
    write_file((folder / name).string(), text_of(strings_within(json, options.folder)));
  };
  const std::vector<Finding> findings = findings_within(run.scan.findings, options.folder);
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
      write_json(contracts / contract_file_name(contract), to_json(contract));
    }
  }
  write_json("hazards.json", to_json(findings));
  write("hazards.sarif", sarif_of(findings));
  write("edits.json", edits_json({run.tree}));
  write("port.patch", patch_of(run.tree));
  fs::create_directories(folder / "patches");
  for (const SeriesPatch& patch : patch_series(run.tree)) {
    write(fs::path("patches") / patch.name, patch.text);
  }
  fs::create_directories(folder / "objects");
  write_json("objects/resources.json", compiled);
  write_json("verdict.json", verdicts);
  write("REPORT.md", port_report(run, options));
  const Json bundle{{"made_by", kMaker},
                    {"version", AMBIDEX_VERSION},
                    {"name", name_of_sources(options)},
                    {"source", source_of(options)},
                    {"arguments", options.arguments},
                    {"program_arguments", options.words},
                    {"key", options.key},
                    {"kernels", to_json(run.kernels)},
                    {"files", hashes_of(folder)}};
  write_json(kManifest, bundle);
}

BundleCheck check_bundle(const std::string& folder, const std::string& scratch, int num_workers,
                         bool trusted) {
  const fs::path root(folder);
  const Json bundle = read_manifest(root);
  const auto recorded = bundle.at("files").get<FileHashes>();
  check_untouched(root, recorded);
  const auto source = bundle.at("source").get<std::string>();
  PortRunOptions options{
      .path = (source.empty() ? root / "original" : root / "original" / source).string(),
      .folder = scratch,
      .arguments = bundle.at("arguments").get<std::vector<std::string>>(),
      .key = bundle.at("key").get<uint64_t>(),
      .num_workers = num_workers,
      .trusted = trusted,
      .name = bundle.at("name").get<std::string>(),
      .words = bundle.at("program_arguments").get<std::vector<std::string>>()};
  for (std::string& word : options.arguments) word = argument_here(word, root);
  const bool repaired = recorded.contains(kTranscript);
  BundleCheck check{
      .run = repaired ? repair_port({.run = options, .replay = (root / kTranscript).string()}).port
                      : run_port(options),
      .num_files = 0,
      .differences = {}};
  if (read_manifest(scratch).at("kernels") != bundle.at("kernels")) {
    check.differences.emplace_back("the verdicts came out differently");
  }
  compare_bundles(root, scratch, recorded, check);
  return check;
}

}  // namespace ambidex
