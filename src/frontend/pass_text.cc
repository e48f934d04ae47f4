// SPDX-License-Identifier: Apache-2.0
#include "frontend/pass_text.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "frontend/headers.h"

namespace ambidex {
namespace {

bool is_below(llvm::StringRef path, std::initializer_list<const char*> folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const char* folder) { return path.starts_with(folder); });
}

// The compiler names some of them by a way up from where it is, over links:
// "/../lib/gcc/x86_64-linux-gnu/12/../../../../include".
bool is_system(llvm::StringRef path) {
  llvm::SmallString<256> name;
  if (llvm::sys::fs::real_path(path, name)) name = path;  // of our headers, which are no files
  return is_below(name,
                  {"/usr/include/", "/usr/lib/", "/usr/local/include/", AMBIDEX_CLANG_RESOURCES});
}

// A port brings copies of our headers with it.
bool is_copy_of_ours(llvm::StringRef path, llvm::StringRef contents) {
  const llvm::StringRef name = llvm::sys::path::filename(path);
  for (const EmbeddedFile& file : embedded_headers()) {
    if (llvm::sys::path::filename(file.path) == name &&
        contents == llvm::StringRef(file.contents)) {
      return true;
    }
  }
  return false;
}

bool is_ours(const clang::SourceManager& sources, clang::FileID file) {
  const auto entry = sources.getFileEntryRefForID(file);
  if (!entry) return false;  // what the compiler predefines
  const llvm::StringRef path = entry->getName();
  return is_header_of_ours(path) || is_copy_of_ours(path, sources.getBufferData(file));
}

class Reader {
 public:
  Reader(clang::Preprocessor& preprocessor, PassText& text)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()), text_(text) {}

  void add_token(const clang::Token& token) {
    if (token.isAnnotation() || token.is(clang::tok::eof)) return;
    const auto place = place_of(token.getLocation());
    if (!place) return;
    if (token.getLocation().isMacroID() &&
        kind_of(sources_.getFileID(sources_.getSpellingLoc(token.getLocation()))).ours) {
      add_builtin(token.getLocation(), *place);
      return;
    }
    text_.tokens.push_back({preprocessor_.getSpelling(token), *place});
  }

  // The words of its line; names in it that are macros show wherever else they are used.
  void add_pragma(clang::SourceLocation location) {
    const auto place = place_of(location);
    if (!place) return;
    const clang::SourceLocation at = sources_.getExpansionLoc(location);
    const llvm::StringRef rest =
        sources_.getBufferData(sources_.getFileID(at)).drop_front(sources_.getFileOffset(at));
    text_.tokens.push_back(
        {rest.take_until([](char c) { return c == '\n'; }).rtrim().str(), *place});
  }

  void add_condition(clang::SourceLocation location, bool value) {
    if (const auto place = place_of(location)) {
      text_.conditions.push_back({*place, value, text_.tokens.size()});
    }
  }

 private:
  // For the executor our headers give the GPU's builtins other names.
  void add_builtin(clang::SourceLocation location, const TextPlace& place) {
    if (!sources_.isAtStartOfImmediateMacroExpansion(location)) return;
    const llvm::StringRef macro =
        clang::Lexer::getImmediateMacroName(location, sources_, preprocessor_.getLangOpts());
    if (macro.starts_with("__builtin_")) text_.tokens.push_back({macro.str(), place});
  }

  struct Kind {
    bool ours = false;
    std::optional<uint32_t> index;  // of a file of the user's
  };

  const Kind& kind_of(clang::FileID file) {
    const auto [known, is_new] = kinds_.try_emplace(file);
    if (!is_new) return known->second;
    known->second.ours = is_ours(sources_, file);
    if (!is_foreign_text(sources_, file)) {
      const std::string path = sources_.getFileEntryRefForID(file)->getName().str();
      const auto [at, added] =
          indices_.try_emplace(path, static_cast<uint32_t>(text_.files.size()));
      if (added) text_.files.push_back(path);
      known->second.index = at->second;
    }
    return known->second;
  }

  std::optional<TextPlace> place_of(clang::SourceLocation location) {
    const auto [file, offset] = sources_.getDecomposedExpansionLoc(location);
    const Kind& kind = kind_of(file);
    if (!kind.index) return std::nullopt;
    return TextPlace{*kind.index, sources_.getLineNumber(file, offset), offset};
  }

  clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  PassText& text_;
  llvm::DenseMap<clang::FileID, Kind> kinds_;
  std::map<std::string, uint32_t> indices_;
};

class Callbacks : public clang::PPCallbacks {
 public:
  explicit Callbacks(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) {}
  void PragmaDirective(clang::SourceLocation location, clang::PragmaIntroducerKind) override {
    reader_->add_pragma(location);
  }
  void If(clang::SourceLocation location, clang::SourceRange, ConditionValueKind value) override {
    reader_->add_condition(location, value == CVK_True);
  }
  void Elif(clang::SourceLocation location, clang::SourceRange, ConditionValueKind value,
            clang::SourceLocation) override {
    if (value != CVK_NotEvaluated) reader_->add_condition(location, value == CVK_True);
  }
  void Ifdef(clang::SourceLocation location, const clang::Token&,
             const clang::MacroDefinition& macro) override {
    reader_->add_condition(location, static_cast<bool>(macro));
  }
  void Ifndef(clang::SourceLocation location, const clang::Token&,
              const clang::MacroDefinition& macro) override {
    reader_->add_condition(location, !macro);
  }
  void Elifdef(clang::SourceLocation location, const clang::Token&,
               const clang::MacroDefinition& macro) override {
    reader_->add_condition(location, static_cast<bool>(macro));
  }
  void Elifndef(clang::SourceLocation location, const clang::Token&,
                const clang::MacroDefinition& macro) override {
    reader_->add_condition(location, !macro);
  }

 private:
  std::shared_ptr<Reader> reader_;
};

}  // namespace

void note_text(clang::Preprocessor& preprocessor, PassText& text) {
  const auto reader = std::make_shared<Reader>(preprocessor, text);
  preprocessor.addPPCallbacks(std::make_unique<Callbacks>(reader));
  preprocessor.setTokenWatcher([reader](const clang::Token& token) { reader->add_token(token); });
}

void note_inputs(const clang::SourceManager& sources, std::set<std::string>& inputs) {
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    const std::string path = file->first.getName().str();
    if (!is_below(path, {"/usr/", kHeaderRoot})) inputs.insert(path);
  }
}

bool is_foreign_text(const clang::SourceManager& sources, clang::FileID file) {
  const auto entry = sources.getFileEntryRefForID(file);
  if (!entry) return true;
  return is_system(entry->getName()) || is_ours(sources, file);
}

bool is_foreign_file(const std::string& path) {
  if (is_system(path) || is_header_of_ours(path)) return true;
  const auto contents = llvm::MemoryBuffer::getFile(path);
  return contents && is_copy_of_ours(path, (*contents)->getBuffer());
}

}  // namespace ambidex
