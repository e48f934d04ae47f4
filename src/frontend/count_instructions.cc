// SPDX-License-Identifier: Apache-2.0
#include "frontend/count_instructions.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <array>
#include <set>
#include <vector>

#include "frontend/function_costs.h"
#include "frontend/instruction_table.h"
#include "frontend/load_waits.h"

namespace ambidex {
namespace {

SimtInstruction unit_of(llvm::Type* type) {
  if (type->isDoubleTy()) return SimtInstruction::f64;
  return type->isHalfTy() ? SimtInstruction::f16 : SimtInstruction::f32;
}

/// Words of 4 bytes of a number.
uint32_t words_of(llvm::Type* type) {
  const llvm::TypeSize bits = type->getScalarType()->getPrimitiveSizeInBits();
  return bits.getFixedValue() > 32 ? static_cast<uint32_t>((bits.getFixedValue() + 31) / 32) : 1;
}

uint32_t elements_of(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

bool is_product(const llvm::Value* value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return operation != nullptr && operation->getOpcode() == llvm::Instruction::FMul &&
         operation->hasOneUse();
}

class Counter {
 public:
  Counter(const llvm::TargetLibraryInfo& library, const LoadWaits& waits)
      : library_(library), waits_(waits) {}

  /// Of the stretch of a block from `first` to `end`.
  InstructionTable table_of(llvm::BasicBlock::const_iterator first,
                            llvm::BasicBlock::const_iterator end) {
    table_ = {};
    fused_.clear();
    for (auto at = first; at != end; ++at) find_fused(*at);
    for (auto at = first; at != end; ++at) {
      if (!waits_.counts_rounds(*at)) count(*at);
    }
    table_.waits = waits_.of_stretch(first, end);
    return table_;
  }

 private:
  // Compilers for GPUs contract a product and the sum that takes it.
  void find_fused(const llvm::Instruction& sum) {
    if (sum.getOpcode() != llvm::Instruction::FAdd && sum.getOpcode() != llvm::Instruction::FSub) {
      return;
    }
    for (const llvm::Value* operand : sum.operands()) {
      if (!is_product(operand)) continue;
      if (llvm::cast<llvm::Instruction>(operand)->getParent() != sum.getParent()) continue;
      fused_.insert(operand);
      fused_.insert(&sum);
      return;
    }
  }

  void add_float(llvm::Type* type, uint32_t num, uint32_t num_flop) {
    const SimtInstruction unit = unit_of(type->getScalarType());
    const uint32_t elements = elements_of(type);
    const uint32_t packed = unit == SimtInstruction::f16 ? (elements + 1) / 2 : elements;
    table_.add(unit, num * packed);
    table_.flop[static_cast<size_t>(unit)] += num_flop * elements;
  }

  void add_integer(llvm::Type* type) {
    table_.add(SimtInstruction::integer, words_of(type) * elements_of(type));
  }

  void add_product(uint32_t num) { table_.add(SimtInstruction::product, num); }

  void add_function(llvm::Type* type, llvm::StringRef name) {
    const FunctionCost cost = cost_of_function(name, type->getScalarType()->isDoubleTy());
    const uint32_t elements = elements_of(type);
    table_.add(unit_of(type->getScalarType()), cost.num * elements);
    table_.add(SimtInstruction::special, cost.num_special * elements);
    table_.flop[static_cast<size_t>(unit_of(type->getScalarType()))] += elements;
  }

  void add_division(llvm::Type* type, bool constant) {
    const uint32_t num = words_of(type) > 1 ? kLongDivision : constant ? 1 : kIntegerDivision;
    table_.add(SimtInstruction::integer, num * elements_of(type));
    add_product((constant ? kConstantDivisionProducts : kIntegerDivisionProducts) * words_of(type) *
                elements_of(type));
  }

  void count_binary(const llvm::BinaryOperator& operation) {
    llvm::Type* type = operation.getType();
    const bool constant = llvm::isa<llvm::Constant>(operation.getOperand(1));
    switch (operation.getOpcode()) {
      case llvm::Instruction::FMul:
        if (fused_.count(&operation) == 0) add_float(type, 1, 1);
        return;
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
        return add_float(type, 1, fused_.count(&operation) != 0 ? 2 : 1);
      case llvm::Instruction::FDiv:
      case llvm::Instruction::FRem:
        return add_function(type,
                            operation.getOpcode() == llvm::Instruction::FDiv ? "div" : "fmod");
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        return add_division(type, constant);
      case llvm::Instruction::Mul:
        return add_product(words_of(type) * words_of(type) * elements_of(type));
      default:
        return add_integer(type);
    }
  }

  void count_intrinsic(const llvm::IntrinsicInst& call) {
    llvm::Type* type = call.getType();
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::fma:
      case llvm::Intrinsic::fmuladd:
        return add_float(type, 1, 2);
      case llvm::Intrinsic::fabs:  // part of the instruction that takes it
        return;
      case llvm::Intrinsic::minnum:
      case llvm::Intrinsic::maxnum:
      case llvm::Intrinsic::minimum:
      case llvm::Intrinsic::maximum:
      case llvm::Intrinsic::copysign:
      case llvm::Intrinsic::floor:
      case llvm::Intrinsic::ceil:
      case llvm::Intrinsic::trunc:
      case llvm::Intrinsic::rint:
      case llvm::Intrinsic::nearbyint:
      case llvm::Intrinsic::round:
      case llvm::Intrinsic::roundeven:
        return add_float(type, 1, 1);
      case llvm::Intrinsic::abs:
      case llvm::Intrinsic::smin:
      case llvm::Intrinsic::smax:
      case llvm::Intrinsic::umin:
      case llvm::Intrinsic::umax:
      case llvm::Intrinsic::ctpop:
      case llvm::Intrinsic::ctlz:
      case llvm::Intrinsic::cttz:
      case llvm::Intrinsic::bswap:
      case llvm::Intrinsic::bitreverse:
      case llvm::Intrinsic::fshl:
      case llvm::Intrinsic::fshr:
        return add_integer(type);
      default:
        // llvm.exp.f32
        if (type->isFPOrFPVectorTy()) {
          add_function(type, call.getCalledFunction()->getName().drop_front(5).split('.').first);
        }
    }
  }

  void count_call(const llvm::CallBase& call) {
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      return count_intrinsic(*intrinsic);
    }
    const llvm::Function* callee = call.getCalledFunction();
    llvm::LibFunc function;
    if (callee == nullptr || !callee->isDeclaration() || !call.getType()->isFloatingPointTy() ||
        !library_.getLibFunc(callee->getName(), function)) {
      return;
    }
    const bool fused = callee->getName() == "fma" || callee->getName() == "fmaf";
    fused ? add_float(call.getType(), 1, 2) : add_function(call.getType(), callee->getName());
  }

