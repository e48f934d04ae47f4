// SPDX-License-Identifier: Apache-2.0
#include "frontend/lockstep.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>
#include <vector>

namespace ambidex {
namespace {

/// Functions in which lanes of a wave may have to wait for each other.
struct Waiting {
  std::set<const llvm::Function*> functions;

  bool has(const llvm::Instruction& instruction) const {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) return instruction.isAtomic() || instruction.isVolatile();
    if (call->isInlineAsm()) return false;
    const llvm::Function* function = call->getCalledFunction();
    return function == nullptr || functions.count(function) != 0;
  }
  bool has(const llvm::BasicBlock& block) const {
    return std::any_of(block.begin(), block.end(),
                       [this](const llvm::Instruction& instruction) { return has(instruction); });
  }
};

bool is_waiting_call_of_executor(llvm::StringRef name) {
  if (!name.consume_front("ambidex_simt_")) return false;
  for (const char* other : {"self", "latch", "fence", "clock", "malloc", "free", "vprintf",
                            "instructions", "stand_in"}) {
    if (name == other) return false;
  }
  return true;
}

Waiting find_waiting(const llvm::Module& module) {
  Waiting waiting;
  for (const llvm::Function& function : module) {
    if (is_waiting_call_of_executor(function.getName())) waiting.functions.insert(&function);
  }
  for (size_t before = ~size_t{0}; before != waiting.functions.size();) {
    before = waiting.functions.size();
    for (const llvm::Function& function : module) {
      if (std::any_of(function.begin(), function.end(),
                      [&](const llvm::BasicBlock& block) { return waiting.has(block); })) {
        waiting.functions.insert(&function);
      }
    }
  }
  return waiting;
}

/// Blocks of one loop, or of a function outside of loops, in the order of flow. A loop within is
/// one piece, at the place of its header.
struct Flow {
  const llvm::LoopInfo& loops;
  std::vector<llvm::BasicBlock*> order;

  /// The header of the outermost loop within `region` that has the block; the block if none has;
  /// null if the block is not in `region`.
  llvm::BasicBlock* piece_of(llvm::BasicBlock* block, const llvm::Loop* region) const {
    llvm::Loop* loop = loops.getLoopFor(block);
    if (loop == region) return block;
    while (loop != nullptr && loop->getParentLoop() != region) loop = loop->getParentLoop();
    return loop == nullptr ? nullptr : loop->getHeader();
  }

  std::vector<llvm::BasicBlock*> next_of(llvm::BasicBlock* piece, const llvm::Loop* region) const {
    llvm::SmallVector<llvm::BasicBlock*> out;
    llvm::Loop* inner = loops.getLoopFor(piece);
    if (inner == region) {
      out.append(llvm::succ_begin(piece), llvm::succ_end(piece));
    } else {
      while (inner->getParentLoop() != region) inner = inner->getParentLoop();
      inner->getExitBlocks(out);
    }
    std::vector<llvm::BasicBlock*> next;
    for (llvm::BasicBlock* block : out) {
      if (llvm::BasicBlock* other = piece_of(block, region)) next.push_back(other);
    }
    return next;
  }

  void add(llvm::BasicBlock* entry, const llvm::Loop* region) {
    for (llvm::BasicBlock* piece : pieces(entry, region)) {
      llvm::Loop* inner = loops.getLoopFor(piece);
      if (inner == region) {
        order.push_back(piece);
      } else {
        while (inner->getParentLoop() != region) inner = inner->getParentLoop();
        add(inner->getHeader(), inner);
      }
    }
  }

  /// Reverse postorder, without recursion: code that a program has written may be long.
  std::vector<llvm::BasicBlock*> pieces(llvm::BasicBlock* entry, const llvm::Loop* region) const {
    struct Open {
      llvm::BasicBlock* piece;
      std::vector<llvm::BasicBlock*> next;
    };
    std::set<llvm::BasicBlock*> seen{entry};
    std::vector<Open> open{{entry, next_of(entry, region)}};
    std::vector<llvm::BasicBlock*> done;
    while (!open.empty()) {
      if (open.back().next.empty()) {
        done.push_back(open.back().piece);
        open.pop_back();
        continue;
      }
      llvm::BasicBlock* piece = open.back().next.back();
      open.back().next.pop_back();
      if (seen.insert(piece).second) open.push_back({piece, next_of(piece, region)});
    }
    std::reverse(done.begin(), done.end());
    return done;
  }
};

void order_blocks_of(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  Flow flow{loops, {}};
  flow.add(&function.getEntryBlock(), nullptr);
  llvm::BasicBlock* last = &function.getEntryBlock();
  for (llvm::BasicBlock* block : flow.order) {
    if (block == last) continue;
    block->moveAfter(last);
    last = block;
  }
}

llvm::FunctionCallee declare_latch(llvm::Module& module) {
  llvm::FunctionCallee latch =
      module.getOrInsertFunction("ambidex_simt_latch", llvm::Type::getVoidTy(module.getContext()));
  auto* function = llvm::cast<llvm::Function>(latch.getCallee());
  function->setConvergent();
  function->setDoesNotThrow();
  return latch;
}

void mark_rounds_of(llvm::Function& function, const Waiting& waiting, llvm::FunctionCallee latch) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::set<llvm::BasicBlock*> ends;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const bool waits = std::any_of(loop->block_begin(), loop->block_end(),
                                   [&](llvm::BasicBlock* block) { return waiting.has(*block); });
    if (!waits) continue;
    llvm::SmallVector<llvm::BasicBlock*> latches;
    loop->getLoopLatches(latches);
    ends.insert(latches.begin(), latches.end());
  }
  for (llvm::BasicBlock* block : ends) {
    llvm::IRBuilder<> builder(block->getTerminator());
    if (!builder.getCurrentDebugLocation() && function.getSubprogram() != nullptr) {
      builder.SetCurrentDebugLocation(
          llvm::DILocation::get(function.getContext(), 0, 0, function.getSubprogram()));
    }
    builder.CreateCall(latch)->setConvergent();
  }
}

// Inlined into a function without instrumentation, as what launches a kernel is, accesses would not
// be seen.
bool is_instrumented_as_callers(const llvm::Function& function) {
  const auto is_instrumented = [](const llvm::Function& which) {
    return which.hasFnAttribute(llvm::Attribute::SanitizeThread);
  };
  return std::all_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call == nullptr || is_instrumented(*call->getFunction()) == is_instrumented(function);
  });
}

void inline_waiting(llvm::Module& module, const Waiting& waiting) {
  llvm::CallGraph calls(module);
  for (auto at = llvm::scc_begin(&calls); !at.isAtEnd(); ++at) {
    llvm::Function* function = at->front()->getFunction();
    if (at.hasCycle() || function == nullptr || function->isDeclaration() ||
        waiting.functions.count(function) == 0 || !is_instrumented_as_callers(*function)) {
      continue;
    }
    function->removeFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

}  // namespace

void mark_rounds(llvm::Module& module) {
  const Waiting waiting = find_waiting(module);
  inline_waiting(module, waiting);
  const llvm::FunctionCallee latch = declare_latch(module);
  for (llvm::Function& function : module) {
    if (waiting.functions.count(&function) != 0 && !function.isDeclaration()) {
      mark_rounds_of(function, waiting, latch);
    }
  }
}

void order_blocks(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) order_blocks_of(function);
  }
}

}  // namespace ambidex
