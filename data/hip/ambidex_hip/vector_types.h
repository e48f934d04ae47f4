// SPDX-License-Identifier: Apache-2.0
// float4 and its like, dim3. As in ROCm += -= *= /= of two vectors are members, and * and / are
// friends: beside a program's own ones calls are ambiguous. The rest are templates, to which a
// program's own are preferred.
#pragma once

#include <type_traits>

// std::is_convertible calls functions of the host, which clang refuses where a vector is copied for
// a variable of the device, even unevaluated.
#if defined(__clang__)
template <class From, class To>
inline constexpr bool ambidex_hip_converts = __is_convertible(From, To);
#else
template <class From, class To>
inline constexpr bool ambidex_hip_converts = std::is_convertible_v<From, To>;
#endif

template <class T, unsigned n>
struct ambidex_hip_lanes;
template <class T>
struct ambidex_hip_lanes<T, 1> {
  T x;
};
template <class T>
struct alignas(2 * sizeof(T) < 16 ? 2 * sizeof(T) : 16) ambidex_hip_lanes<T, 2> {
  T x, y;
};
template <class T>
struct ambidex_hip_lanes<T, 3> {
  T x, y, z;
};
template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) ambidex_hip_lanes<T, 4> {
  T x, y, z, w;
};

template <class T, unsigned n>
struct HIP_vector_type : ambidex_hip_lanes<T, n> {
  using Lanes = ambidex_hip_lanes<T, n>;
  using value_type = T;

  HIP_vector_type() = default;
  template <class... U,
            std::enable_if_t<(n > 1) && sizeof...(U) == n && (ambidex_hip_converts<U, T> && ...),
                             int> = 0>
  AMBIDEX_HIP_BOTH constexpr HIP_vector_type(U... values) : Lanes{static_cast<T>(values)...} {}
  template <class U, std::enable_if_t<ambidex_hip_converts<U, T>, int> = 0>
  AMBIDEX_HIP_BOTH explicit constexpr HIP_vector_type(U value) : Lanes{} {
    for (unsigned i = 0; i < n; ++i) (*this)[i] = static_cast<T>(value);
  }
  AMBIDEX_HIP_BOTH constexpr T& operator[](unsigned i) {
    if constexpr (n > 3) {
      if (i == 3) return this->w;
    }
    if constexpr (n > 2) {
      if (i == 2) return this->z;
    }
    if constexpr (n > 1) {
      if (i == 1) return this->y;
    }
    return this->x;
  }
  AMBIDEX_HIP_BOTH constexpr const T& operator[](unsigned i) const {
    return const_cast<HIP_vector_type&>(*this)[i];
  }

#define AMBIDEX_HIP_MEMBER(op)                                                        \
  AMBIDEX_HIP_BOTH constexpr HIP_vector_type& operator op(const HIP_vector_type& b) { \
    for (unsigned i = 0; i < n; ++i) (*this)[i] op b[i];                              \
    return *this;                                                                     \
  }
  AMBIDEX_HIP_MEMBER(+=)
  AMBIDEX_HIP_MEMBER(-=)
  AMBIDEX_HIP_MEMBER(*=)
  AMBIDEX_HIP_MEMBER(/=)
  AMBIDEX_HIP_MEMBER(&=)
  AMBIDEX_HIP_MEMBER(|=)
  AMBIDEX_HIP_MEMBER(^=)
#undef AMBIDEX_HIP_MEMBER
  friend AMBIDEX_HIP_BOTH constexpr HIP_vector_type operator*(HIP_vector_type a,
                                                              const HIP_vector_type& b) {
    return a *= b;
  }
  friend AMBIDEX_HIP_BOTH constexpr HIP_vector_type operator/(HIP_vector_type a,
                                                              const HIP_vector_type& b) {
    return a /= b;
  }
};

// With a number in place of one vector; and of two vectors what is no friend.
#define AMBIDEX_HIP_OPERATOR(op)                                                                 \
  template <class T, unsigned n, class U, std::enable_if_t<ambidex_hip_converts<U, T>, int> = 0> \
  AMBIDEX_HIP_BOTH constexpr HIP_vector_type<T, n>& operator op##=(HIP_vector_type<T, n>& a,     \
                                                                   U b) {                        \
    return a op## = HIP_vector_type<T, n>(b);                                                    \
  }                                                                                              \
  template <class T, unsigned n, class U, std::enable_if_t<ambidex_hip_converts<U, T>, int> = 0> \
  AMBIDEX_HIP_BOTH constexpr HIP_vector_type<T, n> operator op(HIP_vector_type<T, n> a, U b) {   \
    return a op## = HIP_vector_type<T, n>(b);                                                    \
  }                                                                                              \
  template <class T, unsigned n, class U, std::enable_if_t<ambidex_hip_converts<U, T>, int> = 0> \
  AMBIDEX_HIP_BOTH constexpr HIP_vector_type<T, n> operator op(U a,                              \
                                                               const HIP_vector_type<T, n>& b) { \
    HIP_vector_type<T, n> result(a);                                                             \
    return result op## = b;                                                                      \
  }
