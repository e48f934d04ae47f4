// SPDX-License-Identifier: Apache-2.0
// cudaCreateChannelDesc<T>: bits of each channel and their kind.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime_api.h"
#include "../vector_types.h"

namespace ambidex_cuda {
template <class Element, int kNum>
inline cudaChannelFormatDesc channels_of() {
  const int bits = 8 * int(sizeof(Element));
  const cudaChannelFormatKind kind = Element(0.5f) != Element(0) ? cudaChannelFormatKindFloat
                                     : Element(-1) < Element(0)  ? cudaChannelFormatKindSigned
                                                                 : cudaChannelFormatKindUnsigned;
  return cudaChannelFormatDesc{bits, kNum > 1 ? bits : 0, kNum > 2 ? bits : 0, kNum > 3 ? bits : 0,
                               kind};
}
}  // namespace ambidex_cuda

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone};
}
#define AMBIDEX_CHANNEL(T, element, num)                    \
  template <>                                               \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() { \
    return ambidex_cuda::channels_of<element, num>();       \
  }
#define AMBIDEX_CHANNELS(name, element) \
  AMBIDEX_CHANNEL(element, element, 1)  \
  AMBIDEX_CHANNEL(name##1, element, 1)  \
  AMBIDEX_CHANNEL(name##2, element, 2)  \
  AMBIDEX_CHANNEL(name##4, element, 4)
AMBIDEX_CHANNEL(char, char, 1)
AMBIDEX_CHANNELS(char, signed char)
AMBIDEX_CHANNELS(uchar, unsigned char)
AMBIDEX_CHANNELS(short, short)
AMBIDEX_CHANNELS(ushort, unsigned short)
AMBIDEX_CHANNELS(int, int)
AMBIDEX_CHANNELS(uint, unsigned int)
AMBIDEX_CHANNELS(float, float)
#undef AMBIDEX_CHANNELS
#undef AMBIDEX_CHANNEL
