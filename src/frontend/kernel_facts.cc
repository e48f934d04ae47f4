// SPDX-License-Identifier: Apache-2.0
#include "frontend/kernel_facts.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/word_list.h"
#include "frontend/memory_scopes.h"
#include "frontend/small_arithmetic.h"
#include "port/trace.h"

namespace ambidex {
namespace {

using clang::dyn_cast;
using clang::QualType;

struct NamedElement {
  std::string_view type;
  std::string_view element;
};

// Types of CUDA's headers by their canonical names.
constexpr std::array<NamedElement, 12> kElementsOfRecords{{{"__half", "f16"},
                                                           {"__half2", "f16"},
                                                           {"__nv_bfloat16", "bf16"},
                                                           {"__nv_bfloat162", "bf16"},
                                                           {"__nv_fp8_e4m3", "fp8_e4m3"},
                                                           {"__nv_fp8_e5m2", "fp8_e5m2"},
                                                           {"float2", "f32"},
                                                           {"float3", "f32"},
                                                           {"float4", "f32"},
                                                           {"double2", "f64"},
                                                           {"int2", "i32"},
                                                           {"int4", "i32"}}};

std::string element_of_record(const clang::RecordDecl& record, const clang::ASTContext& ast);

std::string element_of(QualType type, const clang::ASTContext& ast) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto* array = ast.getAsArrayType(type)) return element_of(array->getElementType(), ast);
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float)) return "f32";
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double)) return "f64";
  if (type->isSpecificBuiltinType(clang::BuiltinType::Half) || type->isFloat16Type()) return "f16";
  if (type->isSpecificBuiltinType(clang::BuiltinType::BFloat16)) return "bf16";
  if (type->isIntegralOrEnumerationType()) {
    const std::string bits = std::to_string(ast.getTypeSize(type));
    return (type->isUnsignedIntegerOrEnumerationType() ? "u" : "i") + bits;
  }
  if (const auto* record = type->getAsRecordDecl()) return element_of_record(*record, ast);
  return "bytes";
}

// A struct whose fields are all of one element is an array of it (float4, complex numbers).
std::string element_of_record(const clang::RecordDecl& record, const clang::ASTContext& ast) {
  for (const NamedElement& named : kElementsOfRecords) {
    if (record.getNameAsString() == named.type) return std::string(named.element);
  }
  std::string all;
  for (const clang::FieldDecl* field : record.fields()) {
    const std::string element = element_of(field->getType(), ast);
    if (!all.empty() && element != all) return "bytes";
    all = element;
  }
  return all.empty() ? "bytes" : all;
}

bool holds_pointer(QualType type) {
  if (type->isPointerType() || type->isReferenceType()) return true;
  const auto* record = type->getAsRecordDecl();
  if (!record || !record->getDefinition()) return false;
  for (const clang::FieldDecl* field : record->getDefinition()->fields()) {
    if (holds_pointer(field->getType().getCanonicalType())) return true;
  }
  return false;
}

std::string kind_of(QualType type) {
  if (type->isPointerType()) return "pointer";
  if (type->isRecordType()) return holds_pointer(type) ? "array_struct" : "struct";
  return "scalar";
}

// Bytes of a value that hold something.
void mark(QualType type, int64_t at, const clang::ASTContext& ast, std::vector<bool>& held) {
  const int64_t num_bytes = ast.getTypeSizeInChars(type).getQuantity();
  const auto* record = type->getAsRecordDecl();
  if (const auto* array = ast.getAsConstantArrayType(type)) {
    const QualType element = array->getElementType();
    const int64_t stride = ast.getTypeSizeInChars(element).getQuantity();
    for (int64_t i = 0; stride > 0 && i < num_bytes / stride; ++i) {
      mark(element, at + i * stride, ast, held);
    }
  } else if (record == nullptr || record->isUnion() || !record->getDefinition()) {
    const int64_t end = std::min<int64_t>(at + num_bytes, std::ssize(held));  // of bit fields
    for (int64_t i = at; i < end; ++i) held[static_cast<size_t>(i)] = true;
  } else {
    const clang::ASTRecordLayout& layout = ast.getASTRecordLayout(record);
    if (const auto* derived = dyn_cast<clang::CXXRecordDecl>(record)) {
      for (const clang::CXXBaseSpecifier& base : derived->bases()) {
        const auto* parent = base.getType()->getAsCXXRecordDecl();
        if (base.isVirtual() || parent->isEmpty()) continue;
        mark(base.getType(), at + layout.getBaseClassOffset(parent).getQuantity(), ast, held);
      }
    }
    for (const clang::FieldDecl* field : record->fields()) {
      const auto offset = static_cast<int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8);
      mark(field->getType(), at + offset, ast, held);
    }
  }
}

