// SPDX-License-Identifier: Apache-2.0
// What clang says of a source, as JSON.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <nlohmann/json.hpp>

namespace ambidex {

/// Appends {severity, file, line, column, message} to an array that it does not own. severity is
/// note, remark, warning, error or fatal.
class JsonDiagnostics : public clang::DiagnosticConsumer {
 public:
  explicit JsonDiagnostics(nlohmann::json& list) : list_(list) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override;

 private:
  nlohmann::json& list_;
};

}  // namespace ambidex
