// SPDX-License-Identifier: Apache-2.0
// Command `object`. Request: {file, archs: ["gfx942"], arguments: [word], instantiations:
// ["kernel<float, 4>"], touched: {file: [line]}, output: path without suffix}. Answer:
// {ok, host: {ok, launches, parameters: {symbol: [{name, type}]}}, objects: [{arch, ok, path,
// kernels, undefined}], diagnostics:
// [{severity, file, line, column, message, flag, pass}]}; pass is "host" or an arch.
#include "frontend/object.h"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <fmt/format.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/TargetSelect.h>

#include "ambidex/base.h"
#include "base/text.h"
#include "frontend/asm_files.h"
#include "frontend/commands.h"
#include "frontend/deep_stack.h"
#include "frontend/diagnostics.h"
#include "frontend/headers.h"
#include "frontend/invocation.h"
#include "frontend/linker.h"

extern "C" {  // of the AMDGPU back end; the header that declares them lists all targets of LLVM
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUAsmPrinter();
}

namespace ambidex {
namespace {

struct Request {
  std::string file;
  std::vector<std::string> archs, arguments, instantiations;
  nlohmann::json touched;
  std::string output;
};

Request read_request(const nlohmann::json& json) {
  Request request;
  request.file = json.at("file").get<std::string>();
  request.archs = json.value("archs", std::vector<std::string>{"gfx942", "gfx950"});
  request.arguments = json.value("arguments", std::vector<std::string>{});
  request.instantiations = json.value("instantiations", std::vector<std::string>{});
  request.touched = json.value("touched", nlohmann::json::object());
  request.output = json.at("output").get<std::string>();
  for (const std::string& arch : request.archs) lds_limit_bytes(arch);
  for (const std::string& asked : request.instantiations) {
    if (asked.find_first_of("\n\r;#") == std::string::npos) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("--instantiate {}: expected a kernel with its template arguments, such "
                            "as 'scale<float, 4>'",
                            quote(asked)));
  }
  if (!llvm::sys::fs::is_regular_file(request.file)) {
    throw Error(ErrorKind::not_found, fmt::format("{}: no such file", request.file));
  }
  return request;
}

// Adds the option that governs a warning, and the pass that it was said in.
class Diagnostics : public JsonDiagnostics {
 public:
  Diagnostics(nlohmann::json& list, std::string pass)
      : JsonDiagnostics(list), list_(list), pass_(std::move(pass)) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    JsonDiagnostics::HandleDiagnostic(level, info);
    if (list_.empty()) return;
    list_.back()["flag"] =
        info.getDiags()->getDiagnosticIDs()->getWarningOptionForDiag(info.getID()).str();
    list_.back()["pass"] = pass_;
  }

 private:
  nlohmann::json& list_;
  std::string pass_;
};

Unit unit_of(const Request& request, const std::string& arch) {
  Unit unit{.path = request.file, .dialect = Dialect::hip};
  unit.pass = arch.empty() ? Pass::host : Pass::device;
  unit.arch = arch;
  unit.arguments = {"-O3", "-Wshorten-64-to-32", "-Wundef", "-Wpass-failed"};
  unit.arguments.insert(unit.arguments.end(), request.arguments.begin(), request.arguments.end());
  return unit;
}

// The file that diagnostics name, as a literal: the words have no line in the source.
std::string place_of_instantiation(const std::string& asked) {
  std::string place = "--instantiate ";
  for (const char letter : asked) {
    if (letter == '"' || letter == '\\') place += '\\';
    place += letter;
  }
  return place;
}

// The source, and after it uses of the kernels that were asked for.
std::unique_ptr<llvm::MemoryBuffer> with_instantiations(const Request& request) {
  auto file = llvm::MemoryBuffer::getFile(request.file);
  if (!file) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: cannot be read: {}", request.file, file.getError().message()));
  }
  std::string text = (*file)->getBuffer().str();
  for (size_t i = 0; i < request.instantiations.size(); ++i) {
    const std::string& asked = request.instantiations[i];
    text += fmt::format(
        "\n#line 1 \"{}\"\n"
        "[[maybe_unused]] static const void* const ambidex_instance_{} = "
        "reinterpret_cast<const void*>(&{});",
        place_of_instantiation(asked), i, asked);
  }
  return llvm::MemoryBuffer::getMemBufferCopy(text + "\n", request.file);
}

std::unique_ptr<clang::CompilerInstance> prepare(const Request& request, const std::string& arch,
                                                 Diagnostics& consumer) {
  auto compiler = compiler_of(unit_of(request, arch), consumer);
  if (compiler != nullptr && !request.instantiations.empty()) {
    compiler->getPreprocessorOpts().addRemappedFile(request.file,
                                                    with_instantiations(request).release());
  }
  return compiler;
}

// What LLVM's back end says when it gives up. It would end the process; here it ends the pass.
std::string fatal_message;  // said on the thread of the pass, read when that has ended
void on_fatal_error(void*, const char* reason, bool) {
  fatal_message = reason;
  llvm::sys::Process::Exit(1);  // leaves RunSafely
}

