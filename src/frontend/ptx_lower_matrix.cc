// SPDX-License-Identifier: Apache-2.0
// mma.sync of m16n8 and ldmatrix: registers into arrays, a call of the runner, and back.
#include "base/ptx_product.h"
#include "frontend/ptx_frame.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

std::optional<PtxElement> element_of(std::string_view modifier) {
  static const std::map<std::string_view, PtxElement> kElements{
      {"f16", PtxElement::f16}, {"bf16", PtxElement::bf16}, {"tf32", PtxElement::tf32},
      {"s8", PtxElement::s8},   {"u8", PtxElement::u8},     {"f32", PtxElement::f32},
      {"s32", PtxElement::s32}, {"e4m3", PtxElement::e4m3}, {"e5m2", PtxElement::e5m2}};
  const auto found = kElements.find(modifier);
  return found == kElements.end() ? std::nullopt : std::optional(found->second);
}

/// K of "m16n8k16"; 0 for another shape.
unsigned depth_of(std::string_view shape) {
  if (!shape.starts_with("m16n8k")) return 0;
  unsigned depth = 0;
  for (const char c : shape.substr(6)) depth = depth * 10 + static_cast<unsigned>(c - '0');
  return depth;
}

/// An array of `count` words.
Value array(PtxFrame& frame, size_t count) {
  return new_slot(frame, llvm::ArrayType::get(frame.builder.getInt32Ty(), count)).address;
}

bool fill(PtxFrame& frame, Value words, const PtxOperand& list, size_t count) {
  llvm::IRBuilder<>& b = frame.builder;
  const bool one = list.kind != PtxOperandKind::list;
  if ((one ? 1 : list.parts.size()) != count) return false;
  for (size_t i = 0; i < count; ++i) {
    b.CreateStore(read(frame, one ? list : list.parts[i], 32),
                  b.CreateConstGEP1_64(b.getInt32Ty(), words, i));
  }
  return true;
}

void take(PtxFrame& frame, Value words, const PtxOperand& list, size_t count) {
  llvm::IRBuilder<>& b = frame.builder;
  const bool one = list.kind != PtxOperandKind::list;
  for (size_t i = 0; i < count; ++i) {
    write(frame, one ? list : list.parts[i],
          b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_64(b.getInt32Ty(), words, i)));
  }
}

/// mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C d, a, b, c
std::optional<PtxProduct> product_of(const PtxInstruction& in) {
  std::vector<PtxElement> types;
  PtxProduct product;
  for (const std::string& modifier : in.modifiers) {
    if (const auto element = element_of(modifier)) types.push_back(*element);
    if (modifier.starts_with("m16")) product.depth = depth_of(modifier);
    if (modifier == "satfinite") product.saturate = 1;
    if (modifier == "sp" || modifier.starts_with("kind::") || modifier == "xor") return {};
  }
  if (types.size() != 4 || in.operands.size() != 4) return std::nullopt;
  product.d = types[0];
  product.a = types[1];
  product.b = types[2];
  product.c = types[3];
  return is_product(product) ? std::optional(product) : std::nullopt;
}

bool lower_product(PtxFrame& frame, const PtxInstruction& in) {
  const auto product = product_of(in);
  if (!product) return false;
  const size_t num_a = num_words_a(*product), num_b = num_words_b(*product);
  const size_t num_c = num_words_c(product->c), num_d = num_words_c(product->d);
  Value a = array(frame, num_a), b = array(frame, num_b);
  Value c = array(frame, num_c), d = array(frame, num_d);
  if (!fill(frame, a, in.operands[1], num_a) || !fill(frame, b, in.operands[2], num_b) ||
      !fill(frame, c, in.operands[3], num_c)) {
    return false;
  }
  call_runtime(frame, "ambidex_simt_ptx_mma", frame.builder.getVoidTy(),
               {frame.builder.getInt32(packed(*product)), a, b, c, d});
  take(frame, d, in.operands[0], num_d);
  return true;
}

/// Lanes below 8 * count load the row that their address names; then all exchange.
bool lower_load_matrix(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() != 2 || !has_modifier(in, "m8n8") || !has_modifier(in, "b16"))
    return false;
  llvm::IRBuilder<>& b = frame.builder;
  const unsigned count = has_modifier(in, "x4") ? 4 : has_modifier(in, "x2") ? 2 : 1;
  const bool is_list = in.operands[0].kind == PtxOperandKind::list;
  if ((is_list ? in.operands[0].parts.size() : 1) != count) return false;
  Value row = array(frame, 4), out = array(frame, 4);
  Value from = read_address(frame, in.operands[1]);
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* load = llvm::BasicBlock::Create(b.getContext(), "row", function);
  auto* loaded = llvm::BasicBlock::Create(b.getContext(), "rows", function);
  Value lane = special_register(frame, "laneid");
  b.CreateCondBr(b.CreateICmpULT(lane, b.getInt32(8 * count)), load, loaded);
  b.SetInsertPoint(load);
  for (unsigned i = 0; i < 4; ++i) {
    b.CreateStore(b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), from, i)),
                  b.CreateConstGEP1_32(b.getInt32Ty(), row, i));
  }
  b.CreateBr(loaded);
  b.SetInsertPoint(loaded);
  call_runtime(frame, "ambidex_simt_ptx_ldmatrix", b.getVoidTy(),
               {b.getInt32(count), b.getInt32(has_modifier(in, "trans") ? 1 : 0), row, out});
  take(frame, out, in.operands[0], count);
  return true;
}

}  // namespace

bool lower_matrix(PtxFrame& frame, const PtxInstruction& instruction) {
  if (!has_modifier(instruction, "sync")) return false;
  if (instruction.mnemonic == "mma") return lower_product(frame, instruction);
  return instruction.mnemonic == "ldmatrix" && lower_load_matrix(frame, instruction);
}

}  // namespace ambidex
