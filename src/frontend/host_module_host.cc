// SPDX-License-Identifier: Apache-2.0
// The host's half: nothing of it may run before the runner says so.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "ambidex/base.h"
#include "frontend/host_module.h"
#include "port/module_abi.h"

namespace ambidex {
namespace {

struct Constructor {
  uint64_t priority = 0;
  llvm::Constant* function = nullptr;
};

std::vector<Constructor> take_list(llvm::Module& module, const char* name) {
  std::vector<Constructor> list;
  llvm::GlobalVariable* variable = module.getNamedGlobal(name);
  if (variable == nullptr) return list;
  if (const auto* array = llvm::dyn_cast<llvm::ConstantArray>(variable->getInitializer())) {
    for (const llvm::Use& row : array->operands()) {
      const auto* entry = llvm::cast<llvm::ConstantStruct>(row.get());
      const auto* priority = llvm::cast<llvm::ConstantInt>(entry->getOperand(0));
      list.push_back({priority->getZExtValue(), entry->getOperand(1)});
    }
  }
  variable->eraseFromParent();
  std::stable_sort(list.begin(), list.end(), [](const Constructor& a, const Constructor& b) {
    return a.priority < b.priority;
  });
  return list;
}

void rename(llvm::Module& module, const char* from, const char* to) {
  llvm::Function* function = module.getFunction(from);
  if (function != nullptr && !function->hasLocalLinkage()) function->setName(to);
}

// Whether other sources may have a variable of this mangled name that is not this one.
bool is_internal(llvm::StringRef name) {
  return name.contains("_ZL") || name.contains("_GLOBAL__N_");
}

// What stands for a device's variable on the host. Clang makes it internal, as if every source had
// device code of its own; ours is linked, so that `extern __device__` finds another source's.
void share_shadows(llvm::Module& module) {
  for (const char* name : {"__cudaRegisterVar", "__hipRegisterVar", "__hipRegisterManagedVar"}) {
    const llvm::Function* function = module.getFunction(name);
    if (function == nullptr) continue;
    for (const llvm::User* user : function->users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call == nullptr || call->arg_size() < 2) continue;
      auto* shadow = llvm::dyn_cast<llvm::GlobalVariable>(call->getArgOperand(1));
      if (shadow == nullptr || !shadow->hasLocalLinkage()) continue;
      if (is_internal(shadow->getName())) continue;
      shadow->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
      shadow->setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  }
}

// CUDA's managed variables, also those that another source defines: the host's half uses those of
// the device.
std::vector<llvm::GlobalVariable*> managed_variables(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> found;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.hasAttribute(kManagedMark)) found.push_back(&variable);
  }
  return found;
}

void use_managed_variables(llvm::Module& module, int index) {
  for (llvm::GlobalVariable* shadow : managed_variables(module)) {
    std::string name = device_name(shadow->getName().str());
    if (is_internal(name)) name += fmt::format(".{}", index);
    auto* variable = new llvm::GlobalVariable(module, shadow->getValueType(), false,
                                              llvm::GlobalValue::ExternalLinkage, nullptr, name);
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    shadow->replaceAllUsesWith(variable);
    shadow->eraseFromParent();
  }
}

}  // namespace

int64_t prepare_host(llvm::Module& module, int index) {
  if (!module.ifuncs().empty()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: a function with __attribute__((ifunc)) would run before the "
                            "sandbox is closed; select by a branch",
                            module.getSourceFileName()));
  }
  use_managed_variables(module, index);
  share_shadows(module);
  const std::vector<Constructor> list = take_list(module, "llvm.global_ctors");
  take_list(module, "llvm.global_dtors");
  std::vector<llvm::Constant*> functions;
  for (const Constructor& constructor : list) functions.push_back(constructor.function);
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* type = llvm::ArrayType::get(pointer, functions.size());
  auto* array = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantArray::get(type, functions),
                                         fmt::format("ambidex_constructors_{}", index));
  array->setVisibility(llvm::GlobalValue::HiddenVisibility);
  rename(module, "main", kHostMain);
  for (const char* name : {"exit", "_exit", "_Exit", "quick_exit"}) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr || !function->isDeclaration()) continue;
    function->replaceAllUsesWith(
        module.getOrInsertFunction(kHostExit, function->getFunctionType()).getCallee());
  }
  // The C library starts other programs with all signals blocked, out of the sandbox's sight.
  for (const char* name : {"system", "popen", "posix_spawn", "posix_spawnp"}) {
    llvm::Function* function = module.getFunction(name);
    if (function != nullptr && function->isDeclaration()) {
      function->setName(std::string("ambidex_host_") + name);
    }
  }
  rename(module, "atexit", "ambidex_host_atexit");
  rename(module, "__cxa_atexit", "ambidex_host_cxa_atexit");
  return static_cast<int64_t>(functions.size());
}

}  // namespace ambidex
