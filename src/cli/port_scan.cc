// SPDX-License-Identifier: Apache-2.0
// ambidex port scan: what in CUDA sources would go wrong on AMD, line by line.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "ambidex/port.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/port.h"
#include "port/findings_sarif.h"
#include "port/scan.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxNotes = 20;  // of a kind on stderr; the rest is counted

struct PortScanOptions {
  ScanOptions scan;
  std::vector<std::string> defines;
  std::vector<std::string> include_folders;
  std::string sarif;
  bool json = false;
};

std::string counts_of(const std::vector<Finding>& findings) {
  std::map<Severity, int64_t> counts;
  for (const Finding& finding : findings) ++counts[finding.severity];
  std::string out;
  for (const auto& [severity, count] : counts) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name_of(severity));
  }
  return out;
}

std::string summary_of(const std::vector<Finding>& findings) {
  struct Row {
    int64_t count = 0;
    Severity worst = Severity::s3;
    std::set<std::string> files;
  };
  std::map<std::string, Row> rows;
  for (const Finding& finding : findings) {
    Row& row = rows[finding.id];
    ++row.count;
    row.worst = std::min(row.worst, finding.severity);
    row.files.insert(finding.file);
  }
  std::string out =
      fmt::format("{:<4} {:<5} {:>5} {:>5}  {}\n", "id", "worst", "lines", "files", "hazard");
  for (const auto& [id, row] : rows) {
    out += fmt::format("{:<4} {:<5} {:>5} {:>5}  {}\n", id, name_of(row.worst), row.count,
                       row.files.size(), hazard(id).title);
  }
  return out;
}

std::string text_of(const ScanResult& result) {
  std::string out;
  std::string file;
  for (const Finding& finding : result.findings) {
    if (finding.file != file)
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n", printable(finding.file));
    file = finding.file;
    out += fmt::format("  {:>5}  {} {}  {}\n", finding.line, name_of(finding.severity), finding.id,
                       printable(finding.message));
    if (!finding.evidence.empty()) {
      out += fmt::format("                 {}\n", printable(finding.evidence));
    }
  }
  const std::string files =
      fmt::format("{} file{}", result.files.size(), result.files.size() == 1 ? "" : "s");
  if (result.findings.empty()) return fmt::format("No hazard in {}.\n", files);
  return out + "\n" + summary_of(result.findings) +
         fmt::format(
             "\n{} in {}: S0 silent wrong result or hang, S1 run-time error, S2 compile "
             "error, S3 slow only.\n`ambidex port explain ID` says more.\n",
             counts_of(result.findings), files);
}

void write_sarif(const std::string& path, const ScanResult& result) {
  try {
    write_file(path, sarif_of(result.findings));
  } catch (const Error& error) {
    throw Error(error.kind, fmt::format("--sarif: {}", error.what()));
  }
  print_note(fmt::format("wrote {}", path));
}

void print_notes(const std::vector<ScanNote>& notes, std::string_view kind) {
  for (size_t i = 0; i < std::min(notes.size(), kMaxNotes); ++i) {
    const ScanNote& note = notes[i];
    const std::string place =
        note.line > 0 ? fmt::format("{}:{}", note.file, note.line) : note.file;
    print_note(
        printable(fmt::format("note: {}: {}", place, fmt::format(fmt::runtime(kind), note.text))));
  }
  if (notes.size() > kMaxNotes) {
    print_note(fmt::format("note: and {} more of these", notes.size() - kMaxNotes));
  }
}

void keep_sources(const std::string& path, const std::vector<std::string>& files) {
  std::error_code ignored;
  for (const std::string& file : files) {
    if (path.empty() || !std::filesystem::equivalent(path, file, ignored)) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("--sarif: {}: is an input of this command; name another file", path));
  }
}

std::string scanned(PortScanOptions options) {
  options.scan.arguments = clang_arguments(options.defines, options.include_folders);
  const ScanResult result = scan(options.scan);
  keep_sources(options.sarif, result.files);
  // All of them: what is not known was not looked at.
  for (const ScanNote& note : result.unknown_includes) {
    print_note(printable(
        fmt::format("note: {}:{}: unknown include \"{}\", taken as empty; pass its folder "
                    "with -I",
                    note.file, note.line, note.text)));
  }
  print_notes(result.parse_errors, "clang: {}");
  if (!options.sarif.empty()) write_sarif(options.sarif, result);
  return options.json ? dumped(to_json(result.findings)) : text_of(result);
}

}  // namespace

void add_port_scan(CLI::App& port, Console& console) {
  const auto options = std::make_shared<PortScanOptions>();
  CLI::App* scan = port.add_subcommand("scan", "Hazards of CUDA sources on AMD, line by line");
  scan->add_option("PATH", options->scan.paths, "CUDA sources, or folders of them")->required();
  scan->add_option("-D,--define", options->defines, "NAME or NAME=VALUE, as for a compiler")
      ->allow_extra_args(false);
  scan->add_option("-I,--include", options->include_folders, "Folder to look for #includes in")
      ->allow_extra_args(false);
  scan->add_option("--sarif", options->sarif, "Also write the findings to this SARIF file");
  scan->add_flag("--hip", options->scan.hip, "The sources are HIP already");
  scan->add_flag("--json", options->json, "A list of findings");
  scan->callback([options, &console] { console.out = scanned(*options); });
}

}  // namespace ambidex
