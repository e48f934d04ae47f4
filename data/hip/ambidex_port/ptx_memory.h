// SPDX-License-Identifier: Apache-2.0
// PTX's atom and red with an order and a scope, and addresses of shared memory as pointers.
#ifndef AMBIDEX_PORT_PTX_MEMORY_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PTX_MEMORY_H

#include "ambidex_port/platform.h"
#include "ambidex_port/ptx_halves.h"

namespace ambidex_port {

// What shared_address() was made of: an address of LDS, in 32 bits [N01].
template <class T>
AMBIDEX_PORT_MEMBER T* shared_pointer(unsigned address) {
#if defined(AMBIDEX_PORT_GFX)
  return (T*)(__attribute__((address_space(3))) T*)address;
#elif defined(AMBIDEX_HIP_SIMT)  // the low half of an address near the block's shared memory
  extern __shared__ char ambidex_port_shared[];
  const auto base = reinterpret_cast<size_t>(ambidex_port_shared);
  const int distance = static_cast<int>(address - static_cast<unsigned>(base));
  return reinterpret_cast<T*>(base + static_cast<size_t>(static_cast<long long>(distance)));
#else
  return reinterpret_cast<T*>(static_cast<size_t>(address));
#endif
}

// order: __ATOMIC_RELAXED ...; scope: __HIP_MEMORY_SCOPE_WORKGROUP, _AGENT, _SYSTEM [N01 S08].
template <int scope>
AMBIDEX_PORT_MEMBER void fence_of() {
  if (scope == __HIP_MEMORY_SCOPE_WORKGROUP) return __threadfence_block();
  if (scope == __HIP_MEMORY_SCOPE_AGENT) return __threadfence();
  __threadfence_system();
}
template <int scope, class T>
AMBIDEX_PORT_MEMBER T atom_cas_relaxed(T* address, T expected, T desired) {
  __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED, scope);
  return expected;
}
// Any operation, between the fences that its order asks for; Word is the integer of T's size.
template <int order, int scope, class Word, class Op>
AMBIDEX_PORT_MEMBER Word atom_update(Word* address, Op op) {
  if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL) fence_of<scope>();
  Word seen = __hip_atomic_load(address, __ATOMIC_RELAXED, scope);
  for (;;) {
    const Word found = atom_cas_relaxed<scope>(address, seen, static_cast<Word>(op(seen)));
    if (found == seen) break;
    seen = found;
  }
  if (order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL) fence_of<scope>();
  return seen;
}
#define AMBIDEX_PORT_ATOM(name, builtin)                   \
  template <int order, int scope, class T>                 \
  AMBIDEX_PORT_MEMBER T atom_##name(T* address, T value) { \
    return builtin(address, value, order, scope);          \
  }
AMBIDEX_PORT_ATOM(add, __hip_atomic_fetch_add)
AMBIDEX_PORT_ATOM(min, __hip_atomic_fetch_min)
AMBIDEX_PORT_ATOM(max, __hip_atomic_fetch_max)
AMBIDEX_PORT_ATOM(and, __hip_atomic_fetch_and)
AMBIDEX_PORT_ATOM(or, __hip_atomic_fetch_or)
AMBIDEX_PORT_ATOM(xor, __hip_atomic_fetch_xor)
AMBIDEX_PORT_ATOM(exch, __hip_atomic_exchange)
#undef AMBIDEX_PORT_ATOM
template <int order, int scope, class T>
AMBIDEX_PORT_MEMBER T atom_cas(T* address, T expected, T desired) {
  return atom_update<order, scope>(address,
                                   [=](T old) -> T { return old == expected ? desired : old; });
}
template <int order, int scope>
AMBIDEX_PORT_MEMBER unsigned atom_inc(unsigned* address, unsigned limit) {
  return atom_update<order, scope>(
      address, [=](unsigned old) -> unsigned { return old >= limit ? 0u : old + 1u; });
}
template <int order, int scope>
AMBIDEX_PORT_MEMBER unsigned atom_dec(unsigned* address, unsigned limit) {
  return atom_update<order, scope>(address, [=](unsigned old) -> unsigned {
    return old == 0u || old > limit ? limit : old - 1u;
  });
}
template <int order, int scope>
AMBIDEX_PORT_MEMBER float atom_add_f32(float* address, float value) {
  return bits_as<float>(atom_update<order, scope>(
      reinterpret_cast<unsigned*>(address),
      [=](unsigned old) -> unsigned { return bits_as<unsigned>(bits_as<float>(old) + value); }));
}
template <int order, int scope>
AMBIDEX_PORT_MEMBER double atom_add_f64(double* address, double value) {
  return bits_as<double>(
      atom_update<order, scope>(reinterpret_cast<unsigned long long*>(address),
                                [=](unsigned long long old) -> unsigned long long {
                                  return bits_as<unsigned long long>(bits_as<double>(old) + value);
                                }));
}
// .noftz: f16, bf16 and pairs, whose halves are added at once [N10].
#define AMBIDEX_PORT_ATOM_HALF(type, Word)                                                      \
  template <int order, int scope>                                                               \
  AMBIDEX_PORT_MEMBER Word atom_add_##type(Word* address, Word value) {                         \
    return atom_update<order, scope>(address,                                                   \
                                     [=](Word old) -> Word { return add_##type(old, value); }); \
  }
AMBIDEX_PORT_ATOM_HALF(f16, unsigned short)
AMBIDEX_PORT_ATOM_HALF(bf16, unsigned short)
AMBIDEX_PORT_ATOM_HALF(f16x2, unsigned)
AMBIDEX_PORT_ATOM_HALF(bf16x2, unsigned)
#undef AMBIDEX_PORT_ATOM_HALF

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PTX_MEMORY_H