// [begin, end) of the bytes that hold nothing, which a copy may leave out.
nlohmann::json padding_of(QualType type, const clang::ASTContext& ast) {
  constexpr int64_t kMostBytes = 4096;
  nlohmann::json ranges = nlohmann::json::array();
  if (!type->isRecordType() || type->isIncompleteType()) return ranges;
  const int64_t num_bytes = ast.getTypeSizeInChars(type).getQuantity();
  if (num_bytes > kMostBytes) return ranges;
  std::vector<bool> held(static_cast<size_t>(num_bytes));
  mark(type, 0, ast, held);
  for (int64_t i = 0; i < num_bytes; ++i) {
    if (held[static_cast<size_t>(i)]) continue;
    if (!ranges.empty() && ranges.back()[1] == i) {
      ranges.back()[1] = i + 1;
    } else {
      ranges.push_back({i, i + 1});
    }
  }
  return ranges;
}

nlohmann::json parameter_facts(const clang::ParmVarDecl& parameter, const clang::ASTContext& ast) {
  const QualType type = parameter.getType().getCanonicalType();
  const QualType pointee = type->isPointerType() ? type->getPointeeType() : type;
  return {{"name", parameter.getNameAsString()},
          {"type", parameter.getType().getAsString(ast.getPrintingPolicy())},
          {"kind", kind_of(type)},
          {"element", element_of(pointee, ast)},
          {"pointee_bytes", pointee->isIncompleteType() || pointee->isFunctionType()
                                ? int64_t{0}
                                : ast.getTypeSizeInChars(pointee).getQuantity()},
          {"padding", padding_of(pointee, ast)},
          {"num_bytes", ast.getTypeSizeInChars(type).getQuantity()},
          {"constant", pointee.isConstQualified() || !type->isPointerType()}};
}

