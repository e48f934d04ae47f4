// SPDX-License-Identifier: Apache-2.0
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "ambidex/base.h"
#include "frontend/build_view.h"
#include "frontend/headers.h"

namespace ambidex {
namespace {

constexpr size_t kMaxErrors = 20;  // kept per file; one bad line can cause hundreds

std::string normal(llvm::StringRef path) {
  return std::filesystem::path(path.str()).lexically_normal().string();
}

// The lines between an #if that was not taken and the directive that ends it.
struct Skipped {
  clang::FileID file;
  unsigned first_line = 0;
  unsigned last_line = 0;
};

struct Preprocessed {
  std::vector<clang::FileID> files;
  std::vector<Include> includes;
  std::vector<Skipped> skipped;
};

class PreprocessorWatch : public clang::PPCallbacks {
 public:
  PreprocessorWatch(const clang::SourceManager& sources, Preprocessed& seen)
      : sources_(sources), seen_(seen) {}

  void FileChanged(clang::SourceLocation place, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind kind, clang::FileID) override {
    if (reason != EnterFile || kind != clang::SrcMgr::C_User) return;
    const clang::FileID file = sources_.getFileID(place);
    const auto entry = sources_.getFileEntryRefForID(file);
    if (entry && !is_header_of_ours(entry->getName())) seen_.files.push_back(file);
  }

  bool FileNotFound(llvm::StringRef) override { return true; }  // an empty file stands in for it

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name,
                          bool angled, clang::CharSourceRange, clang::OptionalFileEntryRef found,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    const clang::PresumedLoc place = sources_.getPresumedLoc(hash, false);
    if (place.isInvalid() || is_header_of_ours(place.getFilename()) ||
        sources_.isInSystemHeader(hash)) {
      return;
    }
    Include include{.file = normal(place.getFilename()),
                    .line = place.getLine(),
                    .name = name.str(),
                    .angled = angled};
    if (found) {
      include.path = normal(found->getName());
      include.kind = is_header_of_ours(found->getName()) ? IncludeKind::ours
                     : kind == clang::SrcMgr::C_User     ? IncludeKind::user
                                                         : IncludeKind::system;
    }
    seen_.includes.push_back(std::move(include));
  }

  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation end) override {
    seen_.skipped.push_back({sources_.getFileID(range.getBegin()),
                             sources_.getSpellingLineNumber(range.getBegin()),
                             sources_.getSpellingLineNumber(end)});
  }

 private:
  const clang::SourceManager& sources_;
  Preprocessed& seen_;
};

class FunctionVisitor : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit FunctionVisitor(SourceView& view) : view_(view) {}
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->doesThisDeclarationHaveABody() &&
        place_of(view_, function->getLocation()).file != nullptr) {
      view_.functions.push_back(function);
    }
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) override {
    if (place_of(view_, lambda->getBeginLoc()).file != nullptr) {
      view_.functions.push_back(lambda->getCallOperator());
    }
    return true;
  }

 private:
  SourceView& view_;
};

void mark_inactive(SourceFile& file, clang::FileID id, const std::vector<Skipped>& skipped) {
  for (const Skipped& lines : skipped) {
    if (lines.file != id) continue;
    for (Token& token : file.tokens) {
      if (token.line > lines.first_line && token.line < lines.last_line) token.inactive = true;
    }
  }
}

void take_files(const clang::SourceManager& sources, const Preprocessed& seen, SourceView& view) {
  for (const clang::FileID id : seen.files) {
    const std::string path = normal(sources.getFileEntryRefForID(id)->getName());
    const auto same = [&](const SourceFile& file) { return file.path == path; };
    if (std::any_of(view.files.begin(), view.files.end(), same)) continue;
    view.files.push_back(lexed(path, sources.getBufferData(id).str()));
    mark_inactive(view.files.back(), id, seen.skipped);
  }
}

