// SPDX-License-Identifier: Apache-2.0
#include "frontend/decisions.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>

#include <map>
#include <string>
#include <vector>

#include "frontend/pass_text.h"
#include "port/module_abi.h"

namespace ambidex {
namespace {

// A result of type i1 that the source asks for, and where it is known.
struct Decision {
  llvm::Value* result = nullptr;
  llvm::Instruction* before = nullptr;  // which the note goes
  std::string asks;
};

std::string text_of(const llvm::Value* value) {
  llvm::SmallString<32> text;
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    integer->getValue().toString(text, 10, true);
  } else if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value)) {
    number->getValueAPF().toString(text);
  } else if (llvm::isa<llvm::ConstantPointerNull>(value)) {
    text = "null";
  }
  return text.str().str();
}

std::string text_of(const llvm::CmpInst& compare) {
  std::string text = llvm::CmpInst::getPredicateName(compare.getPredicate()).str();
  for (const llvm::Value* operand : compare.operands()) {
    const std::string constant = text_of(operand);
    if (!constant.empty()) text += ' ' + constant;
  }
  return text;
}

bool is_assumed(const llvm::CmpInst& compare) {
  return !compare.user_empty() && llvm::all_of(compare.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::AssumeInst>(user);
  });
}

void add_compare(llvm::CmpInst& compare, std::vector<Decision>& decisions) {
  const bool constant = llvm::isa<llvm::Constant>(compare.getOperand(0)) &&
                        llvm::isa<llvm::Constant>(compare.getOperand(1));
  if (!compare.getType()->isIntegerTy(1) || constant || is_assumed(compare)) return;
  decisions.push_back({&compare, compare.getNextNode(), text_of(compare)});
}

// Each case of a switch asks whether the value is its own.
void add_switch(llvm::SwitchInst& choice, std::vector<Decision>& decisions) {
  if (llvm::isa<llvm::Constant>(choice.getCondition())) return;
  llvm::IRBuilder<> builder(&choice);
  for (const auto& one : choice.cases()) {
    llvm::Value* const same = builder.CreateICmpEQ(choice.getCondition(), one.getCaseValue());
    decisions.push_back({same, &choice, "eq " + text_of(one.getCaseValue())});
  }
}

std::vector<Decision> decisions_of(llvm::Function& function) {
  std::vector<llvm::Instruction*> instructions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    instructions.push_back(&instruction);
  }
  std::vector<Decision> decisions;
  for (llvm::Instruction* instruction : instructions) {
    if (!instruction->getDebugLoc()) continue;  // the compiler's own
    if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(instruction)) {
      add_compare(*compare, decisions);
    } else if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(instruction)) {
      add_switch(*choice, decisions);
    }
  }
  return decisions;
}

void note(const Decision& decision, llvm::GlobalVariable& notes, uint64_t index) {
  llvm::IRBuilder<> builder(decision.before);
  llvm::Value* const at = builder.CreateAdd(
      builder.CreateZExt(decision.result, builder.getInt64Ty()), builder.getInt64(2 * index));
  builder.CreateStore(builder.getInt8(1), builder.CreateGEP(builder.getInt8Ty(), &notes, at));
}

nlohmann::json place_of(const Decision& decision, const std::string& file) {
  const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(decision.result);
  const llvm::DebugLoc& place = instruction != nullptr && instruction->getDebugLoc()
                                    ? instruction->getDebugLoc()
                                    : decision.before->getDebugLoc();
  return {{"file", file},
          {"line", place ? place.getLine() : 0},
          {"column", place ? place.getCol() : 0},
          {"asks", decision.asks}};
}

// The user's file that a function is in; "" if it is in none of them.
std::string file_of(const llvm::Function& function, std::map<std::string, bool>& foreign) {
  const llvm::DISubprogram* const about = function.getSubprogram();
  if (function.isDeclaration() || about == nullptr) return "";
  // What its path shares with the working folder is kept apart, as a folder.
  llvm::SmallString<128> path(about->getFilename());
  llvm::sys::path::make_absolute(about->getDirectory(), path);
  const std::string file = path.str().str();
  const auto [known, is_new] = foreign.try_emplace(file, false);
  if (is_new) known->second = is_foreign_file(file);
  return known->second ? "" : file;
}

// Where an instruction writes; null if it does not.
const llvm::Value* target_of(const llvm::Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return store->getPointerOperand();
  }
  const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction);
  return fill != nullptr ? fill->getRawDest() : nullptr;
}

struct HideNotes : llvm::PassInfoMixin<HideNotes> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const llvm::Value* const all = module.getNamedGlobal(kModuleDecisions);
    if (all == nullptr) return llvm::PreservedAnalyses::all();
    for (llvm::Function& function : module) {
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        const llvm::Value* const target = target_of(instruction);
        if (target == nullptr) continue;
        llvm::SmallVector<const llvm::Value*, 4> objects;
        llvm::getUnderlyingObjects(target, objects, nullptr, 0);
        if (!llvm::all_of(objects, [&](const llvm::Value* object) { return object == all; })) {
          continue;
        }
        instruction.setMetadata(llvm::LLVMContext::MD_nosanitize,
                                llvm::MDNode::get(module.getContext(), {}));
      }
    }
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

nlohmann::json note_decisions(llvm::Module& module) {
  std::map<std::string, bool> foreign;
  std::vector<Decision> decisions;
  nlohmann::json places = nlohmann::json::array();
  for (llvm::Function& function : module) {
    const std::string file = file_of(function, foreign);
    if (file.empty()) continue;
    for (Decision& decision : decisions_of(function)) {
      places.push_back(place_of(decision, file));
      decisions.push_back(std::move(decision));
    }
  }
  auto* const type =
      llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 2 * decisions.size());
  auto* const notes =
      new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                               llvm::ConstantAggregateZero::get(type), kModuleDecisions);
  notes->setVisibility(llvm::GlobalValue::DefaultVisibility);
  for (size_t i = 0; i < decisions.size(); ++i) note(decisions[i], *notes, i);
  return places;
}

void hide_notes(llvm::PassBuilder& passes) {
  passes.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& of_module, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        of_module.addPass(HideNotes());
      });
}

}  // namespace ambidex
