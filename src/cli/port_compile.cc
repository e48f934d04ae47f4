// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "cli/port.h"
#include "port/compile.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

struct Request {
  std::vector<std::string> files;
  CompileOptions options;
  std::vector<std::string> defines, folders;
  bool json = false;
};

void print_object(const CompiledSource& compiled, const CodeObject& object, std::string& out) {
  const std::string file = printable(compiled.file);
  for (const KernelResources& kernel : object.kernels) {
    out += fmt::format(
        "{}: {} on {}: {} VGPRs ({} accumulators), {} SGPRs, {} + {} spills, {} B scratch, {} B "
        "LDS, blocks up to {} threads, {} waves/SIMD\n",
        file, kernel.name, object.arch, kernel.num_vgprs, kernel.num_agprs, kernel.num_sgprs,
        kernel.num_vgpr_spills, kernel.num_sgpr_spills, kernel.scratch_bytes, kernel.lds_bytes,
        kernel.max_threads, kernel.max_waves_per_simd);
  }
  if (!object.path.empty()) {
    out += fmt::format("{}: wrote {}\n", file, printable(object.path));
  } else if (object.ok) {
    out += fmt::format("{}: not linked for {}: needs ROCm's device library for {}\n", file,
                       object.arch, fmt::join(object.undefined, ", "));
  }
}

// "file:1:2: ", with as much of it as is known.
std::string place_of(const CompileDiagnostic& row) {
  if (row.file.empty()) return "";
  const std::string file = printable(row.file);
  return row.line > 0 ? fmt::format("{}:{}:{}: ", file, row.line, row.column) : file + ": ";
}

// A line for each, with all passes that say the same.
std::string diagnostics_text(const std::vector<CompileDiagnostic>& rows) {
  std::vector<std::pair<std::string, std::string>> lines;  // with its passes
  for (const CompileDiagnostic& row : rows) {
    std::string line =
        fmt::format("{}{}: {}{}", place_of(row), row.severity, printable(row.message),
                    row.flag.empty() ? "" : " [" + row.flag + "]");
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& other) { return other.first == line; });
    if (same == lines.end()) {
      lines.emplace_back(std::move(line), row.pass);
    } else if (!same->second.ends_with(row.pass)) {
      same->second += ", " + row.pass;
    }
  }
  std::string out;
  for (const auto& [line, passes] : lines) out += fmt::format("{} [{}]\n", line, passes);
  return out;
}

std::string describe(const CompiledSource& compiled) {
  std::string out = diagnostics_text(compiled.diagnostics);
  for (const CodeObject& object : compiled.objects) print_object(compiled, object, out);
  for (const LaunchResources& launch : compiled.launches) {
    if (launch.dynamic_lds_bytes >= 0) continue;
    out += fmt::format(
        "{}:{}: dynamic LDS is not a constant here: {} static bytes are all that is checked "
        "[{}]\n",
        printable(launch.file), launch.line, launch.static_lds_bytes, launch.arch);
  }
  return out;
}

// One word on it instead of clang's many.
void refuse_cuda(const std::string& file) {
  if (!is_cuda_source(file)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is CUDA source, and this compiles HIP; first make HIP of it: "
                          "ambidex port translate {} -o FOLDER",
                          quote(file), printable(file)));
}

void compile(Request& request, Console& console) {
  const auto arguments = clang_arguments(request.defines, request.folders);
  request.options.arguments.insert(request.options.arguments.begin(), arguments.begin(),
                                   arguments.end());
  nlohmann::json sources = nlohmann::json::array();
  bool ok = true;
  for (const std::string& file : request.files) {
    const CompiledSource compiled = compile_hip(file, request.options);
    if (!compiled.ok) refuse_cuda(file);
    ok = ok && compiled.ok;
    sources.push_back(to_json(compiled));
    if (!request.json) console.out += describe(compiled);
  }
  const std::string text = nlohmann::json{{"sources", std::move(sources)}}.dump(2) + "\n";
  write_file(std::filesystem::path(request.options.output_folder) / "resources.json", text);
  if (request.json) console.out = text;
  if (!ok) console.exit_code = exit_code(ErrorKind::bad_input);
}

}  // namespace

void add_port_compile(CLI::App& port, Console& console) {
  auto request = std::make_shared<Request>();
  request->options.output_folder = "objects";
  CLI::App& verb = *port.add_subcommand(
      "compile", "Compile HIP sources for AMD's GPUs; print what each kernel needs");
  verb.add_option("FILE", request->files, "HIP sources")->required();
  verb.add_option("--arch", request->options.archs, "gfx942, gfx950 (default: both)")
      ->delimiter(',');
  verb.add_option("-o,--output", request->options.output_folder,
                  "Folder for the objects and resources.json (default: objects)");
  verb.add_option("--instantiate", request->options.instantiations,
                  "A kernel to have beside those launched: 'scale<float, 4>'");
  verb.add_option("-D", request->defines, "Macro of the build, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option("-I", request->folders, "Folder with headers")->allow_extra_args(false);
  verb.add_option("--clang", request->options.arguments,
                  "Another argument for clang: --clang=-std=c++20")
      ->allow_extra_args(false);
  verb.add_flag("--json", request->json, "Print resources.json instead");
  verb.footer(
      "Exit code 2: a source does not compile, or a launch asks for more than the GPU has.");
  verb.callback([request, &console] { compile(*request, console); });
}

}  // namespace ambidex