  void count(const llvm::Instruction& instruction) {
    llvm::Type* type = instruction.getType();
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
      return count_binary(*operation);
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return count_call(*call);
    switch (instruction.getOpcode()) {
      case llvm::Instruction::FCmp:
        return add_float(instruction.getOperand(0)->getType(), 1, 0);
      case llvm::Instruction::ICmp:
        return add_integer(instruction.getOperand(0)->getType());
      case llvm::Instruction::FPToSI:
      case llvm::Instruction::FPToUI:
      case llvm::Instruction::FPExt:
      case llvm::Instruction::FPTrunc:
        return add_float(instruction.getOperand(0)->getType(), 1, 0);
      case llvm::Instruction::SIToFP:
      case llvm::Instruction::UIToFP:
        return add_float(type, 1, 0);
      case llvm::Instruction::Select:
        return add_integer(type);
      case llvm::Instruction::GetElementPtr:  // one multiply-add takes 32 bits of an index
        if (llvm::cast<llvm::GetElementPtrInst>(instruction).hasAllConstantIndices()) return;
        return add_product(1);
      case llvm::Instruction::Br:
      case llvm::Instruction::Switch:
        if (instruction.getNumSuccessors() < 2) return;
        return table_.add(SimtInstruction::integer, 1);
      default:
        return;
    }
  }

  const llvm::TargetLibraryInfo& library_;
  const LoadWaits& waits_;
  std::set<const llvm::Value*> fused_;
  InstructionTable table_;
};

bool is_stand_in(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kStandIn;
}

// Where stretches of a block begin: at its first instruction, and behind marks of stand-ins.
std::vector<llvm::Instruction*> beginnings_of(llvm::BasicBlock& block) {
  std::vector<llvm::Instruction*> beginnings{&*block.getFirstInsertionPt()};
  for (llvm::Instruction& instruction : block) {
    if (is_stand_in(instruction)) beginnings.push_back(instruction.getNextNode());
  }
  return beginnings;
}

}  // namespace

void count_instructions(llvm::Module& module) {
  const llvm::TargetLibraryInfoImpl implementation(module.getTargetTriple());
  const llvm::TargetLibraryInfo library(implementation);
  const llvm::FunctionCallee note =
      module.getOrInsertFunction(kInstructions, llvm::Type::getVoidTy(module.getContext()),
                                 llvm::PointerType::getUnqual(module.getContext()));
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const LoadWaits waits(function);
    Counter counter(library, waits);
    for (llvm::BasicBlock& block : function) {
      const std::vector<llvm::Instruction*> beginnings = beginnings_of(block);
      for (size_t i = 0; i < beginnings.size(); ++i) {
        const bool last = i + 1 == beginnings.size();
        const auto end = last ? block.end() : beginnings[i + 1]->getIterator();
        const InstructionTable table = counter.table_of(beginnings[i]->getIterator(), end);
        if (table.is_empty()) continue;
        llvm::IRBuilder<> builder(beginnings[i]);
        builder.CreateCall(note, {table.constant_in(module)});
      }
    }
  }
}

}  // namespace ambidex
