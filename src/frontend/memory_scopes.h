// SPDX-License-Identifier: Apache-2.0
// Fences and atomics of device code by how far they reach. An executor without caches shows no
// difference; a GPU does.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <nlohmann/json.hpp>

namespace ambidex {

class MemoryScopes {
 public:
  explicit MemoryScopes(const clang::ASTContext& ast) : ast_(ast) {}

  void note_call(const clang::CallExpr& call, llvm::StringRef name);
  void note_atomic(const clang::AtomicExpr& atomic);
  void note_assembly(llvm::StringRef text);

  /// {"fences": of the device's or the system's scope, "system_fences", "atomics", "bare_barriers":
  /// [line], "block_atomics": [line]}
  ///   atomics        operations and ordered loads and stores, by where they stand
  ///   bare_barriers  AMD's instructions, which order no memory, beyond one for each fence
  ///   block_atomics  that reach their own block or less, on what is not seen to be shared memory
  nlohmann::json json() const;

 private:
  unsigned line_of(const clang::Expr& expression) const;
  bool is_shared(const clang::Expr& address) const;

  const clang::ASTContext& ast_;
  int num_fences_ = 0, num_system_fences_ = 0, num_block_fences_ = 0, num_atomics_ = 0;
  nlohmann::json bare_barriers_ = nlohmann::json::array();
  nlohmann::json block_atomics_ = nlohmann::json::array();
};

}  // namespace ambidex
