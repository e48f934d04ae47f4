// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp and the threads of a block do together, by calls of the executor.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "frontend/ptx_frame.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

Value lanes_of(PtxFrame& frame, const PtxOperand& mask) {
  return frame.builder.CreateZExt(read(frame, mask, 32), frame.builder.getInt64Ty());
}

/// Those that vote and shfl without .sync are executed by, before Volta.
Value active_lanes(PtxFrame& frame) {
  return call_runtime(frame, "ambidex_simt_active_lanes", frame.builder.getInt64Ty(), {});
}

Value lane_of(PtxFrame& frame) { return special_register(frame, "laneid"); }

/// shfl.sync.mode.b32 d|p, a, b, c, mask: PTX ISA 9.7.8.6, lane by lane.
bool lower_shuffle(PtxFrame& frame, const PtxInstruction& in) {
  const bool syncs = has_modifier(in, "sync");
  if (in.operands.size() != (syncs ? 5U : 4U)) return false;
  llvm::IRBuilder<>& b = frame.builder;
  Value lanes = syncs ? lanes_of(frame, in.operands[4]) : active_lanes(frame);
  Value lane = lane_of(frame);
  Value by = b.CreateAnd(read(frame, in, 2, 32), 31);
  Value c = read(frame, in, 3, 32);
  Value segment = b.CreateAnd(b.CreateLShr(c, 8), 31);
  Value clamp = b.CreateAnd(c, 31);
  Value least = b.CreateAnd(lane, segment);
  Value outside = b.CreateAnd(b.CreateNot(segment), b.getInt32(31));
  Value most = b.CreateOr(least, b.CreateAnd(clamp, outside));
  Value source = nullptr;
  if (has_modifier(in, "up")) source = b.CreateSub(lane, by);
  if (has_modifier(in, "down")) source = b.CreateAdd(lane, by);
  if (has_modifier(in, "bfly")) source = b.CreateXor(lane, by);
  if (has_modifier(in, "idx")) source = b.CreateOr(least, b.CreateAnd(by, outside));
  if (source == nullptr) return false;
  Value inside =
      has_modifier(in, "up") ? b.CreateICmpSGE(source, most) : b.CreateICmpSLE(source, most);
  source = b.CreateSelect(inside, source, lane);
  Value value = b.CreateZExt(read(frame, in, 1, 32), b.getInt64Ty());
  Value got = call_runtime(frame, "ambidex_simt_shuffle", b.getInt64Ty(), {lanes, value, source});
  const PtxOperand& to = in.operands[0];
  const bool pair = to.kind == PtxOperandKind::pair;
  write(frame, pair ? to.parts[0] : to, b.CreateTrunc(got, b.getInt32Ty()));
  if (pair) write(frame, to.parts[1], inside);
  return true;
}

Value ballot(PtxFrame& frame, Value lanes, Value predicate) {
  llvm::IRBuilder<>& b = frame.builder;
  return call_runtime(frame, "ambidex_simt_ballot", b.getInt64Ty(),
                      {lanes, b.CreateZExt(predicate, b.getInt32Ty())});
}

bool lower_vote(PtxFrame& frame, const PtxInstruction& in) {
  const bool syncs = has_modifier(in, "sync");
  if (in.operands.size() != (syncs ? 3U : 2U)) return false;
  llvm::IRBuilder<>& b = frame.builder;
  Value lanes = syncs ? lanes_of(frame, in.operands[2]) : active_lanes(frame);
  Value bits = ballot(frame, lanes, read_predicate(frame, in.operands[1]));
  Value none = b.CreateICmpEQ(bits, b.getInt64(0));
  Value all = b.CreateICmpEQ(bits, lanes);
  Value out = nullptr;
  if (has_modifier(in, "ballot")) out = b.CreateTrunc(bits, b.getInt32Ty());
  if (has_modifier(in, "any")) out = b.CreateNot(none);
  if (has_modifier(in, "all")) out = all;
  if (has_modifier(in, "uni")) out = b.CreateOr(none, all);
  if (out == nullptr) return false;
  write(frame, in.operands[0], out);
  return true;
}

/// bar.red.popc.u32 d, barrier, p, and .and.pred, .or.pred: of all threads of the block.
bool lower_reduction(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() != 3) return false;
  llvm::IRBuilder<>& b = frame.builder;
  const int op = has_modifier(in, "popc") ? 0 : has_modifier(in, "and") ? 1 : 2;
  if (op == 2 && !has_modifier(in, "or")) return false;
  Value predicate = b.CreateZExt(read_predicate(frame, in.operands[2]), b.getInt32Ty());
  Value out = call_runtime(frame, "ambidex_simt_barrier_reduce", b.getInt32Ty(),
                           {predicate, b.getInt32(op)});
  write(frame, in.operands[0], op == 0 ? out : b.CreateICmpNE(out, b.getInt32(0)));
  return true;
}

