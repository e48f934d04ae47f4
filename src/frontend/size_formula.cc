// SPDX-License-Identifier: Apache-2.0
#include "frontend/size_formula.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <array>

namespace ambidex {
namespace {

using clang::dyn_cast;
using Formula = std::optional<std::string>;

// Values of a called function's parameters; `caller` is where their expressions are read.
struct Scope {
  const SizeNames* names;
  std::map<const clang::ValueDecl*, std::string> bound;
  int depth = 0;
};

constexpr int kMaxDepth = 24;

Formula formula_of(const clang::Expr& expression, const Scope& scope);

Formula constant_of(const clang::Expr& expression, const Scope& scope) {
  clang::Expr::EvalResult result;
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType() ||
      !expression.EvaluateAsInt(result, *scope.names->ast)) {
    return std::nullopt;
  }
  const std::string digits = llvm::toString(result.Val.getInt(), 10);
  return digits.starts_with('-') ? "(" + digits + ")" : digits;
}

Formula two(std::string_view between, const clang::Expr& a, const clang::Expr& b,
            const Scope& scope) {
  const Formula left = formula_of(a, scope), right = formula_of(b, scope);
  if (!left || !right) return std::nullopt;
  return "(" + *left + " " + std::string(between) + " " + *right + ")";
}

Formula of_variable(const clang::ValueDecl& declaration, const Scope& scope) {
  const auto* canonical = dyn_cast<clang::ValueDecl>(declaration.getCanonicalDecl());
  if (const auto found = scope.bound.find(canonical); found != scope.bound.end()) {
    return found->second;
  }
  if (const auto found = scope.names->parameters.find(canonical);
      found != scope.names->parameters.end()) {
    return found->second;
  }
  const auto* variable = dyn_cast<clang::VarDecl>(&declaration);
  if (!variable || !variable->getInit() || scope.names->reassigned.contains(canonical)) {
    return std::nullopt;
  }
  return formula_of(*variable->getInit(), scope);
}

const clang::Expr& bare(const clang::Expr& expression) {
  return *expression.IgnoreParenCasts()->IgnoreImplicit()->IgnoreParenCasts();
}

// ceil((float)a / b), the usual way of people who come from Python.
Formula rounded_up(const clang::Expr& argument, const Scope& scope) {
  const auto* division = dyn_cast<clang::BinaryOperator>(&bare(argument));
  if (!division || division->getOpcode() != clang::BO_Div) return std::nullopt;
  const Formula a = formula_of(*division->getLHS(), scope);
  const Formula b = formula_of(*division->getRHS(), scope);
  if (!a || !b) return std::nullopt;
  return "((" + *a + " + " + *b + " - 1) / " + *b + ")";
}

// The one returned expression of a small function such as div_up(n, 256).
const clang::Expr* returned(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  if (!function.hasBody(definition)) return nullptr;
  const auto* body = dyn_cast<clang::CompoundStmt>(definition->getBody());
  if (!body || body->size() != 1) return nullptr;
  const auto* statement = dyn_cast<clang::ReturnStmt>(body->body_front());
  return statement ? statement->getRetValue() : nullptr;
}

Formula of_call(const clang::CallExpr& call, const Scope& scope) {
  const clang::FunctionDecl* const function = call.getDirectCallee();
  if (!function || !function->getIdentifier()) return std::nullopt;
  const llvm::StringRef name = function->getName();
  if ((name == "ceil" || name == "ceilf") && call.getNumArgs() == 1) {
    return rounded_up(*call.getArg(0), scope);
  }
  if ((name == "min" || name == "max") && call.getNumArgs() == 2) {
    const Formula a = formula_of(*call.getArg(0), scope), b = formula_of(*call.getArg(1), scope);
    if (!a || !b) return std::nullopt;
    return name.str() + "(" + *a + ", " + *b + ")";
  }
  const clang::Expr* const value = returned(*function);
  if (!value) return std::nullopt;
  const clang::FunctionDecl* definition = function->getDefinition();
  Scope inner{.names = scope.names, .bound = {}, .depth = scope.depth + 1};
  for (unsigned i = 0; i < call.getNumArgs() && i < definition->getNumParams(); ++i) {
    const Formula argument = formula_of(*call.getArg(i), scope);
    if (argument) inner.bound.emplace(definition->getParamDecl(i)->getCanonicalDecl(), *argument);
  }
  return formula_of(*value, inner);
}

Formula of_binary(const clang::BinaryOperator& operation, const Scope& scope) {
  switch (operation.getOpcode()) {
    case clang::BO_Add:
    case clang::BO_Sub:
    case clang::BO_Mul:
    case clang::BO_Div:
    case clang::BO_Rem:
    case clang::BO_Shl:
    case clang::BO_Shr:
    case clang::BO_LT:
    case clang::BO_GT:
    case clang::BO_LE:
    case clang::BO_GE:
    case clang::BO_EQ:
    case clang::BO_NE:
    case clang::BO_LAnd:
    case clang::BO_LOr:
      return two(operation.getOpcodeStr().str(), *operation.getLHS(), *operation.getRHS(), scope);
    default:
      return std::nullopt;
  }
}

Formula of_conditional(const clang::ConditionalOperator& choice, const Scope& scope) {
  const Formula condition = formula_of(*choice.getCond(), scope);
  const Formula yes = formula_of(*choice.getTrueExpr(), scope);
  const Formula no = formula_of(*choice.getFalseExpr(), scope);
  if (!condition || !yes || !no) return std::nullopt;
  return "(" + *condition + " ? " + *yes + " : " + *no + ")";
}

// grid.x of a dim3 variable.
Formula of_member(const clang::MemberExpr& member, const Scope& scope) {
  const auto* base = dyn_cast<clang::DeclRefExpr>(&bare(*member.getBase()));
  if (!base || scope.depth > kMaxDepth) return std::nullopt;
  const auto sizes = dim3_formulas(*base, *scope.names);
  const std::string name = member.getMemberNameInfo().getAsString();
  if (!sizes || name.size() != 1 || name[0] < 'x' || name[0] > 'z') return std::nullopt;
  return (*sizes)[static_cast<size_t>(name[0] - 'x')];
}

Formula formula_of(const clang::Expr& expression, const Scope& outer) {
  if (outer.depth > kMaxDepth) return std::nullopt;
  Scope scope = outer;
  ++scope.depth;
  const clang::Expr& value = bare(expression);
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(&value)) {
    if (const Formula found = of_variable(*reference->getDecl(), scope)) return found;
  }
  if (const Formula constant = constant_of(value, scope)) return constant;
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&value))
    return of_binary(*binary, scope);
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&value)) {
    return of_conditional(*choice, scope);
  }
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(&value);
      unary && unary->getOpcode() == clang::UO_Minus) {
    const Formula inner = formula_of(*unary->getSubExpr(), scope);
    return inner ? Formula("(-" + *inner + ")") : std::nullopt;
  }
  if (const auto* member = dyn_cast<clang::MemberExpr>(&value)) return of_member(*member, scope);
  if (const auto* call = dyn_cast<clang::CallExpr>(&value)) return of_call(*call, scope);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> size_formula(const clang::Expr& expression, const SizeNames& names) {
  return formula_of(expression, {.names = &names, .bound = {}});
}

