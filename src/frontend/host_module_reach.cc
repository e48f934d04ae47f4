// SPDX-License-Identifier: Apache-2.0
// Which shared variables a kernel can touch: those that it or a function that it names uses.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <set>

#include "frontend/host_module.h"

namespace ambidex {
namespace {

struct Reach {
  std::set<const llvm::Value*> seen;
  std::vector<const llvm::Function*> open;

  void add(const llvm::Value* value) {
    if (!llvm::isa<llvm::Constant>(value) || !seen.insert(value).second) return;
    if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) {
      open.push_back(function);
    } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
      if (variable->hasInitializer()) add(variable->getInitializer());  // tables of functions
    } else {
      for (const llvm::Use& use : llvm::cast<llvm::Constant>(value)->operands()) add(use.get());
    }
  }

  void follow(const llvm::Function& first) {
    add(&first);
    while (!open.empty()) {
      const llvm::Function* function = open.back();
      open.pop_back();
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        for (const llvm::Use& use : instruction.operands()) add(use.get());
      }
    }
  }
};

}  // namespace

void list_shared_of_kernels(Half& device) {
  for (Entry& kernel : device.kernels) {
    Reach reach;
    reach.follow(*device.module->getFunction(kernel.symbol));
    nlohmann::json indices = nlohmann::json::array();
    int64_t num_bytes = 0;
    for (size_t i = 0; i < device.shared.size(); ++i) {
      const nlohmann::json& text = device.shared[i].text;
      const auto* holder = device.module->getNamedValue(text.at("symbol").get<std::string>());
      if (reach.seen.count(holder) == 0) continue;
      indices.push_back(i);
      const int64_t align = text.at("align").get<int64_t>();
      num_bytes = (num_bytes + align - 1) / align * align + text.at("bytes").get<int64_t>();
    }
    kernel.text["shared"] = indices;
    kernel.text["shared_bytes"] = num_bytes;
    kernel.text["dynamic_shared"] =
        reach.seen.count(device.module->getNamedValue("ambidex_dynamic_shared")) != 0;
  }
}

}  // namespace ambidex
