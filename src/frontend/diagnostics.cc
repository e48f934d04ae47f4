// SPDX-License-Identifier: Apache-2.0
#include "frontend/diagnostics.h"

#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>

namespace ambidex {
namespace {

const char* name_of_level(clang::DiagnosticsEngine::Level level) {
  switch (level) {
    case clang::DiagnosticsEngine::Ignored:
    case clang::DiagnosticsEngine::Note:
      return "note";
    case clang::DiagnosticsEngine::Remark:
      return "remark";
    case clang::DiagnosticsEngine::Warning:
      return "warning";
    case clang::DiagnosticsEngine::Error:
      return "error";
    case clang::DiagnosticsEngine::Fatal:
      return "fatal";
  }
  return "error";
}

}  // namespace

void JsonDiagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                       const clang::Diagnostic& info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  llvm::SmallString<256> message;
  info.FormatDiagnostic(message);
  nlohmann::json row = {{"severity", name_of_level(level)},
                        {"file", ""},
                        {"line", 0},
                        {"column", 0},
                        {"message", message.str().str()}};
  if (info.getLocation().isValid() && info.hasSourceManager()) {
    const clang::PresumedLoc place = info.getSourceManager().getPresumedLoc(info.getLocation());
    if (place.isValid()) {
      row["file"] = place.getFilename();
      row["line"] = place.getLine();
      row["column"] = place.getColumn();
    }
  }
  list_.push_back(std::move(row));
}

}  // namespace ambidex
