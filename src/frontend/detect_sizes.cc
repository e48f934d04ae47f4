// SPDX-License-Identifier: Apache-2.0
// R01, N23: sizes that only clang's types tell: shared arrays of structs, those of a template's
// instances, and kernel arguments.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

#include "frontend/detector.h"

namespace ambidex {
namespace {

constexpr int64_t kLdsBytes = 65536;      // gfx942
constexpr int64_t kArgumentBytes = 4096;  // what every CUDA version takes

std::optional<int64_t> bytes_of(const clang::ASTContext& context, clang::QualType type) {
  if (type.isNull() || type->isDependentType() || type->isIncompleteType()) return std::nullopt;
  if (type->isReferenceType()) return std::nullopt;
  return context.getTypeSizeInChars(type).getQuantity();
}

void add(const SourceView& view, clang::SourceLocation location, Finding finding,
         std::vector<Finding>& findings) {
  const Place place = place_of(view, location);
  if (place.file == nullptr) return;
  finding.file = place.file->path;
  finding.line = place.line;
  finding.column = place.column;
  finding.evidence = evidence_at(*place.file, place.line);
  findings.push_back(std::move(finding));
}

void look_at_arguments(const SourceView& view, const clang::FunctionDecl& kernel,
                       std::vector<Finding>& findings) {
  int64_t total = 0;
  for (const clang::ParmVarDecl* parameter : kernel.parameters()) {
    total += bytes_of(*view.ast, parameter->getType()).value_or(0);
  }
  if (total <= kArgumentBytes) return;
  add(view, kernel.getLocation(),
      {.id = "N23",
       .severity = Severity::s2,
       .message = fmt::format("{} bytes of kernel arguments; more than 4096 may not fit into a "
                              "launch on AMD: pass a pointer",
                              total),
       .fix = FixKind::none},
      findings);
}

void look_at_shared(const SourceView& view, const clang::FunctionDecl& function,
                    std::vector<Finding>& findings) {
  int64_t total = 0;
  for (const clang::Decl* decl : function.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(decl);
    if (variable == nullptr || !variable->hasAttr<clang::CUDASharedAttr>()) continue;
    if (variable->hasExternalStorage()) continue;
    const int64_t before = total;
    total += bytes_of(*view.ast, variable->getType()).value_or(0);
    if (total <= kLdsBytes || before > kLdsBytes) continue;
    add(view, variable->getLocation(),
        {.id = "R01",
         .severity = Severity::s2,
         .message = fmt::format("{} bytes of static shared memory; the limit is 65,536 on gfx942 "
                                "and 163,840 on gfx950: does not compile; use smaller tiles",
                                total),
         .fix = FixKind::agent},
        findings);
  }
}

}  // namespace

void detect_sizes(const SourceView& view, std::vector<Finding>& findings) {
  if (view.ast == nullptr) return;
  for (const clang::FunctionDecl* function : view.functions) {
    if (function->hasAttr<clang::CUDAGlobalAttr>()) look_at_arguments(view, *function, findings);
    look_at_shared(view, *function, findings);
    const clang::FunctionTemplateDecl* const pattern = function->getDescribedFunctionTemplate();
    if (pattern == nullptr) continue;
    for (const clang::FunctionDecl* instance : pattern->specializations()) {
      if (instance->hasAttr<clang::CUDAGlobalAttr>()) look_at_arguments(view, *instance, findings);
      look_at_shared(view, *instance, findings);
    }
  }
}

}  // namespace ambidex
