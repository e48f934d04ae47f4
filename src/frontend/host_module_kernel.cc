// SPDX-License-Identifier: Apache-2.0
#include "frontend/host_module_kernel.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CGFunctionInfo.h>
#include <clang/CodeGen/CodeGenABITypes.h>
#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "ambidex/base.h"

namespace ambidex {
namespace {

// The values that the calling convention makes of one parameter, loaded from `memory`.
void load_parameter(llvm::IRBuilder<>& builder, const clang::CodeGen::ABIArgInfo& how,
                    llvm::Value* memory, std::vector<llvm::Value*>& values) {
  if (how.isIgnore()) return;
  if (how.isIndirect() || how.isIndirectAliased()) {
    values.push_back(memory);
    return;
  }
  check(how.isDirect() || how.isExtend(), "x86-64 passes parameters directly or in memory");
  llvm::Type* type = how.getCoerceToType();
  const auto load = [&](llvm::Type* part, uint64_t offset) {
    llvm::Value* at = builder.CreateConstGEP1_64(builder.getInt8Ty(), memory, offset);
    llvm::Type* stored = part->isIntegerTy(1) ? builder.getInt8Ty() : part;
    llvm::Value* value = builder.CreateAlignedLoad(stored, at, llvm::Align(1));
    values.push_back(part == stored ? value : builder.CreateTrunc(value, part));
  };
  auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  if (structure == nullptr || !how.isDirect() || !how.getCanBeFlattened()) {
    load(type, how.getDirectOffset());
    return;
  }
  const llvm::DataLayout& layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  const llvm::StructLayout* offsets = layout.getStructLayout(structure);
  for (unsigned part = 0; part < structure->getNumElements(); ++part) {
    load(structure->getElementType(part),
         how.getDirectOffset() + offsets->getElementOffset(part).getFixedValue());
  }
}

const clang::CodeGen::CGFunctionInfo& convention(clang::CodeGenerator& generator,
                                                 const clang::FunctionDecl& decl) {
  const clang::ASTContext& context = decl.getASTContext();
  std::vector<clang::CanQualType> types;
  for (const clang::ParmVarDecl* parameter : decl.parameters()) {
    types.push_back(context.getCanonicalParamType(parameter->getType()));
  }
  return clang::CodeGen::arrangeFreeFunctionCall(
      generator.CGM(), context.VoidTy, types,
      decl.getType()->castAs<clang::FunctionType>()->getExtInfo(),
      clang::CodeGen::RequiredArgs::All);
}

std::string class_of(const clang::QualType& type) {
  if (type->isBooleanType()) return "bool";
  if (type->isRealFloatingType()) return "float";
  if (type->isSignedIntegerOrEnumerationType()) return "int";
  if (type->isUnsignedIntegerOrEnumerationType()) return "uint";
  if (type->isPointerType() || type->isReferenceType()) return "pointer";
  if (type->isVoidType()) return "void";
  return "struct";
}

nlohmann::json describe_type(clang::QualType type, const clang::ASTContext& context) {
  type = type.getCanonicalType();
  const bool sized = !type->isIncompleteType() && !type->isFunctionType();
  return {{"type", type.getUnqualifiedType().getAsString(context.getPrintingPolicy())},
          {"class", class_of(type)},
          {"bytes", sized ? context.getTypeSizeInChars(type).getQuantity() : 0}};
}

// Pointers in a parameter, at any depth: {offset, const, element}.
void describe_pointers(clang::QualType type, int64_t offset, const clang::ASTContext& context,
                       nlohmann::json& pointers) {
  type = type.getCanonicalType();
  if (type->isAnyPointerType() || type->isReferenceType()) {
    const clang::QualType element = type->getPointeeType();
    if (element->isFunctionType()) return;
    pointers.push_back({{"offset", offset},
                        {"const", element.isConstQualified()},
                        {"element", describe_type(element, context)}});
  } else if (const auto* array = context.getAsConstantArrayType(type)) {
    const int64_t stride = context.getTypeSizeInChars(array->getElementType()).getQuantity();
    const int64_t count = std::min<int64_t>(64, array->getSize().getZExtValue());
    for (int64_t i = 0; i < count; ++i) {
      describe_pointers(array->getElementType(), offset + i * stride, context, pointers);
    }
  } else if (const auto* record = type->getAsRecordDecl()) {
    const clang::ASTRecordLayout& layout = context.getASTRecordLayout(record);
    if (const auto* derived = llvm::dyn_cast<clang::CXXRecordDecl>(record)) {
      for (const clang::CXXBaseSpecifier& base : derived->bases()) {
        if (base.isVirtual()) continue;
        const auto* decl = base.getType()->getAsCXXRecordDecl();
        describe_pointers(base.getType(), offset + layout.getBaseClassOffset(decl).getQuantity(),
                          context, pointers);
      }
    }
    for (const clang::FieldDecl* field : record->fields()) {
      const int64_t bits = static_cast<int64_t>(layout.getFieldOffset(field->getFieldIndex()));
      describe_pointers(field->getType(), offset + bits / 8, context, pointers);
    }
  }
}

nlohmann::json describe_parameters(const clang::FunctionDecl& decl,
                                   const clang::ASTContext& context) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const clang::ParmVarDecl* parameter : decl.parameters()) {
    nlohmann::json text = describe_type(parameter->getType(), context);
    text["name"] = parameter->getNameAsString();
    text["align"] = context.getTypeAlignInChars(parameter->getType()).getQuantity();
    text["pointers"] = nlohmann::json::array();
    describe_pointers(parameter->getType(), 0, context, text["pointers"]);
    parameters.push_back(std::move(text));
  }
  return parameters;
}

