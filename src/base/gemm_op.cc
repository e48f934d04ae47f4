// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <initializer_list>
#include <limits>
#include <utility>

#include "ambidex/base.h"

namespace ambidex {
namespace {

// Kernels index with 32 bits along one side; no device holds an operand that needs more.
constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

void validate_size(std::string_view name, int64_t size) {
  if (size >= 1 && size <= kMaxSize) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("gemm: {}: expected a size from 1 to {}, got {}", name, kMaxSize, size));
}

void validate_product(std::string_view what, std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("gemm: {} overflow 64 bits; use smaller sizes or batch", what));
    }
  }
}

bool is_fp8_fnuz(DType dtype) {
  return dtype == DType::fp8_e4m3_fnuz || dtype == DType::fp8_e5m2_fnuz;
}

bool is_fp8_ocp(DType dtype) { return dtype == DType::fp8_e4m3 || dtype == DType::fp8_e5m2; }

// f32 is what every matrix unit accumulates in (int8 is dequantised to it), so it can always be
// stored; a narrower output needs a conversion that kernels of that input type have.
bool can_store(DType input, DType output) {
  if (output == DType::f32) return true;
  switch (input) {
    case DType::f32:
      return false;
    case DType::tf32:
    case DType::f16:
    case DType::bf16:
      return output == input;
    case DType::fp8_e4m3:
    case DType::fp8_e5m2:
      return output == DType::f16 || output == DType::bf16 || is_fp8_ocp(output);
    case DType::fp8_e4m3_fnuz:
    case DType::fp8_e5m2_fnuz:
      return output == DType::f16 || output == DType::bf16 || is_fp8_fnuz(output);
    case DType::int8:
      return output == DType::f16 || output == DType::bf16 || output == DType::int8;
  }
  return false;
}

}  // namespace

void validate(const GemmOp& op) {
  validate_size("m", op.m);
  validate_size("n", op.n);
  validate_size("k", op.k);
  validate_size("batch", op.batch);
  const int64_t in_bytes = dtype_bytes(op.dtype);
  validate_product("the bytes of A", {op.batch, op.m, op.k, in_bytes});
  validate_product("the bytes of B", {op.batch, op.k, op.n, in_bytes});
  validate_product("the bytes of D", {op.batch, op.m, op.n, dtype_bytes(op.out_dtype)});
  validate_product("the operations", {op.batch, op.m, op.n, op.k, 2});
  if (can_store(op.dtype, op.out_dtype)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("gemm: out_dtype: a product of {} cannot be stored as {}; f32 always can",
                          name_of(op.dtype), name_of(op.out_dtype)));
}

double gemm_flop(const GemmOp& op) {
  const double num_products = static_cast<double>(op.batch) * op.m * op.n * op.k;
  return 2 * num_products;
}

double gemm_compulsory_bytes(const GemmOp& op) {
  const double num_in = static_cast<double>(op.m) * op.k + static_cast<double>(op.k) * op.n;
  const double num_out = static_cast<double>(op.m) * op.n;
  const int num_out_passes = op.epilogue.residual ? 2 : 1;  // C is as large as D
  return op.batch *
         (num_in * dtype_bytes(op.dtype) + num_out * num_out_passes * dtype_bytes(op.out_dtype));
}

GemmOp from_column_major(const GemmOp& op) {
  GemmOp row_major = op;
  std::swap(row_major.m, row_major.n);
  if (op.layout == Layout::nt) row_major.layout = Layout::tn;
  if (op.layout == Layout::tn) row_major.layout = Layout::nt;
  return row_major;
}

int64_t power_of_two_divisor(int64_t value, int64_t cap) {
  int64_t divisor = 1;
  while (divisor <= cap / 2 && value % (divisor * 2) == 0) divisor *= 2;
  return divisor;
}

}  // namespace ambidex