class ScanConsumer : public clang::ASTConsumer {
 public:
  ScanConsumer(clang::CompilerInstance& compiler, Preprocessed& seen, SourceView& view,
               const ViewUse& use)
      : compiler_(compiler), seen_(seen), view_(view), use_(use) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    declared_.insert(declared_.end(), group.begin(), group.end());
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    take_files(compiler_.getSourceManager(), seen_, view_);
    view_.includes = std::move(seen_.includes);
    view_.macros = macros_of(view_.files);
    view_.ast = &context;
    view_.preprocessor = &compiler_.getPreprocessor();
    // Not the whole unit: that would also load all of a precompiled header. A look may load some of
    // it all the same, which adds to the list.
    FunctionVisitor visitor(view_);
    for (clang::Decl* decl : std::exchange(declared_, {})) visitor.TraverseDecl(decl);
    use_(view_);
  }

 private:
  clang::CompilerInstance& compiler_;
  std::vector<clang::Decl*> declared_;
  Preprocessed& seen_;
  SourceView& view_;
  const ViewUse& use_;
};

class ScanAction : public clang::ASTFrontendAction {
 public:
  ScanAction(SourceView& view, const ViewUse& use) : view_(view), use_(use) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<PreprocessorWatch>(compiler.getSourceManager(), seen_));
    return std::make_unique<ScanConsumer>(compiler, seen_, view_, use_);
  }

 private:
  Preprocessed seen_;
  SourceView& view_;
  const ViewUse& use_;
};

class ErrorTaker : public clang::DiagnosticConsumer {
 public:
  ErrorTaker(std::vector<ParseError>& errors, std::string main_file)
      : errors_(errors), main_file_(std::move(main_file)) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error || errors_.size() >= kMaxErrors) return;
    llvm::SmallString<256> message;
    diagnostic.FormatDiagnostic(message);
    // What clang gives no place follows from the error before it.
    ParseError error = errors_.empty() ? ParseError{main_file_, 1, ""} : errors_.back();
    error.message = message.str().str();
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
      const auto place = diagnostic.getSourceManager().getPresumedLoc(
          diagnostic.getSourceManager().getFileLoc(diagnostic.getLocation()), false);
      if (place.isValid()) {
        error.file = normal(place.getFilename());
        error.line = place.getLine();
      }
    }
    errors_.push_back(std::move(error));
  }

 private:
  std::vector<ParseError>& errors_;
  std::string main_file_;
};

}  // namespace

Place place_of(const SourceView& view, clang::SourceLocation location) {
  if (view.ast == nullptr || location.isInvalid()) return {};
  const clang::SourceManager& sources = view.ast->getSourceManager();
  for (const auto place : {sources.getSpellingLoc(location), sources.getExpansionLoc(location)}) {
    const auto entry = sources.getFileEntryRefForID(sources.getFileID(place));
    if (!entry) continue;
    const std::string path = normal(entry->getName());
    for (const SourceFile& file : view.files) {
      if (file.path != path) continue;
      return {&file, sources.getSpellingLineNumber(place), sources.getSpellingColumnNumber(place)};
    }
  }
  return {};
}

void with_view(const Unit& unit, const ViewUse& use) {
  SourceView view{.hip = unit.dialect == Dialect::hip};
  ErrorTaker errors(view.errors, normal(unit.path));
  const auto compiler = compiler_of(unit, errors);
  bool used = false;
  if (compiler) {
    compiler->getDiagnosticOpts().ShowCarets = false;  // which also says how many there were
    compiler->getDiagnostics().setErrorLimit(0);
    compiler->getDiagnostics().setFatalsAsError(true);
    ScanAction action(view, [&](SourceView& whole) {
      used = true;
      use(whole);
    });
    compiler->ExecuteAction(action);
  }
  if (used) return;
  SourceView words = view_of_words(unit);
  words.errors = std::move(view.errors);
  use(words);
}

SourceView view_of_words(const Unit& unit) {
  std::ifstream stream(unit.path, std::ios::binary);
  if (!stream) {
    throw Error(ErrorKind::bad_input, unit.path + ": cannot be read; name a readable source file");
  }
  SourceView view{.hip = unit.dialect == Dialect::hip};
  view.files.push_back(
      lexed(normal(unit.path), std::string(std::istreambuf_iterator<char>(stream), {})));
  view.macros = macros_of(view.files);
  return view;
}

}  // namespace ambidex
