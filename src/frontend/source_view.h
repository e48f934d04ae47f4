// SPDX-License-Identifier: Apache-2.0
// What the detectors of `ambidex port scan` look at: the words of every file of the user's, with
// macro bodies and inactive branches, beside clang's tree of the branches that it took.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class Preprocessor;
class SourceLocation;
}  // namespace clang

namespace ambidex {

enum class TokenKind : uint8_t { word, number, text, character, sign, other };

struct Token {
  std::string_view text;  // as written, but digraphs as what they stand for
  int64_t first = 0;      // bytes [first, last) of SourceFile::text
  int64_t last = 0;
  TokenKind kind = TokenKind::other;
  bool directive = false;  // on a preprocessor line, macro bodies among them
  bool inactive = false;   // in a branch that clang skipped
  bool amd_only = false;   // in a branch that only HIP compiles: it is the port already
  int64_t line = 0;        // from 1
  int64_t column = 0;      // from 1
};

/// Words [first, last) of a file.
struct TokenRange {
  int64_t first = 0;
  int64_t last = 0;
};

/// A preprocessor line.
struct Directive {
  std::string_view name;  // "if", "ifdef", "define", "include", "endif", ...
  TokenRange line;        // from the '#'
  TokenRange rest;        // after the name
};

struct SourceFile {
  std::string path;  // as the user or an #include named it, without "." and ".."
  std::shared_ptr<const std::string> text;  // shared, so that the words survive a move
  std::vector<Token> tokens;                // comments left out
  std::vector<Directive> directives;
};

enum class IncludeKind : uint8_t { user, ours, system, unknown };

/// An #include that clang followed, or that led nowhere.
struct Include {
  std::string file;  // that holds the line
  int64_t line = 0;
  std::string name;  // as written, without quotes
  bool angled = false;
  IncludeKind kind = IncludeKind::unknown;
  std::string path;  // "" if unknown
};

/// A #define in a file of the user's, taken or not.
struct Macro {
  std::string name;
  size_t file = 0;  // index into SourceView::files
  int64_t line = 0;
  bool function_like = false;
  std::vector<std::string> parameters;
  TokenRange body;
};

struct ParseError {
  std::string file;
  int64_t line = 0;
  std::string message;
};

struct SourceView {
  std::vector<SourceFile> files;  // files[0] is the main file, then the user's headers
  std::vector<Include> includes;
  std::vector<Macro> macros;
  std::vector<ParseError> errors;
  bool hip = false;  // the source is HIP already
  // Clang's tree and the functions with a body that are written in `files`: patterns of templates,
  // not their instances; methods; lambdas by their call operator. Null and empty if clang was not
  // asked (a file on which it has crashed).
  clang::ASTContext* ast = nullptr;
  clang::Preprocessor* preprocessor = nullptr;
  std::vector<const clang::FunctionDecl*> functions;
};

/// The words of `text`, its preprocessor lines, and which words only HIP compiles.
SourceFile lexed(std::string path, std::string text);

/// The macros that `view.files` define.
std::vector<Macro> macros_of(const std::vector<SourceFile>& files);

/// Where a construct is written: in a macro's body if that is the user's, else where the macro is
/// used. `file` is null outside of view.files.
struct Place {
  const SourceFile* file = nullptr;
  int64_t line = 0;
  int64_t column = 0;
};
Place place_of(const SourceView& view, clang::SourceLocation location);

/// The source line, without indentation, at most 200 bytes.
std::string evidence_at(const SourceFile& file, int64_t line);

}  // namespace ambidex
