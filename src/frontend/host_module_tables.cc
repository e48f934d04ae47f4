// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "ambidex/base.h"
#include "frontend/host_module.h"
#include "port/module_abi.h"

namespace ambidex {
namespace {

void define(llvm::Module& module, const char* name, llvm::Constant* value) {
  auto* variable = new llvm::GlobalVariable(module, value->getType(), false,
                                            llvm::GlobalValue::ExternalLinkage, value, name);
  variable->setVisibility(llvm::GlobalValue::DefaultVisibility);
}

void define_addresses(llvm::Module& module, const char* name,
                      const std::vector<llvm::Constant*>& addresses) {
  auto* type =
      llvm::ArrayType::get(llvm::PointerType::getUnqual(module.getContext()), addresses.size());
  define(module, name, llvm::ConstantArray::get(type, addresses));
}

nlohmann::json define_entries(llvm::Module& module, const char* name,
                              const std::vector<Entry>& entries) {
  nlohmann::json texts = nlohmann::json::array();
  std::vector<llvm::Constant*> addresses;
  for (const Entry& entry : entries) {
    llvm::GlobalValue* value = module.getNamedValue(entry.symbol);
    check(value != nullptr, "what the tables name is in the module");
    addresses.push_back(value);
    texts.push_back(entry.text);
  }
  define_addresses(module, name, addresses);
  return texts;
}

// All sources' arrays, one behind the other.
void define_constructors(llvm::Module& module, const std::vector<int64_t>& counts) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  std::vector<llvm::Constant*> lists;
  for (size_t index = 0; index < counts.size(); ++index) {
    auto* type = llvm::ArrayType::get(pointer, static_cast<uint64_t>(counts[index]));
    auto* list = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, fmt::format("ambidex_constructors_{}", index));
    list->setVisibility(llvm::GlobalValue::HiddenVisibility);
    lists.push_back(list);
  }
  define_addresses(module, kModuleConstructors, lists);
}

}  // namespace

void emit_tables(llvm::Module& module, const Half& all, const std::vector<int64_t>& constructors,
                 nlohmann::json text) {
  text["version"] = kModuleVersion;
  text["kernels"] = define_entries(module, kModuleKernels, all.kernels);
  text["variables"] = define_entries(module, kModuleVariables, all.variables);
  text["shared"] = define_entries(module, kModuleShared, all.shared);
  text["constructors"] = constructors;
  define_constructors(module, constructors);
  module.getFunction(kModuleDynamicShared)->setVisibility(llvm::GlobalValue::DefaultVisibility);
  define(module, kModuleText, llvm::ConstantDataArray::getString(module.getContext(), text.dump()));
  auto* handle = new llvm::GlobalVariable(
      module, llvm::Type::getInt8Ty(module.getContext()), false, llvm::GlobalValue::ExternalLinkage,
      llvm::ConstantInt::get(module.getContext(), llvm::APInt(8, 0)), "__dso_handle");
  handle->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

}  // namespace ambidex