int64_t evaluated(const clang::Expr* expression, const clang::ASTContext& context) {
  if (expression == nullptr || expression->isValueDependent()) return 0;
  const auto value = expression->getIntegerConstantExpr(context);
  return value ? value->getExtValue() : 0;
}

}  // namespace

std::string emit_thunk(clang::CodeGenerator& generator, llvm::Function& kernel,
                       const clang::FunctionDecl& decl) {
  const clang::CodeGen::CGFunctionInfo& how = convention(generator, decl);
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* thunk = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false),
      llvm::GlobalValue::WeakODRLinkage, kernel.getName() + ".thunk", kernel.getParent());
  thunk->addFnAttr(llvm::Attribute::UWTable);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", thunk));
  std::vector<llvm::Value*> values;
  uint64_t index = 0;
  for (const auto& argument : how.arguments()) {
    llvm::Value* slot = builder.CreateConstGEP1_64(pointer, thunk->getArg(0), index++);
    load_parameter(builder, argument.info, builder.CreateLoad(pointer, slot), values);
  }
  check(values.size() == kernel.arg_size(), "a thunk passes what its kernel takes");
  llvm::CallInst* call = builder.CreateCall(&kernel, values);
  call->setCallingConv(kernel.getCallingConv());
  call->setAttributes(kernel.getAttributes().removeFnAttributes(context));
  builder.CreateRetVoid();
  return thunk->getName().str();
}

nlohmann::json describe_kernel(const clang::FunctionDecl& decl, const clang::ASTContext& context,
                               const std::string& symbol, int index) {
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::PresumedLoc place = sources.getPresumedLoc(decl.getLocation());
  nlohmann::json text = {{"name", llvm::demangle(symbol)},
                         {"symbol", symbol},
                         {"file", index},
                         {"source", place.isValid() ? place.getFilename() : ""},
                         {"line", place.isValid() ? place.getLine() : 0},
                         {"parameters", describe_parameters(decl, context)},
                         {"max_threads", 0},
                         {"min_blocks", 0}};
  if (const auto* bounds = decl.getAttr<clang::CUDALaunchBoundsAttr>()) {
    text["max_threads"] = evaluated(bounds->getMaxThreads(), context);
    text["min_blocks"] = evaluated(bounds->getMinBlocks(), context);
  }
  if (const auto* sizes = decl.getAttr<clang::AMDGPUFlatWorkGroupSizeAttr>()) {  // HIP's bounds
    text["max_threads"] = evaluated(sizes->getMax(), context);
  }
  return text;
}

}  // namespace ambidex
