// SPDX-License-Identifier: Apache-2.0
#include "frontend/memory_scopes.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

#include "base/word_list.h"

namespace ambidex {
namespace {

// HIP's __HIP_MEMORY_SCOPE_*: single thread, wavefront, workgroup, agent, system.
constexpr int64_t kAgentScope = 4;

std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

// Our header for the CPU has functions of its own in the place of AMD's built-in ones.
// "agent" of __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); nothing if it is another call.
std::optional<std::string> scope_of_fence(const clang::CallExpr& call, llvm::StringRef name) {
  if (name != "__ambidex_fence" || call.getNumArgs() < 2) return std::nullopt;
  const auto* scope = clang::dyn_cast<clang::StringLiteral>(call.getArg(1)->IgnoreParenCasts());
  return scope == nullptr ? std::nullopt : std::optional(scope->getString().str());
}

// Of CUDA, HIP or the port's header.
bool is_ordered_access(std::string_view name) {
  constexpr std::array<std::string_view, 10> kBegins{
      "atomic",     "unsafeAtomic", "atom_",      "red_",       "ld_acquire",
      "ld_relaxed", "ld_volatile",  "st_release", "st_relaxed", "st_volatile"};
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

bool MemoryScopes::is_shared(const clang::Expr& address) const {
  const clang::Expr* at = address.IgnoreParenCasts();
  while (true) {
    if (const auto* of = clang::dyn_cast<clang::UnaryOperator>(at)) {
      at = of->getSubExpr()->IgnoreParenCasts();
    } else if (const auto* element = clang::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      at = element->getBase()->IgnoreParenCasts();
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(at)) {
      at = member->getBase()->IgnoreParenCasts();
    } else if (const auto* sum = clang::dyn_cast<clang::BinaryOperator>(at)) {
      at = sum->getLHS()->IgnoreParenCasts();
    } else {
      break;
    }
  }
  const auto* named = clang::dyn_cast<clang::DeclRefExpr>(at);
  return named != nullptr && named->getDecl()->hasAttr<clang::CUDASharedAttr>();
}

void MemoryScopes::note_call(const clang::CallExpr& call, llvm::StringRef name) {
  const std::optional<std::string> fence = scope_of_fence(call, name);
  const bool is_system =
      is_any(view(name), {"__threadfence_system", "fence_acq_rel_sys", "st_release_sys",
                          "ld_acquire_sys", "red_add_release_sys"}) ||
      (fence && fence->empty());
  const bool is_device = is_any(view(name), {"__threadfence", "fence_acq_rel_gpu", "st_release_gpu",
                                             "ld_acquire_gpu", "red_add_release_gpu"}) ||
                         (fence && *fence == "agent");
  const bool is_bare = is_any(view(name), {"__ambidex_s_barrier", "__ambidex_wave_barrier"});
  if (is_bare) bare_barriers_.push_back(line_of(call));
  num_block_fences_ += fence.has_value() || name.starts_with("__threadfence");
  num_atomics_ += is_ordered_access(view(name));
  num_system_fences_ += is_system;
  num_fences_ += is_system || is_device;
  const bool is_block_atomic = name.starts_with("atomic") && name.ends_with("_block");
  if (is_block_atomic && call.getNumArgs() > 0 && !is_shared(*call.getArg(0))) {
    block_atomics_.push_back(line_of(call));
  }
}

void MemoryScopes::note_atomic(const clang::AtomicExpr& atomic) {
  ++num_atomics_;
  clang::Expr::EvalResult order, scope;
  const auto is_known = [&](const clang::Expr* value, clang::Expr::EvalResult& result) {
    return value != nullptr && !value->isValueDependent() && value->EvaluateAsInt(result, ast_);
  };
  if (!atomic.getScopeModel() || !is_known(atomic.getScope(), scope)) return;
  const int64_t reach = scope.Val.getInt().getExtValue();
  if (reach < kAgentScope) {
    if (!is_shared(*atomic.getPtr())) {
      block_atomics_.push_back(line_of(atomic));
    }
    return;
  }
  const bool orders = is_known(atomic.getOrder(), order) && order.Val.getInt() != 0;  // relaxed
  num_fences_ += orders;
  num_system_fences_ += orders && reach > kAgentScope;
}

void MemoryScopes::note_assembly(llvm::StringRef text) {
  for (const char* word : {"atom.", "red.", "ld.acquire", "ld.relaxed", "st.release"}) {
    num_atomics_ += static_cast<int>(text.count(word));
  }
}

unsigned MemoryScopes::line_of(const clang::Expr& expression) const {
  return ast_.getSourceManager().getExpansionLineNumber(expression.getBeginLoc());
}

nlohmann::json MemoryScopes::json() const {
  const bool are_fenced = std::ssize(bare_barriers_) <= num_block_fences_;
  return {{"fences", num_fences_},
          {"atomics", num_atomics_},
          {"bare_barriers", are_fenced ? nlohmann::json::array() : bare_barriers_},
          {"system_fences", num_system_fences_},
          {"block_atomics", block_atomics_}};
}

}  // namespace ambidex