/// elect.sync d|p, mask: the lowest lane.
bool lower_elect(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() != 2 || in.operands[0].kind != PtxOperandKind::pair) return false;
  llvm::IRBuilder<>& b = frame.builder;
  Value here = ballot(frame, lanes_of(frame, in.operands[1]), b.getTrue());
  Value first = b.CreateTrunc(
      b.CreateIntrinsic(llvm::Intrinsic::cttz, {here->getType()}, {here, b.getTrue()}),
      b.getInt32Ty());
  write(frame, in.operands[0].parts[0], first);
  write(frame, in.operands[0].parts[1], b.CreateICmpEQ(first, lane_of(frame)));
  return true;
}

bool lower_barrier(PtxFrame& frame, const PtxInstruction& in) {
  llvm::IRBuilder<>& b = frame.builder;
  if (has_modifier(in, "warp")) {
    if (in.operands.size() != 1) return false;
    call_runtime(frame, "ambidex_simt_wave_barrier", b.getVoidTy(),
                 {lanes_of(frame, in.operands[0])});
    return true;
  }
  const bool arrives = has_modifier(in, "arrive");
  if (has_modifier(in, "red")) return lower_reduction(frame, in);
  if (has_modifier(in, "cluster") || in.operands.empty()) return false;
  const auto& id = in.operands[0];
  const bool is_zero = id.kind == PtxOperandKind::immediate && id.bits == 0u;
  if (in.operands.size() == 1 && is_zero && !arrives) {
    call_runtime(frame, "ambidex_simt_barrier", b.getVoidTy(), {});
    return true;
  }
  Value count = b.getInt32(0);
  if (in.operands.size() > 1) {
    count = read(frame, in, 1, 32);
  } else {  // all threads of the block
    for (const char* axis : {"ntid.x", "ntid.y", "ntid.z"}) {
      Value threads = special_register(frame, axis);
      count = axis[5] == 'x' ? threads : b.CreateMul(count, threads);
    }
  }
  call_runtime(frame, "ambidex_simt_named_barrier", b.getVoidTy(),
               {read(frame, in, 0, 32), count, b.getInt32(arrives ? 1 : 0)});
  return true;
}

/// redux.sync and match.sync by functions of the runner: ambidex_simt_ptx_redux, _match.
bool lower_redux(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() != 3) return false;
  llvm::IRBuilder<>& b = frame.builder;
  constexpr std::string_view kOps[] = {"add", "min", "max", "and", "or", "xor"};
  const PtxType type = type_of(in);
  if (type.kind == 'f') return false;
  for (unsigned op = 0; op < 6; ++op) {
    if (!has_modifier(in, kOps[op])) continue;
    Value out = call_runtime(frame, "ambidex_simt_ptx_redux", b.getInt32Ty(),
                             {lanes_of(frame, in.operands[2]), read(frame, in, 1, 32),
                              b.getInt32(op), b.getInt32(type.kind == 's' ? 1 : 0)});
    write(frame, in.operands[0], out);
    return true;
  }
  return false;
}

bool lower_match(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() != 3) return false;
  llvm::IRBuilder<>& b = frame.builder;
  const unsigned bits = type_of(in).bits;
  Value value = b.CreateZExt(read(frame, in, 1, bits), b.getInt64Ty());
  Value lanes = lanes_of(frame, in.operands[2]);
  Value same = call_runtime(frame, "ambidex_simt_ptx_match", b.getInt64Ty(), {lanes, value});
  const PtxOperand& to = in.operands[0];
  const bool pair = to.kind == PtxOperandKind::pair;
  Value all = b.CreateICmpEQ(same, lanes);
  if (has_modifier(in, "all")) same = b.CreateSelect(all, same, b.getInt64(0));
  write(frame, pair ? to.parts[0] : to, b.CreateTrunc(same, b.getInt32Ty()));
  if (pair) write(frame, to.parts[1], all);
  return true;
}

bool lower_trap(PtxFrame& frame) {
  llvm::IRBuilder<>& b = frame.builder;
  Value reason = b.CreateGlobalString("PTX trap", "", 0, &frame.module);
  call_runtime(frame, "ambidex_simt_trap", b.getVoidTy(), {reason});
  return true;
}

}  // namespace

bool lower_warp(PtxFrame& frame, const PtxInstruction& in) {
  llvm::IRBuilder<>& b = frame.builder;
  const std::string& name = in.mnemonic;
  if (name == "shfl") return lower_shuffle(frame, in);
  if (name == "vote") return lower_vote(frame, in);
  if (name == "bar" || name == "barrier") return lower_barrier(frame, in);
  if (name == "redux") return lower_redux(frame, in);
  if (name == "match") return lower_match(frame, in);
  if (name == "elect") return lower_elect(frame, in);
  if (name == "trap") return lower_trap(frame);
  if (name == "nanosleep") {
    call_runtime(frame, "ambidex_simt_yield", b.getVoidTy(), {});
    return true;
  }
  if (name != "activemask" || in.operands.size() != 1) return false;
  Value lanes = call_runtime(frame, "ambidex_simt_active_lanes", b.getInt64Ty(), {});
  write(frame, in.operands[0], b.CreateTrunc(lanes, b.getInt32Ty()));
  return true;
}

}  // namespace ambidex
