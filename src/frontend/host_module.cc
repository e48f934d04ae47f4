// SPDX-License-Identifier: Apache-2.0
// Command `module`. Request: {files: [path], dialect: "cuda"|"hip", arguments: [word], checked,
// counted, arch: whose macros HIP's device code sees, output: path}. Answer: {ok, diagnostics:
// [{severity, file, line, column, message}]}, and if ok {path, inputs, kernels, variables, shared,
// other_archs: [{arch, file, line, message}] that get other code, decisions: [{file, line, column,
// asks}]}; kernels, variables and shared as the module's own text has them.
#include "frontend/host_module.h"

#include <fmt/format.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

#include "ambidex/base.h"
#include "frontend/commands.h"
#include "frontend/decisions.h"
#include "frontend/gpu_text.h"
#include "frontend/lockstep.h"
#include "frontend/object.h"

namespace ambidex {
namespace {

struct Request {
  std::vector<std::string> files;
  std::vector<std::string> arguments;
  bool hip = false;
  bool checked = true;
  bool counted = false;
  std::string arch;
  std::string output;
};

Request read_request(const nlohmann::json& json) {
  Request request;
  request.files = json.at("files").get<std::vector<std::string>>();
  request.arguments = json.value("arguments", std::vector<std::string>{});
  request.checked = json.value("checked", true);
  request.counted = json.value("counted", false);
  request.arch = json.value("arch", std::string(kGpuArchs[0]));
  lds_limit_bytes(request.arch);
  request.output = json.at("output").get<std::string>();
  const std::string dialect = json.at("dialect").get<std::string>();
  if (dialect != "cuda" && dialect != "hip") {
    throw Error(ErrorKind::bad_input,
                fmt::format("dialect: expected cuda or hip, got \"{}\"", dialect));
  }
  request.hip = dialect == "hip";
  if (request.files.empty()) throw Error(ErrorKind::bad_input, "files: expected at least one");
  return request;
}

// Results must not depend on the builder's CPU or on contraction; lines must be found again.
Unit unit_of(const Request& request, int index, Pass pass) {
  Unit unit{.path = request.files[static_cast<size_t>(index)],
            .dialect = request.hip ? Dialect::hip : Dialect::cuda,
            .pass = pass};
  unit.arguments = request.arguments;
  const bool device = pass == Pass::device_on_host;
  for (const char* word : {"-fPIC", "-gline-tables-only", "-ffp-contract=off", "-fno-fast-math",
                           "-fno-stack-protector", "-U_FORTIFY_SOURCE"}) {
    unit.arguments.push_back(word);
  }
  unit.arguments.push_back(device && (request.counted || !request.checked) ? "-O2" : "-O1");
  if (request.counted) {  // what vectors of this machine do is not what a GPU would
    unit.arguments.push_back("-fno-vectorize");
    unit.arguments.push_back("-fno-slp-vectorize");
  }
  if (device && !request.hip) {
    unit.arguments.push_back("-U__CUDA_ARCH__");
    unit.arguments.push_back("-D__CUDA_ARCH__=900");
  }
  if (!device) unit.gpu_binary = fmt::format("ambidex source {}", index);
  return unit;
}

// Options of the back end are LLVM's, set once for the process.
void prepare_llvm(bool counted) {
  static std::once_flag once;
  std::call_once(once, [counted] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    std::vector<const char*> words{"ambidex-clang", "-tsan-distinguish-volatile=1",
                                   "-tsan-instrument-read-before-write=1",
                                   "-tsan-instrument-func-entry-exit=0"};
    words.insert(words.end(), std::begin(kKeepOrder), std::end(kKeepOrder));
    if (counted) {  // a thread's loop over bytes stays one of accesses
      words.push_back("-disable-loop-idiom-memcpy");
      words.push_back("-disable-loop-idiom-memset");
    }
    llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data());
  });
}

struct Objects {
  std::vector<std::string> paths;
  ~Objects() {
    for (const std::string& path : paths) llvm::sys::fs::remove(path);
  }
  std::string add(const std::string& path) { return paths.emplace_back(path); }
};

