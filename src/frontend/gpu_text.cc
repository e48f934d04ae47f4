// SPDX-License-Identifier: Apache-2.0
#include "frontend/gpu_text.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/FrontendAction.h>
#include <fmt/format.h>

#include <sstream>

#include "frontend/diagnostics.h"
#include "frontend/text_difference.h"

namespace ambidex {
namespace {

Unit unit_of(const std::string& path, const std::vector<std::string>& arguments,
             const std::string& arch) {
  Unit unit{.path = path, .dialect = Dialect::hip, .pass = Pass::device, .arch = arch};
  unit.arguments = {"-O3", "-w"};
  unit.arguments.insert(unit.arguments.end(), arguments.begin(), arguments.end());
  return unit;
}

class Preprocess : public clang::PreprocessorFrontendAction {
 public:
  explicit Preprocess(GpuText& gpu) : gpu_(gpu) {}

 protected:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    gpu_.predefines = preprocessor.getPredefines();
    preprocessor.IgnorePragmas();
    note_text(preprocessor, gpu_.text);
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    do {
      preprocessor.Lex(token);
    } while (token.isNot(clang::tok::eof));
    note_inputs(getCompilerInstance().getSourceManager(), gpu_.inputs);
  }

 private:
  GpuText& gpu_;
};

class NoteRanges : public clang::ASTConsumer {
 public:
  explicit NoteRanges(PassText& text) : text_(text) {}
  void HandleTranslationUnit(clang::ASTContext& context) override { note_ranges(context, text_); }

 private:
  PassText& text_;
};

class Parse : public clang::ASTFrontendAction {
 public:
  explicit Parse(PassText& text) : text_(text) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    note_text(compiler.getPreprocessor(), text_);
    return std::make_unique<NoteRanges>(text_);
  }

 private:
  PassText& text_;
};

// With ranges. What the source has of errors, `diagnostics` tells, if it is given.
PassText parsed(const std::string& path, const std::vector<std::string>& arguments,
                const std::string& arch, nlohmann::json* diagnostics) {
  PassText text;
  nlohmann::json messages = nlohmann::json::array();
  JsonDiagnostics consumer(messages);
  if (const auto compiler = compiler_of(unit_of(path, arguments, arch), consumer)) {
    Parse action(text);
    compiler->ExecuteAction(action);
    compiler->getDiagnostics().setClient(new clang::IgnoringDiagConsumer, true);
  }
  for (nlohmann::json& row : messages) {
    if (diagnostics == nullptr || (row["severity"] != "error" && row["severity"] != "fatal")) {
      continue;
    }
    row["message"] = fmt::format("{}: {}", arch, row["message"].get<std::string>());
    diagnostics->push_back(std::move(row));
  }
  return text;
}

// The name that a line of predefines defines; "" if it defines none.
std::string defined_name(const std::string& line) {
  constexpr std::string_view kDefine = "#define ";
  if (!line.starts_with(kDefine)) return "";
  return line.substr(kDefine.size(), line.find_first_of(" (", kDefine.size()) - kDefine.size());
}

}  // namespace

GpuText read_gpu_text(const std::string& path, const std::vector<std::string>& arguments,
                      const std::string& arch) {
  GpuText gpu{.arch = arch, .predefines = {}, .text = {}, .inputs = {}};
  clang::IgnoringDiagConsumer consumer;
  if (const auto compiler = compiler_of(unit_of(path, arguments, arch), consumer)) {
    Preprocess action(gpu);
    compiler->ExecuteAction(action);
  }
  return gpu;
}

std::string missing_macros(const std::string& predefines, const std::string& gpu_predefines) {
  std::set<std::string> known{"__amdgcn_processor__", "__amdgcn_target_id__"};
  std::istringstream lines(predefines), gpu_lines(gpu_predefines);
  for (std::string line; std::getline(lines, line);) known.insert(defined_name(line));
  std::string missing;
  for (std::string line; std::getline(gpu_lines, line);) {
    const std::string name = defined_name(line);
    if (!name.empty() && !known.contains(name)) missing += line + '\n';
  }
  return missing;
}

bool hold_to_gpu(const std::string& path, const std::vector<std::string>& arguments,
                 const PassText& executor, const GpuText& gpu, nlohmann::json& diagnostics) {
  if (same_tokens(executor, gpu.text)) return true;
  const size_t num_errors = diagnostics.size();
  const PassText text = parsed(path, arguments, gpu.arch, &diagnostics);
  if (diagnostics.size() > num_errors) return false;
  const auto difference =
      first_difference(text, "on " + gpu.arch, executor, "in what the executor runs");
  if (!difference) return true;
  diagnostics.push_back(
      {{"severity", "error"},
       {"file", difference->file},
       {"line", difference->line},
       {"column", 1},
       {"message", difference->message + ": the code verified would not be the code that the GPU "
                                         "gets; write it for both in the same words"}});
  return false;
}

nlohmann::json other_archs(const std::string& path, const std::vector<std::string>& arguments,
                           const GpuText& gpu, std::set<std::string>& inputs) {
  nlohmann::json others = nlohmann::json::array();
  for (const char* const arch : kGpuArchs) {
    if (arch == gpu.arch) continue;
    const GpuText other = read_gpu_text(path, arguments, arch);
    inputs.insert(other.inputs.begin(), other.inputs.end());
    if (same_tokens(gpu.text, other.text)) continue;
    const auto difference =
        first_difference(parsed(path, arguments, gpu.arch, nullptr), "on " + gpu.arch,
                         parsed(path, arguments, arch, nullptr), std::string("on ") + arch);
    if (!difference) continue;
    others.push_back({{"arch", arch},
                      {"file", difference->file},
                      {"line", difference->line},
                      {"message", difference->message}});
  }
  return others;
}

}  // namespace ambidex
