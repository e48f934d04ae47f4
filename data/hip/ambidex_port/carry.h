// SPDX-License-Identifier: Apache-2.0
// Arithmetic of long numbers word by word: PTX's add.cc, addc and their like [N01]. `carry` is the
// flag that one instruction leaves to the next, 0 or 1; of a difference it is what was borrowed.
#ifndef AMBIDEX_PORT_CARRY_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_CARRY_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

template <class T>
AMBIDEX_PORT_INLINE T addc_cc(T a, T b, unsigned& carry) {
  const T sum = a + b;
  const T all = sum + carry;
  carry = (sum < a || all < sum) ? 1u : 0u;
  return all;
}
template <class T>
AMBIDEX_PORT_INLINE T add_cc(T a, T b, unsigned& carry) {
  carry = 0;
  return addc_cc(a, b, carry);
}
template <class T>
AMBIDEX_PORT_INLINE T addc(T a, T b, unsigned carry) {
  return a + b + carry;
}
template <class T>
AMBIDEX_PORT_INLINE T subc_cc(T a, T b, unsigned& carry) {
  const T rest = a - b;
  const T all = rest - carry;
  carry = (a < b || rest < carry) ? 1u : 0u;
  return all;
}
template <class T>
AMBIDEX_PORT_INLINE T sub_cc(T a, T b, unsigned& carry) {
  carry = 0;
  return subc_cc(a, b, carry);
}
template <class T>
AMBIDEX_PORT_INLINE T subc(T a, T b, unsigned carry) {
  return a - b - carry;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_CARRY_H
