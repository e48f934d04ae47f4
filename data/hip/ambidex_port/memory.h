// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints, and asynchronous copies made synchronous.
#ifndef AMBIDEX_PORT_MEMORY_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_MEMORY_H

#include "ambidex_port/platform.h"

namespace ambidex_port {
namespace pieces {

typedef unsigned Two __attribute__((ext_vector_type(2)));
typedef unsigned Four __attribute__((ext_vector_type(4)));

template <int size>
struct Piece;  // what one instruction moves
template <>
struct Piece<1> {
  using type = unsigned char;
};
template <>
struct Piece<2> {
  using type = unsigned short;
};
template <>
struct Piece<4> {
  using type = unsigned;
};
template <>
struct Piece<8> {
  using type = Two;
};
template <>
struct Piece<16> {
  using type = Four;
};

}  // namespace pieces

// ldcs and ldlu are read once, and bypass as far as the hardware can; the others are plain [N17].
template <class T>
AMBIDEX_PORT_DEVICE T ldcs(const T* address) {
  using Piece = typename pieces::Piece<sizeof(T)>::type;
  return bits_as<T>(__builtin_nontemporal_load(reinterpret_cast<const Piece*>(address)));
}
template <class T>
AMBIDEX_PORT_DEVICE void stcs(T* address, T value) {
  using Piece = typename pieces::Piece<sizeof(T)>::type;
  __builtin_nontemporal_store(bits_as<Piece>(value), reinterpret_cast<Piece*>(address));
}
template <class T>
AMBIDEX_PORT_DEVICE T ldlu(const T* address) {
  return ldcs(address);
}
template <class T>
AMBIDEX_PORT_DEVICE T ldg(const T* address) {
  return *address;
}
template <class T>
AMBIDEX_PORT_DEVICE T ldca(const T* address) {
  return *address;
}
template <class T>
AMBIDEX_PORT_DEVICE T ldcg(const T* address) {
  return *address;
}
// Not from a cache that others do not see: as volatile.
template <class T>
AMBIDEX_PORT_DEVICE T ldcv(const T* address) {
  using Piece = typename pieces::Piece<sizeof(T)>::type;
  return bits_as<T>(*reinterpret_cast<const volatile Piece*>(address));
}
template <class T>
AMBIDEX_PORT_DEVICE void stwb(T* address, T value) {
  *address = value;
}
template <class T>
AMBIDEX_PORT_DEVICE void stcg(T* address, T value) {
  *address = value;
}
template <class T>
AMBIDEX_PORT_DEVICE void stwt(T* address, T value) {
  using Piece = typename pieces::Piece<sizeof(T)>::type;
  *reinterpret_cast<volatile Piece*>(address) = bits_as<Piece>(value);
}

// CUDA's asynchronous copies. Done at once, by registers: a wait that follows has nothing to wait
// for, and a barrier that makes the data visible to others stays where it is [N05].
template <int num_bytes>
AMBIDEX_PORT_DEVICE void cp_async(void* to, const void* from, int source_bytes = num_bytes) {
  using Piece = typename pieces::Piece<num_bytes>::type;
  if (source_bytes >= num_bytes) {
    *static_cast<Piece*>(to) = *static_cast<const Piece*>(from);
    return;
  }
  auto* const target = static_cast<unsigned char*>(to);
  const auto* const source = static_cast<const unsigned char*>(from);
  for (int i = 0; i < num_bytes; ++i) target[i] = i < source_bytes ? source[i] : 0;
}
AMBIDEX_PORT_DEVICE void cp_async_commit_group() {}
template <int>
AMBIDEX_PORT_DEVICE void cp_async_wait_group() {}
AMBIDEX_PORT_DEVICE void cp_async_wait_all() {}

// num_bytes 4, 8 or 16; the last `zero_bytes` of them are not read and become 0.
AMBIDEX_PORT_DEVICE void pipeline_memcpy_async(void* to, const void* from, size_t num_bytes,
                                               size_t zero_bytes = 0) {
  const int read_bytes = static_cast<int>(num_bytes - zero_bytes);
  if (num_bytes == 16) return cp_async<16>(to, from, read_bytes);
  if (num_bytes == 8) return cp_async<8>(to, from, read_bytes);
  cp_async<4>(to, from, read_bytes);
}
AMBIDEX_PORT_DEVICE void pipeline_commit() {}
AMBIDEX_PORT_DEVICE void pipeline_wait_prior(unsigned) {}

// cooperative_groups::memcpy_async and wait: `num_bytes`, by all threads of the group [N05 W14].
template <class Group>
AMBIDEX_PORT_DEVICE void memcpy_async(const Group& group, void* to, const void* from,
                                      size_t num_bytes) {
  const size_t rank = group.thread_rank(), size = group.size();
  const size_t places = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | num_bytes;
  if (places % 16 == 0) {
    for (size_t i = rank; i < num_bytes / 16; i += size) {
      static_cast<pieces::Four*>(to)[i] = static_cast<const pieces::Four*>(from)[i];
    }
  } else if (places % 4 == 0) {
    for (size_t i = rank; i < num_bytes / 4; i += size) {
      static_cast<unsigned*>(to)[i] = static_cast<const unsigned*>(from)[i];
    }
  } else {
    for (size_t i = rank; i < num_bytes; i += size) {
      static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
    }
  }
}
template <class Group>
AMBIDEX_PORT_DEVICE void wait(const Group& group) {
  group.sync();
}

// cvta.to.shared: the address within LDS. Elsewhere than on the GPU a number to compare only.
AMBIDEX_PORT_DEVICE unsigned shared_address(const void* pointer) {
#if defined(AMBIDEX_PORT_GFX)
  using Shared = const __attribute__((address_space(3))) void;
  return static_cast<unsigned>(reinterpret_cast<size_t>((Shared*)pointer));
#else
  return static_cast<unsigned>(reinterpret_cast<size_t>(pointer));
#endif
}
// cvta of addresses in global memory, which are the generic ones.
AMBIDEX_PORT_DEVICE size_t global_address(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
AMBIDEX_PORT_DEVICE void* global_pointer(size_t address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_MEMORY_H
