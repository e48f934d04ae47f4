// SPDX-License-Identifier: Apache-2.0
// Device code as code of this machine: one step over all of it, before it is optimised.
#include <fmt/format.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <set>

#include "ambidex/base.h"
#include "frontend/assembly.h"
#include "frontend/expand_atomics.h"
#include "frontend/host_module.h"
#include "frontend/round_nearest.h"
#include "frontend/stand_ins.h"
#include "port/module_abi.h"

namespace ambidex {
namespace {

bool is_shared(const llvm::GlobalVariable& variable) {
  return variable.hasInitializer() && llvm::isa<llvm::UndefValue>(variable.getInitializer()) &&
         !variable.isExternallyInitialized() && !variable.isConstant();
}

bool is_dynamic_shared(const llvm::GlobalVariable& variable) {
  const auto* array = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
  return variable.isDeclaration() && array != nullptr && array->getNumElements() == 0;
}

std::string emit_getter(llvm::Module& module, llvm::Constant* address, const std::string& name) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* getter =
      llvm::Function::Create(llvm::FunctionType::get(pointer, false),
                             llvm::GlobalValue::ExternalLinkage, name + ".address", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", getter));
  builder.CreateRet(address);
  return getter->getName().str();
}

int64_t element_bytes(llvm::Type* type, const llvm::DataLayout& layout) {
  while (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) type = array->getElementType();
  return static_cast<int64_t>(layout.getTypeAllocSize(type).getFixedValue());
}

// The last word of a demangled local: "kernel(float*)::tile" -> "tile".
std::string short_name(const std::string& symbol) {
  const std::string name = llvm::demangle(symbol);
  const size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

// {zone, variable, zone}, and the address of the middle for every use.
llvm::Constant* with_zones(llvm::Module& module, llvm::Type* type, llvm::Align align,
                           const llvm::Twine& name, llvm::GlobalVariable*& holder) {
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  const uint64_t zone_bytes = std::max<uint64_t>(kRedZoneBytes, align.value());
  llvm::Type* zone = llvm::ArrayType::get(byte, zone_bytes);
  auto* whole = llvm::StructType::get(module.getContext(), {zone, type, zone});
  holder = new llvm::GlobalVariable(module, whole, false, llvm::GlobalValue::ExternalLinkage,
                                    llvm::UndefValue::get(whole), name, nullptr,
                                    llvm::GlobalValue::GeneralDynamicTLSModel);
  holder->setAlignment(std::max(align, llvm::Align(16)));
  return llvm::ConstantExpr::getGetElementPtr(
      byte, holder,
      llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), zone_bytes));
}

Entry move_shared(llvm::Module& module, llvm::GlobalVariable& variable) {
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::Type* type = variable.getValueType();
  const llvm::Align align = variable.getAlign().valueOrOne();
  llvm::GlobalVariable* holder = nullptr;
  llvm::Constant* middle = with_zones(module, type, align, "", holder);
  holder->takeName(&variable);
  variable.replaceAllUsesWith(middle);
  const std::string symbol = holder->getName().str();
  variable.eraseFromParent();
  return {emit_getter(module, middle, symbol),
          {{"name", short_name(symbol)},
           {"symbol", symbol},
           {"bytes", layout.getTypeAllocSize(type).getFixedValue()},
           {"align", align.value()},
           {"element_bytes", element_bytes(type, layout)}}};
}

void move_all_shared(llvm::Module& module, std::vector<Entry>& shared) {
  std::vector<llvm::GlobalVariable*> fixed, dynamic;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (is_shared(variable)) fixed.push_back(&variable);
    if (is_dynamic_shared(variable)) dynamic.push_back(&variable);
  }
  for (llvm::GlobalVariable* variable : fixed) shared.push_back(move_shared(module, *variable));
  llvm::Type* bytes =
      llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), kDynamicSharedBytes);
  llvm::GlobalVariable* holder = nullptr;
  llvm::Constant* area =
      with_zones(module, bytes, llvm::Align(128), "ambidex_dynamic_shared", holder);
  for (llvm::GlobalVariable* variable : dynamic) {
    variable->replaceAllUsesWith(area);
    variable->eraseFromParent();
  }
  module.getFunction(emit_getter(module, area, "dynamic"))->setName(kModuleDynamicShared);
}

