// SPDX-License-Identifier: Apache-2.0
#include "runner/ptx_warp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "ambidex/base.h"
#include "ambidex/simt_device.h"

namespace ambidex {
namespace {

constexpr unsigned kLanes = 32;
constexpr uint64_t kAllLanes = 0xffffffff;
constexpr unsigned kRows = 16, kColumns = 8, kMaxDepth = 64;

/// A format with a sign, `exponent` and `fraction` bits and a bias; `finite` has no infinity.
double small_float(uint32_t bits, int exponent, int fraction, int bias, bool finite) {
  const int e = static_cast<int>(bits >> fraction & ((1u << exponent) - 1));
  const auto f = static_cast<double>(bits & ((1u << fraction) - 1));
  const double sign = (bits >> (exponent + fraction) & 1) != 0 ? -1 : 1;
  const int top = (1 << exponent) - 1;
  const double scale = std::ldexp(1.0, -fraction);
  if (e == top && finite && f == static_cast<double>((1 << fraction) - 1)) return std::nan("");
  if (e == top && !finite) return f == 0 ? sign * INFINITY : std::nan("");
  if (e == 0) return sign * std::ldexp(f * scale, 1 - bias);
  return sign * std::ldexp(1 + f * scale, e - bias);
}

double element(PtxElement type, uint32_t bits) {
  switch (type) {
    case PtxElement::f16:
      return small_float(bits & 0xffff, 5, 10, 15, false);
    case PtxElement::bf16:
      return std::bit_cast<float>(bits << 16);
    case PtxElement::tf32:
      return std::bit_cast<float>(bits & ~0x1fffu);
    case PtxElement::f32:
      return std::bit_cast<float>(bits);
    case PtxElement::e4m3:
      return small_float(bits & 0xff, 4, 3, 7, true);
    case PtxElement::e5m2:
      return small_float(bits & 0xff, 5, 2, 15, false);
    case PtxElement::s8:
      return static_cast<int8_t>(bits & 0xff);
    case PtxElement::u8:
      return bits & 0xff;
    case PtxElement::s32:
      return std::bit_cast<int32_t>(bits);
  }
  return 0;
}

/// Element `i` of a register: of `bytes` each.
uint32_t part(uint32_t word, unsigned bytes, unsigned i) {
  return bytes == 4 ? word : word >> (8 * bytes * i) & ((1u << (8 * bytes)) - 1);
}

/// As ambidex_simt_matrix_product() takes it.
int dtype_of(PtxElement element) {
  switch (element) {
    case PtxElement::f16:
      return static_cast<int>(DType::f16);
    case PtxElement::bf16:
      return static_cast<int>(DType::bf16);
    case PtxElement::tf32:
      return static_cast<int>(DType::tf32);
    case PtxElement::e4m3:
      return static_cast<int>(DType::fp8_e4m3);
    case PtxElement::e5m2:
      return static_cast<int>(DType::fp8_e5m2);
    case PtxElement::s8:
    case PtxElement::u8:
      return static_cast<int>(DType::int8);
    default:
      return -1;  // no operand's type
  }
}

struct ProductPayload {
  uint32_t product;
  const uint32_t* a;
  const uint32_t* b;
  const uint32_t* c;
  uint32_t* d;
};

struct Matrices {
  std::array<std::array<double, kMaxDepth>, kRows> a{};
  std::array<std::array<double, kColumns>, kMaxDepth> b{};
};

void place(Matrices& out, const PtxProduct& it, const ProductPayload& from, unsigned lane) {
  const unsigned group = lane / 4, in_group = lane % 4;
  const unsigned bytes = bytes_of(it.a), each = 4 / bytes;
  for (unsigned word = 0; word < num_words_a(it); ++word) {
    for (unsigned i = 0; i < each; ++i) {
      const unsigned row = group + 8 * (word & 1);
      const unsigned column = in_group * each + i + 4 * each * (word >> 1);
      out.a[row][column] = element(it.a, part(from.a[word], bytes, i));
    }
  }
  for (unsigned word = 0; word < num_words_b(it); ++word) {
    for (unsigned i = 0; i < each; ++i) {
      const unsigned row = in_group * each + i + 4 * each * word;
      out.b[row][group] = element(it.b, part(from.b[word], bytes, i));
    }
  }
}

uint32_t half_bits(double value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

uint32_t integer_bits(double sum, bool saturate) {
  if (saturate) sum = std::clamp(sum, -2147483648.0, 2147483647.0);
  return static_cast<uint32_t>(static_cast<int64_t>(sum));
}

void hand_out(const Matrices& in, const PtxProduct& it, const ProductPayload& to, unsigned lane) {
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
    const bool half_c = it.c == PtxElement::f16;
    double sum = half_c ? element(it.c, part(to.c[i / 2], 2, i % 2)) : element(it.c, to.c[i]);
    for (unsigned k = 0; k < it.depth; ++k) sum += in.a[row][k] * in.b[k][column];
    if (it.d == PtxElement::f16) {
      const uint32_t kept = i % 2 == 0 ? 0 : to.d[i / 2];
      to.d[i / 2] = kept | half_bits(sum) << (16 * (i % 2));
    } else if (it.d == PtxElement::s32) {
      to.d[i] = integer_bits(sum, it.saturate != 0);
    } else {
      to.d[i] = std::bit_cast<uint32_t>(static_cast<float>(sum));
    }
  }
}

void combine_product(void** payloads, ambidex_simt_u32) {
  Matrices all;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (payloads[lane] == nullptr) continue;
    const auto& from = *static_cast<const ProductPayload*>(payloads[lane]);
    place(all, unpacked(from.product), from, lane);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (payloads[lane] == nullptr) continue;
    const auto& to = *static_cast<const ProductPayload*>(payloads[lane]);
    hand_out(all, unpacked(to.product), to, lane);
  }
}

struct MatrixPayload {
  uint32_t count;
  uint32_t transposed;
  const uint32_t* row;
  uint32_t* out;
};

uint32_t element16(void** payloads, unsigned matrix, unsigned row, unsigned column) {
  const auto* from = static_cast<const MatrixPayload*>(payloads[8 * matrix + row]);
  return from == nullptr ? 0 : from->row[column / 2] >> (16 * (column % 2)) & 0xffff;
}

void combine_matrix(void** payloads, ambidex_simt_u32) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (payloads[lane] == nullptr) continue;
    const auto& to = *static_cast<const MatrixPayload*>(payloads[lane]);
    const unsigned row = lane / 4, column = lane % 4 * 2;
    for (unsigned matrix = 0; matrix < to.count; ++matrix) {
      const bool turn = to.transposed != 0;
      const uint32_t low = turn ? element16(payloads, matrix, column, row)
                                : element16(payloads, matrix, row, column);
      const uint32_t high = turn ? element16(payloads, matrix, column + 1, row)
                                 : element16(payloads, matrix, row, column + 1);
      to.out[matrix] = low | high << 16;
    }
  }
}