// An instruction that the target lacks ends in such an error, whatever the text.
void add_fatal(nlohmann::json& list, const std::string& file, const std::string& arch) {
  list.push_back(
      {{"severity", "fatal"},
       {"file", file},
       {"line", 0},
       {"column", 0},
       {"message", fmt::format("{} cannot do this: {}", arch,
                               fatal_message.empty() ? "the back end crashed" : fatal_message)},
       {"flag", ""},
       {"pass", arch}});
}

class CarefulEmit : public clang::EmitObjAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(refuse_asm_files(compiler));
    consumers.push_back(EmitObjAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }
};

bool compile_for(const Request& request, const std::string& arch, const std::string& object,
                 nlohmann::json& list) {
  bool good = false;
  const auto compile = [&] {
    Diagnostics consumer(list, arch);
    auto compiler = prepare(request, arch, consumer);
    if (compiler == nullptr) return;
    compiler->getFrontendOpts().OutputFile = object;
    CarefulEmit action;
    good = compiler->ExecuteAction(action);
    compiler->getDiagnostics().setClient(new clang::IgnoringDiagConsumer, true);
  };
  fatal_message.clear();
  llvm::CrashRecoveryContext recovery;
  llvm::ScopedFatalErrorHandler handler(on_fatal_error);
  if (recovery.RunSafelyOnThread(compile, kDeepStackBytes)) return good;
  add_fatal(list, request.file, arch);
  return false;
}

nlohmann::json make_object(const Request& request, const std::string& arch, nlohmann::json& list) {
  const std::string path = fmt::format("{}-{}.co", request.output, arch);
  const std::string object = fmt::format("{}-{}.o", request.output, arch);
  nlohmann::json answer = {{"arch", arch}, {"ok", false}, {"path", nullptr}};
  if (compile_for(request, arch, object, list)) {
    answer.update(read_resources(object));
    answer["ok"] = true;
    if (answer["undefined"].empty()) {
      link_objects({"-m", "elf64_amdgpu", "-shared", "--no-undefined"}, {object}, path, path);
      answer["path"] = path;
    }
  }
  llvm::sys::fs::remove(object);
  return answer;
}

nlohmann::json check_host(const Request& request, nlohmann::json& list) {
  Diagnostics consumer(list, "host");
  auto compiler = prepare(request, "", consumer);
  nlohmann::json answer = {{"ok", false}, {"launches", nlohmann::json::array()}};
  if (compiler == nullptr) return answer;
  HostFindings found;
  const auto action = host_finder(found);
  answer["ok"] = compiler->ExecuteAction(*action);
  compiler->getDiagnostics().setClient(new clang::IgnoringDiagConsumer, true);
  for (const ObjectLaunch& site : found.launches) {
    answer["launches"].push_back({{"symbol", site.symbol},
                                  {"file", site.file},
                                  {"line", site.line},
                                  {"threads", site.threads},
                                  {"dynamic_bytes", site.dynamic_bytes}});
  }
  answer["parameters"] = std::move(found.parameters);
  return answer;
}

bool is_touched(const Request& request, const nlohmann::json& row) {
  const auto lines = request.touched.find(row.at("file").get<std::string>());
  if (lines == request.touched.end()) return false;
  return std::find(lines->begin(), lines->end(), row.at("line")) != lines->end();
}

// The three warnings are errors on lines that the port has touched; what our own headers would
// warn of is nobody's concern. Returns whether there is an error.
bool judge_diagnostics(const Request& request, nlohmann::json& list) {
  nlohmann::json kept = nlohmann::json::array();
  bool failed = false;
  for (nlohmann::json& row : list) {
    const std::string file = row.at("file").get<std::string>();
    if (is_header_of_ours(file) && row.at("severity") == "warning") continue;
    const std::string flag = row.at("flag").get<std::string>();
    const bool is_strict = flag == "shorten-64-to-32" || flag == "undef" || flag == "pass-failed";
    if (row.at("severity") == "warning" && is_strict && is_touched(request, row)) {
      row["severity"] = "error";
    }
    failed = failed || row.at("severity") == "error" || row.at("severity") == "fatal";
    kept.push_back(std::move(row));
  }
  list = std::move(kept);
  return failed;
}

void prepare_back_end() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUAsmPrinter();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  llvm::CrashRecoveryContext::Enable();
}

}  // namespace

nlohmann::json answer_object(const nlohmann::json& json) {
  const Request request = read_request(json);
  prepare_back_end();
  nlohmann::json list = nlohmann::json::array();
  nlohmann::json answer = {{"objects", nlohmann::json::array()}};
  answer["host"] = check_host(request, list);
  bool ok = answer["host"]["ok"].get<bool>();
  for (const std::string& arch : request.archs) {
    answer["objects"].push_back(make_object(request, arch, list));
    ok = ok && answer["objects"].back()["ok"].get<bool>();
  }
  answer["ok"] = !judge_diagnostics(request, list) && ok;
  answer["diagnostics"] = std::move(list);
  return answer;
}

}  // namespace ambidex