// Everything that a kernel executes: its own body and those of the device functions that it calls.
class Body : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit Body(const clang::ASTContext& ast) : scopes(ast), ast_(ast) {}

  void add(const clang::FunctionDecl& function) {
    const clang::FunctionDecl* definition = nullptr;
    if (!function.hasBody(definition) || !seen_.insert(definition).second) return;
    if (is_of_our_headers(*definition) || is_of_port(*definition)) return;
    functions.push_back(definition);
    TraverseStmt(definition->getBody());
  }

  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    if (!callee) return true;
    small_arithmetic = small_arithmetic || is_small_arithmetic(*call, *callee);
    if (const auto* identifier = callee->getIdentifier()) {
      note_call(*call, identifier->getName());
      scopes.note_call(*call, identifier->getName());
    }
    add(*callee);
    return true;
  }

  bool VisitAtomicExpr(clang::AtomicExpr* atomic) override {
    scopes.note_atomic(*atomic);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->hasAttr<clang::CUDASharedAttr>()) {
      const std::string element = element_of(variable->getType(), ast_);
      reorders |= element[0] == 'f' || element == "bf16" || element == "u8" || element == "i8";
    }
    return true;
  }

  bool VisitGCCAsmStmt(clang::GCCAsmStmt* statement) override {
    const std::string text = statement->getAsmString();
    approximates |= text.find(".approx") != std::string::npos;
    small_arithmetic |= is_small_assembly(text);
    scopes.note_assembly(text);
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    if (!operation->isComparisonOp()) return true;
    if (operation->isEqualityOp()) {
      note_choice(*operation->getLHS(), *operation->getRHS());
      note_choice(*operation->getRHS(), *operation->getLHS());
    }
    for (const clang::Expr* side : {operation->getLHS(), operation->getRHS()}) {
      clang::Expr::EvalResult result;
      if (side->isValueDependent() || !side->getType()->isIntegerType()) continue;
      if (!side->EvaluateAsInt(result, ast_)) continue;
      const llvm::APSInt value = result.Val.getInt();
      if (value.isRepresentableByInt64()) compared.insert(value.getExtValue());
    }
    return true;
  }

  bool VisitSwitchStmt(clang::SwitchStmt* statement) override {
    for (const clang::SwitchCase* at = statement->getSwitchCaseList(); at != nullptr;
         at = at->getNextSwitchCase()) {
      const auto* one = clang::dyn_cast<clang::CaseStmt>(at);
      if (one != nullptr) note_choice(*statement->getCond(), *one->getLHS());
    }
    return true;
  }

  // Of an argument: if (flag).
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
    const bool tested =
        cast->getCastKind() == clang::CK_IntegralToBoolean ||
        (cast->getCastKind() == clang::CK_LValueToRValue && cast->getType()->isBooleanType());
    const std::string name = tested ? argument_of(*cast) : "";
    if (!name.empty()) choices[name].insert({0, 1});
    return true;
  }

  bool VisitStmt(clang::Stmt* statement) override {
    if (clang::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(statement)) {
      const clang::SourceManager& sources = ast_.getSourceManager();
      loops.push_back({sources.getExpansionLineNumber(statement->getBeginLoc()),
                       sources.getExpansionLineNumber(statement->getEndLoc())});
    }
    return true;
  }

  std::set<int64_t> compared;                        // constants of the code's decisions
  std::map<std::string, std::set<int64_t>> choices;  // of the kernel's arguments: mode == 2
  bool reorders = false;
  bool approximates = false;
  bool small_arithmetic = false;  // in half or bfloat16
  MemoryScopes scopes;
  std::vector<std::array<unsigned, 2>> loops;
  std::vector<const clang::FunctionDecl*> functions;

 private:
  // The kernel's parameter that the expression is; "" if it is another.
  std::string argument_of(const clang::Expr& expression) const {
    const auto* named = clang::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenCasts());
    const auto* parameter =
        named == nullptr ? nullptr : clang::dyn_cast<clang::ParmVarDecl>(named->getDecl());
    const bool own = parameter != nullptr && !functions.empty() &&
                     parameter->getDeclContext() == functions.front();
    return own ? parameter->getNameAsString() : "";
  }

  void note_choice(const clang::Expr& argument, const clang::Expr& constant) {
    const std::string name = argument_of(argument);
    clang::Expr::EvalResult result;
    if (name.empty() || constant.isValueDependent() || !constant.getType()->isIntegerType() ||
        !constant.EvaluateAsInt(result, ast_)) {
      return;
    }
    const llvm::APSInt value = result.Val.getInt();
    if (value.isRepresentableByInt64()) choices[name].insert(value.getExtValue());
  }

  void note_call(const clang::CallExpr& call, llvm::StringRef name) {
    const QualType type = call.getType().getCanonicalType();
    const bool floating = element_of(type, ast_)[0] == 'f' || element_of(type, ast_) == "bf16";
    if (floating && has_any(name, {"shfl", "atomic", "reduce", "Sum", "Reduce", "scan"})) {
      reorders = true;
    }
    if (has_any(name, {"mma_sync", "BlockReduce", "WarpReduce"})) reorders = true;
    if (name.starts_with("__") &&
        has_any(name, {"expf", "logf", "sinf", "cosf", "powf", "tanf", "exp10f", "log2f", "log10f",
                       "fdividef", "frcp", "fsqrt", "frsqrt", "tanhf"})) {
      approximates = true;
    }
    if (floating && has_any(name, {"exp", "log", "sin", "cos", "pow", "tan", "erf", "rsqrt", "cbrt",
                                   "gamma", "bessel", "norm", "hypot", "sigmoid", "gelu"})) {
      approximates = true;
    }
    if (name.contains("sincos")) approximates = true;  // its results are behind pointers
  }

  const clang::ASTContext& ast_;
  std::set<const clang::FunctionDecl*> seen_;
};