struct ReduxPayload {
  uint32_t value;
  uint32_t op;
  uint32_t is_signed;
};

uint32_t folded(const ReduxPayload& how, uint32_t a, uint32_t b) {
  const bool less =
      how.is_signed != 0 ? std::bit_cast<int32_t>(a) < std::bit_cast<int32_t>(b) : a < b;
  switch (how.op) {
    case 0:
      return a + b;
    case 1:
      return less ? a : b;
    case 2:
      return less ? b : a;
    case 3:
      return a & b;
    case 4:
      return a | b;
    default:
      return a ^ b;
  }
}

void combine_redux(void** payloads, ambidex_simt_u32) {
  const ReduxPayload* first = nullptr;
  uint32_t all = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto* it = static_cast<const ReduxPayload*>(payloads[lane]);
    if (it == nullptr) continue;
    all = first == nullptr ? it->value : folded(*it, all, it->value);
    first = it;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (payloads[lane] != nullptr) static_cast<ReduxPayload*>(payloads[lane])->value = all;
  }
}

struct MatchPayload {
  uint64_t value;
  uint64_t same;
};

void combine_match(void** payloads, ambidex_simt_u32) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto* it = static_cast<MatchPayload*>(payloads[lane]);
    if (it == nullptr) continue;
    it->same = 0;
    for (unsigned other = 0; other < kLanes; ++other) {
      const auto* with = static_cast<const MatchPayload*>(payloads[other]);
      if (with != nullptr && with->value == it->value) it->same |= uint64_t{1} << other;
    }
  }
}

}  // namespace
}  // namespace ambidex

using namespace ambidex;

void ambidex_simt_ptx_mma(uint32_t product, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                          uint32_t* d) {
  ProductPayload payload{product, a, b, c, d};
  const PtxProduct it = unpacked(product);
  ambidex_simt_matrix_product(dtype_of(it.a), uint64_t{2} * kRows * kColumns * it.depth / kLanes);
  ambidex_simt_collective(kAllLanes, &payload, combine_product);
}

void ambidex_simt_ptx_ldmatrix(uint32_t count, uint32_t transposed, const uint32_t* row,
                               uint32_t* out) {
  MatrixPayload payload{count, transposed, row, out};
  ambidex_simt_collective(kAllLanes, &payload, combine_matrix);
}

uint32_t ambidex_simt_ptx_redux(uint64_t lanes, uint32_t value, uint32_t op, uint32_t is_signed) {
  ReduxPayload payload{value, op, is_signed};
  ambidex_simt_collective(lanes, &payload, combine_redux);
  return payload.value;
}

uint64_t ambidex_simt_ptx_match(uint64_t lanes, uint64_t value) {
  MatchPayload payload{value, 0};
  ambidex_simt_collective(lanes, &payload, combine_match);
  return payload.same;
}