std::optional<std::array<std::string, 3>> dim3_formulas(const clang::Expr& expression,
                                                        const SizeNames& names) {
  const clang::Expr* value = &bare(expression);
  for (int step = 0; step < kMaxDepth; ++step) {  // through copies and variables to a constructor
    const auto* reference = dyn_cast<clang::DeclRefExpr>(value);
    const auto* construct = dyn_cast<clang::CXXConstructExpr>(value);
    const bool copies = construct && construct->getConstructor()->isCopyOrMoveConstructor();
    if (copies && construct->getNumArgs() == 1) {
      value = &bare(*construct->getArg(0));
    } else if (reference && value->getType()->isRecordType()) {
      const auto* variable = dyn_cast<clang::VarDecl>(reference->getDecl());
      if (!variable || !variable->getInit() ||
          names.reassigned.contains(dyn_cast<clang::ValueDecl>(variable->getCanonicalDecl()))) {
        return std::nullopt;
      }
      value = &bare(*variable->getInit());
    } else {
      break;
    }
  }
  std::array<std::string, 3> sizes{"1", "1", "1"};
  const auto* construct = dyn_cast<clang::CXXConstructExpr>(value);
  const unsigned count = construct ? construct->getNumArgs() : 1;
  for (unsigned i = 0; i < count && i < 3; ++i) {
    const clang::Expr& size = construct ? *construct->getArg(i) : *value;
    const auto formula = size_formula(size, names);
    if (!formula) return std::nullopt;
    sizes[i] = *formula;
  }
  return sizes;
}

}  // namespace ambidex
