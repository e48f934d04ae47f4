// SPDX-License-Identifier: Apache-2.0
// Integer words and 8-bit floats of ambidex_port.h, each against its definition.
#include <cstring>

#include "ambidex_port.h"
#include "check.h"

namespace port = ambidex_port;

namespace {

constexpr int kNum = 512, kWords = 22;

__global__ void words(const unsigned* in, unsigned* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  unsigned* const o = out + kWords * i;
  o[0] = port::byte_perm(a, b, c);
  o[1] = port::prmt_b32(a, b, c);
  o[2] = port::funnelshift_l(a, b, c);
  o[3] = port::funnelshift_rc(a, b, c & 63);
  o[4] = static_cast<unsigned>(port::dp4a(static_cast<int>(a), static_cast<int>(b), 5));
  o[5] = port::dp4a(a, b, c);
  o[6] = static_cast<unsigned>(port::dp2a_hi(static_cast<int>(a), static_cast<int>(b), 5));
  o[7] = port::bfe_u32(a, b & 63, c & 63);
  o[8] = static_cast<unsigned>(port::bfe_s32(static_cast<int>(a), b & 63, c & 63));
  o[9] = port::bfi_b32(a, b, c & 63, c >> 8 & 63);
  o[10] = port::lop3<0xe8>(a, b, c);
  o[11] = port::vabsdiffs4(a, b);
  o[12] = port::vaddss2(a, b);
  o[13] = port::vsubus4(a, b);
  o[14] = port::vcmpgts4(a, b);
  o[15] = port::vsetleu2(a, b);
  o[16] = port::vavgs4(a, b);
  o[17] = port::vsadu4(a, b);
  o[18] = port::vavgu2(a, b);
  o[19] = port::usad(a, b, c);
  o[20] = port::vmins4(a, b);
  o[21] = port::vabsss4(a);
}

int piece(unsigned x, int i, int bits, bool is_signed) {
  const int value = static_cast<int>(x >> i * bits) & ((1 << bits) - 1);
  return is_signed && value >= 1 << (bits - 1) ? value - (1 << bits) : value;
}
template <class Op>
unsigned pieces(unsigned a, unsigned b, int bits, bool is_signed, Op op) {
  unsigned result = 0;
  for (int i = 0; i < 32 / bits; ++i) {
    const int value = op(piece(a, i, bits, is_signed), piece(b, i, bits, is_signed));
    result |= (static_cast<unsigned>(value) & ((1u << bits) - 1)) << i * bits;
  }
  return result;
}
int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

// PTX's manual: bits beyond the word are the sign's, or 0.
unsigned field(unsigned a, unsigned position, unsigned length, bool is_signed) {
  unsigned result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned last = position + length - 1 < 31 ? position + length - 1 : 31;
    const bool sign = is_signed && length > 0 && (a >> last & 1u);
    const bool inside = i < length && position + i < 32;
    if (inside ? a >> (position + i) & 1u : sign) result |= 1u << i;
  }
  return result;
}

void check_words() {
  Array<unsigned> in(3 * kNum), out(kWords * kNum);
  unsigned x = 12345;
  for (unsigned& value : in.host) value = x = x * 1664525u + 1013904223u + (x >> 15);
  in.up();
  words<<<kNum / 64, 64>>>(in.device, out.device);
  out.down();
  for (int i = 0; i < kNum; ++i) {
    const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    unsigned w[kWords] = {};
    unsigned char bytes[8];
    std::memcpy(bytes, &a, 4);
    std::memcpy(bytes + 4, &b, 4);
    for (int k = 0; k < 4; ++k) {
      const unsigned choice = c >> 4 * k & 15u, byte = bytes[choice & 7u];
      w[0] |= byte << 8 * k;
      w[1] |= (choice & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte) << 8 * k;
      w[5] += (a >> 8 * k & 255u) * (b >> 8 * k & 255u);
      w[4] += static_cast<unsigned>(piece(a, k, 8, true) * piece(b, k, 8, true));
      w[17] += static_cast<unsigned>(std::abs(piece(a, k, 8, false) - piece(b, k, 8, false)));
    }
    w[2] = (c & 31u) == 0 ? b : b << (c & 31u) | a >> (32 - (c & 31u));
    const unsigned shift = c & 63u;
    w[3] = shift >= 32 ? b : shift == 0 ? a : a >> shift | b << (32 - shift);
    w[4] += 5;
    w[5] += c;
    w[6] = static_cast<unsigned>(piece(a, 0, 16, true) * piece(b, 2, 8, true) +
                                 piece(a, 1, 16, true) * piece(b, 3, 8, true) + 5);
    w[7] = field(a, b & 63, c & 63, false);
    w[8] = field(a, b & 63, c & 63, true);
    w[9] = b;
    for (unsigned k = 0; k < (c >> 8 & 63u) && (c & 63u) + k < 32; ++k) {
      const unsigned bit = 1u << ((c & 63u) + k);
      w[9] = k < 32 && a >> k & 1u ? w[9] | bit : w[9] & ~bit;
    }
    w[10] = (a & b) | (a & c) | (b & c);
    w[11] = pieces(a, b, 8, true, [](int p, int q) { return std::abs(p - q); });
    w[12] = pieces(a, b, 16, true, [](int p, int q) { return clamp(p + q, -32768, 32767); });
    w[13] = pieces(a, b, 8, false, [](int p, int q) { return clamp(p - q, 0, 255); });
    w[14] = pieces(a, b, 8, true, [](int p, int q) { return p > q ? -1 : 0; });
    w[15] = pieces(a, b, 16, false, [](int p, int q) { return p <= q ? 1 : 0; });
    w[16] = pieces(a, b, 8, true, [](int p, int q) {
      const double half = (p + q) / 2.0;  // away from zero, as CUDA rounds it
      return static_cast<int>(half < 0 ? half - 0.5 : half + 0.5);
    });
    w[18] = pieces(a, b, 16, false, [](int p, int q) { return (p + q + 1) / 2; });
    w[19] = (a > b ? a - b : b - a) + c;
    w[20] = pieces(a, b, 8, true, [](int p, int q) { return p < q ? p : q; });
    w[21] = pieces(a, a, 8, true, [](int p, int) { return clamp(std::abs(p), 0, 127); });
    for (int k = 0; k < kWords; ++k) expect("word", 100 * i + k, out[kWords * i + k], w[k]);
  }
}