// What device code may read though no variable of the source has it: literals, tables of virtual
// functions, static variables of functions.
void list_literals(llvm::Module& module, std::vector<Entry>& variables) {
  std::set<std::string> known;
  for (const Entry& entry : variables) known.insert(entry.symbol);
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || variable.isThreadLocal()) continue;
    if (variable.getName().starts_with("llvm.")) continue;
    if (variable.getSection() == "llvm.metadata") continue;  // words of annotations
    if (!variable.hasName()) variable.setName("literal");
    const std::string symbol = variable.getName().str();
    if (known.count(symbol) != 0) continue;
    variables.push_back(
        {symbol,
         {{"name", short_name(symbol)},
          {"symbol", symbol},
          {"file", -1},
          {"bytes", layout.getTypeAllocSize(variable.getValueType()).getFixedValue()},
          {"type", ""},
          {"constant", variable.isConstant()}}});
  }
}

// Of libm, beside those that LLVM knows.
bool is_of_libm(llvm::StringRef name) {
  static constexpr std::array<std::string_view, 21> kNames{
      "erfc",   "fdim",    "hypot",   "ilogb",  "j0",    "j1",     "jn",
      "lgamma", "llrint",  "llround", "logb",   "lrint", "lround", "nextafter",
      "remquo", "scalbln", "scalbn",  "tgamma", "y0",    "y1",     "yn"};
  name.consume_back("f");
  return std::find(kNames.begin(), kNames.end(), std::string_view(name)) != kNames.end();
}

// Functions that compilers call or make, and those that the executor provides.
bool is_provided(llvm::StringRef name, const llvm::TargetLibraryInfo& library) {
  llvm::LibFunc function;
  return name.starts_with("llvm.") || name.starts_with("ambidex_simt_") ||
         name.starts_with("__atomic_") || name == "__assert_fail" || is_of_libm(name) ||
         library.getLibFunc(name, function);
}

void refuse_undefined(const llvm::Module& module) {
  const llvm::TargetLibraryInfoImpl implementation(module.getTargetTriple());
  const llvm::TargetLibraryInfo library(implementation);
  for (const llvm::GlobalObject& object : module.global_objects()) {
    if (!object.isDeclaration() || object.use_empty()) continue;
    if (object.hasExternalWeakLinkage()) continue;  // threadIdx: named, never loaded
    if (is_provided(object.getName(), library)) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("device code uses {}, which no source of the program defines; add the "
                            "source that does",
                            llvm::demangle(object.getName())));
  }
}

}  // namespace

void prepare_device(Half& device, bool hip, bool counted) {
  llvm::Module& module = *device.module;
  move_all_shared(module, device.shared);
  list_shared_of_kernels(device);
  list_literals(module, device.variables);
  replace_assembly(module, hip);
  expand_atomics(module);
  round_to_nearest(module);
  if (counted) mark_stand_ins(module);
  refuse_undefined(module);
}

void hide_names(llvm::Module& module) {
  for (llvm::GlobalValue& value : module.global_values()) {
    const llvm::StringRef name = value.getName();
    if (value.isDeclaration() || name.starts_with("llvm.") || name.starts_with("ambidex_module_") ||
        name == "__dso_handle") {
      continue;
    }
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
    if (value.hasLocalLinkage()) continue;
    value.setName(device_name(name.str()));
    value.setVisibility(llvm::GlobalValue::HiddenVisibility);
    value.setDSOLocal(true);
  }
}

}  // namespace ambidex