void append(std::vector<Entry>& to, std::vector<Entry>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// One source's device half, in the words that the GPU gets. `others` takes the archs that get other
// ones.
Half compile_device_half(const Request& request, int index, llvm::LLVMContext& context,
                         nlohmann::json& diagnostics, nlohmann::json& others) {
  const Unit unit = unit_of(request, index, Pass::device_on_host);
  DeviceManner manner{.checked = request.checked, .gpu_predefines = {}};
  if (!request.hip) return compile_half(unit, manner, index, context, diagnostics);
  const GpuText gpu = read_gpu_text(unit.path, request.arguments, request.arch);
  manner.gpu_predefines = gpu.predefines;
  Half half = compile_half(unit, manner, index, context, diagnostics);
  if (half.module == nullptr) return half;
  half.inputs.insert(gpu.inputs.begin(), gpu.inputs.end());
  if (!hold_to_gpu(unit.path, request.arguments, half.text, gpu, diagnostics)) {
    half.module = nullptr;
    return half;
  }
  for (nlohmann::json& other : other_archs(unit.path, request.arguments, gpu, half.inputs)) {
    others.push_back(std::move(other));
  }
  return half;
}

// Every source's device half in one llvm::Module, so that they can call each other. Null if one
// has errors.
Half compile_device(const Request& request, llvm::LLVMContext& context, nlohmann::json& diagnostics,
                    nlohmann::json& others) {
  Half all;
  bool failed = false;
  for (int index = 0; index < static_cast<int>(request.files.size()); ++index) {
    Half half = compile_device_half(request, index, context, diagnostics, others);
    failed = failed || half.module == nullptr;
    if (failed) continue;
    all.inputs.merge(half.inputs);
    append(all.kernels, half.kernels);
    append(all.variables, half.variables);
    if (all.module == nullptr) {
      all.checked = half.checked;
      all.compiler = std::move(half.compiler);
      all.module = std::move(half.module);
    } else if (llvm::Linker::linkModules(*all.module, std::move(half.module))) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: its device code does not fit to that of the sources before it: "
                              "a name is defined twice",
                              request.files[static_cast<size_t>(index)]));
    }
  }
  if (failed) all.module = nullptr;
  return all;
}

// Objects and numbers of constructors of the host's halves; false if one has errors.
bool compile_hosts(const Request& request, llvm::LLVMContext& context, Objects& objects,
                   std::vector<int64_t>& constructors, std::set<std::string>& inputs,
                   nlohmann::json& diagnostics) {
  bool all_good = true;
  for (int index = 0; index < static_cast<int>(request.files.size()); ++index) {
    Half half = compile_half(unit_of(request, index, Pass::host), {}, index, context, diagnostics);
    if (half.module == nullptr) {
      all_good = false;
      continue;
    }
    inputs.merge(half.inputs);
    constructors.push_back(prepare_host(*half.module, index));
    emit_object(half, *half.module, objects.add(fmt::format("{}.{}.o", request.output, index)),
                Pass::host);
  }
  return all_good;
}

}  // namespace

nlohmann::json answer_module(const nlohmann::json& json) {
  const Request request = read_request(json);
  prepare_llvm(request.counted);
  llvm::LLVMContext context;
  nlohmann::json diagnostics = nlohmann::json::array();
  Objects objects;
  std::vector<int64_t> constructors;
  nlohmann::json others = nlohmann::json::array();
  Half device = compile_device(request, context, diagnostics, others);
  const bool hosts =
      compile_hosts(request, context, objects, constructors, device.inputs, diagnostics);
  if (!hosts || device.module == nullptr) return {{"ok", false}, {"diagnostics", diagnostics}};
  prepare_device(device, request.hip, request.counted);
  nlohmann::json decisions = nlohmann::json::array();
  if (request.checked && !request.counted) decisions = note_decisions(*device.module);
  const nlohmann::json text = {{"dialect", request.hip ? "hip" : "cuda"},
                               {"files", request.files},
                               {"checked", request.checked},
                               {"counted", request.counted},
                               {"decisions", decisions.size()}};
  emit_tables(*device.module, device, constructors, text);
  hide_names(*device.module);
  nlohmann::json answer = {{"ok", true},
                           {"diagnostics", diagnostics},
                           {"inputs", device.inputs},
                           {"other_archs", others},
                           {"decisions", std::move(decisions)},
                           {"path", request.output}};
  for (const auto& [key, list] : {std::pair{"kernels", &device.kernels},
                                  {"variables", &device.variables},
                                  {"shared", &device.shared}}) {
    answer[key] = nlohmann::json::array();
    for (const Entry& entry : *list) answer[key].push_back(entry.text);
  }
  emit_object(device, *device.module, objects.add(request.output + ".device.o"),
              Pass::device_on_host, request.counted);
  link_module(objects.paths, request.output);
  return answer;
}

}  // namespace ambidex