__global__ void narrow(const float* in, unsigned char* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  for (int kind = 0; kind < 4; ++kind) {
    for (int sat = 0; sat < 2; ++sat) {
      out[8 * i + 2 * kind + sat] = port::cvt_float_to_fp8(
          in[i], static_cast<port::saturation>(sat), static_cast<port::fp8_kind>(kind));
    }
  }
}
__global__ void widen(float* out) {
  const int i = static_cast<int>(threadIdx.x);
  for (int kind = 0; kind < 4; ++kind) {
    out[4 * i + kind] =
        port::cvt_fp8_to_float(static_cast<unsigned char>(i), static_cast<port::fp8_kind>(kind));
  }
}

// The formats as tables of their definitions: sign, exponent with bias, fraction.
struct Format {
  int mantissa, bias;
  bool fnuz;
  double largest;
};
const Format kFormats[4] = {
    {3, 7, false, 448}, {2, 15, false, 57344}, {3, 8, true, 240}, {2, 16, true, 57344}};

double value_of(const Format& f, int code) {
  const int magnitude = code & 127, exponent = magnitude >> f.mantissa;
  const double fraction = (magnitude & ((1 << f.mantissa) - 1)) / double(1 << f.mantissa);
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - f.bias)
                                    : std::ldexp(1 + fraction, exponent - f.bias);
  return code & 128 ? -size : size;
}
bool is_number(const Format& f, int code) {
  if (f.fnuz) return code != 128;
  return std::fabs(value_of(f, code)) <= f.largest;
}

// The nearest of all numbers; of two as near, the one with an even code. Beyond: half a step more.
int nearest(const Format& f, double x, bool saturate) {
  if (std::fabs(x) > 1e6) x = std::copysign(1e6, x);  // so that gaps differ
  int best = -1;
  double least = 1e300;
  for (int magnitude = 0; magnitude < 128; ++magnitude) {
    if (!is_number(f, magnitude)) continue;
    const double gap = std::fabs(value_of(f, magnitude) - std::fabs(x));
    if (gap < least || (gap == least && magnitude % 2 == 0)) best = magnitude, least = gap;
  }
  const double step = f.largest - value_of(f, best - 1);
  const bool top = value_of(f, best) == f.largest;
  const bool odd = best % 2 != 0;
  const double over = std::fabs(x) - f.largest;
  const bool is_beyond = top && (over > step / 2 || (over == step / 2 && odd));
  const int sign = std::signbit(x) ? 128 : 0;
  if (is_beyond && !saturate) return f.fnuz ? 128 : sign | (f.mantissa == 3 ? 127 : 124);
  if (f.fnuz && best == 0) return 0;
  return sign | best;
}

void check_fp8() {
  std::vector<float> inputs;
  for (const Format& f : kFormats) {
    for (int code = 0; code < 256; ++code) {
      if (!is_number(f, code)) continue;
      const float x = static_cast<float>(value_of(f, code));
      const float next = static_cast<float>(value_of(f, (code & 127) == 126 ? code : code + 1));
      for (const float y : {x, (x + next) / 2, std::nextafter((x + next) / 2, x),
                            std::nextafter((x + next) / 2, next), x * 1.07f}) {
        inputs.push_back(y);
      }
    }
  }
  for (const float x : {0.0f, -0.0f, 1e-30f, -1e-42f, 464.0f, 465.0f, 1e30f, -1e30f, 61440.0f,
                        61441.0f, 248.0f, 247.9f, 249.0f, INFINITY, -INFINITY}) {
    inputs.push_back(x);
  }
  const int n = static_cast<int>(inputs.size());
  Array<float> in(inputs.size()), wide(1024);
  in.host = inputs;
  in.up();
  Array<unsigned char> out(8 * inputs.size());
  narrow<<<(n + 255) / 256, 256>>>(in.device, out.device, n);
  widen<<<1, 256>>>(wide.device);
  out.down();
  wide.down();
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 8; ++k) {
      expect("fp8", 10 * i + k, int(out[8 * i + k]), nearest(kFormats[k / 2], in[i], k % 2 == 1));
    }
  }
  for (int code = 0; code < 256; ++code) {
    for (int kind = 0; kind < 4; ++kind) {
      const Format& f = kFormats[kind];
      const float got = wide[4 * code + kind];
      if (is_number(f, code)) {
        expect("value", 10 * code + kind, got, value_of(f, code));
      } else if (kind == 1 && (code & 127) == 124) {
        expect("infinity", code, got, code & 128 ? -INFINITY : INFINITY);
      } else {
        expect("not a number", 10 * code + kind, got != got, true);
      }
    }
  }
}

}  // namespace

int main() {
  check_words();
  check_fp8();
  return finish();
}