nlohmann::json place(const clang::FunctionDecl& function, const clang::SourceManager& sources) {
  return {{"name", function.getQualifiedNameAsString()},
          {"file", sources.getFilename(sources.getExpansionLoc(function.getLocation())).str()},
          {"line", sources.getExpansionLineNumber(function.getBeginLoc())},
          {"end_line", sources.getExpansionLineNumber(function.getEndLoc())}};
}

// Of CUDA's __launch_bounds__ or of HIP's; 0 if it has none.
int64_t max_threads(const clang::FunctionDecl& kernel, const clang::ASTContext& ast) {
  const clang::Expr* most = nullptr;
  if (const auto* bounds = kernel.getAttr<clang::CUDALaunchBoundsAttr>()) {
    most = bounds->getMaxThreads();
  } else if (const auto* sizes = kernel.getAttr<clang::AMDGPUFlatWorkGroupSizeAttr>()) {
    most = sizes->getMax();
  }
  clang::Expr::EvalResult result;
  if (most == nullptr || most->isValueDependent() || !most->EvaluateAsInt(result, ast)) return 0;
  return result.Val.getInt().getExtValue();
}

}  // namespace

std::string mangled_kernel(const clang::FunctionDecl& kernel) {
  const std::unique_ptr<clang::MangleContext> mangle(kernel.getASTContext().createMangleContext());
  if (!mangle->shouldMangleDeclName(&kernel)) return kernel.getNameAsString();
  std::string name;
  llvm::raw_string_ostream stream(name);
  mangle->mangleName(clang::GlobalDecl(&kernel, clang::KernelReferenceKind::Kernel), stream);
  return name;
}

nlohmann::json kernel_facts(const clang::FunctionDecl& kernel, const clang::ASTContext& ast) {
  const clang::SourceManager& sources = ast.getSourceManager();
  nlohmann::json facts = place(kernel, sources);
  const std::string mangled = mangled_kernel(kernel);
  // As traces spell it: clang itself would write reduce<128U> for reduce<128u>.
  facts["name"] = kernel_base_name(llvm::demangle(mangled));
  facts["kernel"] = mangled;
  facts["parameters"] = nlohmann::json::array();
  for (const clang::ParmVarDecl* parameter : kernel.parameters()) {
    facts["parameters"].push_back(parameter_facts(*parameter, ast));
  }
  facts["max_threads"] = max_threads(kernel, ast);
  Body body(ast);
  body.add(kernel);
  facts["reorders"] = body.reorders;
  facts["approximates"] = body.approximates;
  facts["small_arithmetic"] = body.small_arithmetic;
  facts["scopes"] = body.scopes.json();
  facts["compared"] = body.compared;
  facts["choices"] = body.choices;
  facts["loops"] = body.loops;
  facts["device_functions"] = nlohmann::json::array();
  for (const clang::FunctionDecl* function : body.functions) {
    if (function->getCanonicalDecl() != kernel.getCanonicalDecl()) {
      facts["device_functions"].push_back(place(*function, sources));
    }
  }
  return facts;
}

nlohmann::json template_facts(const clang::FunctionDecl& kernel, const clang::ASTContext& ast) {
  nlohmann::json facts = place(kernel, ast.getSourceManager());
  facts["kernel"] = facts["name"];
  facts["max_threads"] = 0;
  facts["reorders"] = facts["approximates"] = false;
  for (const char* key : {"parameters", "compared", "loops", "device_functions"}) {
    facts[key] = nlohmann::json::array();
  }
  facts["choices"] = nlohmann::json::object();
  return facts;
}

}  // namespace ambidex
