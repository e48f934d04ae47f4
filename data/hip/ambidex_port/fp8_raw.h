// SPDX-License-Identifier: Apache-2.0
// fp8 from and to the bits of half and bfloat16, by float, in which all of them are exact [N07].
#ifndef AMBIDEX_PORT_FP8_RAW_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_FP8_RAW_H

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include "ambidex_port/fp8.h"

namespace ambidex_port {

AMBIDEX_PORT_BOTH unsigned char cvt_halfraw_to_fp8(__half_raw x, saturation saturate,
                                                   fp8_kind kind) {
  return cvt_float_to_fp8(__half2float(bits_as<__half>(x)), saturate, kind);
}
AMBIDEX_PORT_BOTH unsigned char cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw x, saturation saturate,
                                                       fp8_kind kind) {
  return cvt_float_to_fp8(__bfloat162float(bits_as<__hip_bfloat16>(x)), saturate, kind);
}
AMBIDEX_PORT_BOTH unsigned short cvt_halfraw2_to_fp8x2(__half2_raw x, saturation saturate,
                                                       fp8_kind kind) {
  return cvt_float2_to_fp8x2(__half22float2(bits_as<__half2>(x)), saturate, kind);
}
AMBIDEX_PORT_BOTH unsigned short cvt_bfloat16raw2_to_fp8x2(__hip_bfloat162_raw x,
                                                           saturation saturate, fp8_kind kind) {
  return cvt_float2_to_fp8x2(__bfloat1622float2(bits_as<__hip_bfloat162>(x)), saturate, kind);
}
// A NaN is 0x7fff, as in CUDA.
AMBIDEX_PORT_BOTH __half_raw cvt_fp8_to_halfraw(unsigned char code, fp8_kind kind) {
  const float x = cvt_fp8_to_float(code, kind);
  if (!(x == x)) return bits_as<__half_raw>(static_cast<unsigned short>(0x7fff));
  return bits_as<__half_raw>(__float2half(x));
}
AMBIDEX_PORT_BOTH __half2_raw cvt_fp8x2_to_halfraw2(unsigned short codes, fp8_kind kind) {
  const unsigned low =
      bits_as<unsigned short>(cvt_fp8_to_halfraw(static_cast<unsigned char>(codes & 0xff), kind));
  const unsigned high =
      bits_as<unsigned short>(cvt_fp8_to_halfraw(static_cast<unsigned char>(codes >> 8), kind));
  return bits_as<__half2_raw>(low | high << 16);
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_FP8_RAW_H