#define AMBIDEX_HIP_OPERATOR_OF_TWO(op)                                                          \
  template <class T, unsigned n>                                                                 \
  AMBIDEX_HIP_BOTH constexpr HIP_vector_type<T, n> operator op(HIP_vector_type<T, n> a,          \
                                                               const HIP_vector_type<T, n>& b) { \
    return a op## = b;                                                                           \
  }
AMBIDEX_HIP_OPERATOR(+)
AMBIDEX_HIP_OPERATOR(-)
AMBIDEX_HIP_OPERATOR(*)
AMBIDEX_HIP_OPERATOR(/)
AMBIDEX_HIP_OPERATOR(&)
AMBIDEX_HIP_OPERATOR(|)
AMBIDEX_HIP_OPERATOR(^)
AMBIDEX_HIP_OPERATOR_OF_TWO(+)
AMBIDEX_HIP_OPERATOR_OF_TWO(-)
AMBIDEX_HIP_OPERATOR_OF_TWO(&)
AMBIDEX_HIP_OPERATOR_OF_TWO(|)
AMBIDEX_HIP_OPERATOR_OF_TWO(^)
#undef AMBIDEX_HIP_OPERATOR
#undef AMBIDEX_HIP_OPERATOR_OF_TWO

template <class T, unsigned n>
AMBIDEX_HIP_BOTH constexpr HIP_vector_type<T, n> operator-(HIP_vector_type<T, n> a) {
  for (unsigned i = 0; i < n; ++i) a[i] = -a[i];
  return a;
}
template <class T, unsigned n>
AMBIDEX_HIP_BOTH constexpr bool operator==(const HIP_vector_type<T, n>& a,
                                           const HIP_vector_type<T, n>& b) {
  for (unsigned i = 0; i < n; ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}
template <class T, unsigned n>
AMBIDEX_HIP_BOTH constexpr bool operator!=(const HIP_vector_type<T, n>& a,
                                           const HIP_vector_type<T, n>& b) {
  return !(a == b);
}

#define AMBIDEX_HIP_VECTORS(name, T)                                                  \
  using name##1 = HIP_vector_type<T, 1>;                                              \
  using name##2 = HIP_vector_type<T, 2>;                                              \
  using name##3 = HIP_vector_type<T, 3>;                                              \
  using name##4 = HIP_vector_type<T, 4>;                                              \
  AMBIDEX_HIP_BOTH name##1 make_##name##1(T x) { return name##1(x); }                 \
  AMBIDEX_HIP_BOTH name##2 make_##name##2(T x, T y) { return name##2(x, y); }         \
  AMBIDEX_HIP_BOTH name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); } \
  AMBIDEX_HIP_BOTH name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
AMBIDEX_HIP_VECTORS(char, signed char)
AMBIDEX_HIP_VECTORS(uchar, unsigned char)
AMBIDEX_HIP_VECTORS(short, short)
AMBIDEX_HIP_VECTORS(ushort, unsigned short)
AMBIDEX_HIP_VECTORS(int, int)
AMBIDEX_HIP_VECTORS(uint, unsigned int)
AMBIDEX_HIP_VECTORS(long, long)
AMBIDEX_HIP_VECTORS(ulong, unsigned long)
AMBIDEX_HIP_VECTORS(longlong, long long)
AMBIDEX_HIP_VECTORS(ulonglong, unsigned long long)
AMBIDEX_HIP_VECTORS(float, float)
AMBIDEX_HIP_VECTORS(double, double)
#undef AMBIDEX_HIP_VECTORS

struct dim3 {
  unsigned x, y, z;
  AMBIDEX_HIP_BOTH constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : x(x_), y(y_), z(z_) {}
  AMBIDEX_HIP_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  AMBIDEX_HIP_BOTH constexpr operator uint3() const { return uint3(x, y, z); }
};
