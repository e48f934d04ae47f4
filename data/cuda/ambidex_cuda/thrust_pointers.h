// SPDX-License-Identifier: Apache-2.0
// thrust's device_ptr, references to device memory, vectors and execution policies.
#pragma once
#pragma GCC system_header

#include <iterator>
#include <vector>

#include "sequential.h"

namespace thrust {

namespace detail {
struct host_tag {};
struct device_tag {};
}  // namespace detail
using host_system_tag = detail::host_tag;
using device_system_tag = detail::device_tag;

// Policies carry the stream; `host` and `seq` run where they are called.
struct ambidex_device_policy {
  cudaStream_t stream = nullptr;
  ambidex_device_policy on(cudaStream_t s) const { return {s}; }
  template <class Allocator>
  ambidex_device_policy operator()(const Allocator&) const {
    return *this;
  }
};
struct ambidex_host_policy {};
struct ambidex_sequential_policy {};
static const ambidex_device_policy device{};
static const ambidex_host_policy host{};
static const ambidex_sequential_policy seq{};
namespace cuda {
static const ambidex_device_policy par{};
static const ambidex_device_policy par_nosync{};
}  // namespace cuda

template <class T>
class device_ptr;

// A value in device memory: read and written by copies on the host, directly on the device.
template <class T>
class device_reference {
 public:
  AMBIDEX_MEMBER_HD explicit device_reference(T* at) : at_(at) {}
  __attribute__((host, device)) operator typename std::remove_const<T>::type() const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return *at_;
#else
    typename std::remove_const<T>::type value;
    cudaMemcpy(&value, at_, sizeof(T), cudaMemcpyDeviceToHost);
    return value;
#endif
  }
  __attribute__((host, device)) const device_reference& operator=(const T& value) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    *at_ = value;
#else
    cudaMemcpy(at_, &value, sizeof(T), cudaMemcpyHostToDevice);
#endif
    return *this;
  }
  __attribute__((host, device)) const device_reference& operator=(
      const device_reference& other) const {
    return *this = T(other);
  }
  __attribute__((host, device)) const device_reference& operator+=(const T& value) const {
    return *this = T(T(*this) + value);
  }
  __attribute__((host, device)) const device_reference& operator-=(const T& value) const {
    return *this = T(T(*this) - value);
  }
  AMBIDEX_MEMBER_HD device_ptr<T> operator&() const { return device_ptr<T>(at_); }

 private:
  T* at_;
};

template <class T>
class device_ptr {
 public:
  using value_type = typename std::remove_const<T>::type;
  using reference = device_reference<T>;
  using pointer = device_ptr;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  AMBIDEX_MEMBER_HD device_ptr() : at_(nullptr) {}
  AMBIDEX_MEMBER_HD device_ptr(std::nullptr_t) : at_(nullptr) {}
  AMBIDEX_MEMBER_HD explicit device_ptr(T* at) : at_(at) {}
  template <class U, class = typename std::enable_if<std::is_convertible<U*, T*>::value>::type>
  AMBIDEX_MEMBER_HD device_ptr(const device_ptr<U>& other) : at_(other.get()) {}
  AMBIDEX_MEMBER_HD T* get() const { return at_; }
  AMBIDEX_MEMBER_HD reference operator*() const { return reference(at_); }
  AMBIDEX_MEMBER_HD reference operator[](difference_type n) const { return reference(at_ + n); }
  AMBIDEX_MEMBER_HD device_ptr operator+(difference_type n) const { return device_ptr(at_ + n); }
  AMBIDEX_MEMBER_HD device_ptr operator-(difference_type n) const { return device_ptr(at_ - n); }
  AMBIDEX_MEMBER_HD difference_type operator-(const device_ptr& b) const { return at_ - b.at_; }
  AMBIDEX_MEMBER_HD device_ptr& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  AMBIDEX_MEMBER_HD device_ptr& operator-=(difference_type n) { return *this += -n; }
  AMBIDEX_MEMBER_HD device_ptr& operator++() { return *this += 1; }
  AMBIDEX_MEMBER_HD device_ptr& operator--() { return *this += -1; }
  AMBIDEX_MEMBER_HD device_ptr operator++(int) { return device_ptr(at_++); }
  AMBIDEX_MEMBER_HD device_ptr operator--(int) { return device_ptr(at_--); }
  AMBIDEX_MEMBER_HD bool operator==(const device_ptr& b) const { return at_ == b.at_; }
  AMBIDEX_MEMBER_HD bool operator!=(const device_ptr& b) const { return at_ != b.at_; }
  AMBIDEX_MEMBER_HD bool operator<(const device_ptr& b) const { return at_ < b.at_; }
  AMBIDEX_MEMBER_HD explicit operator bool() const { return at_ != nullptr; }

 private:
  T* at_;
};
template <class T>
AMBIDEX_MEMBER_HD device_ptr<T> device_pointer_cast(T* at) {
  return device_ptr<T>(at);
}
template <class T>
AMBIDEX_MEMBER_HD device_ptr<T> device_pointer_cast(const device_ptr<T>& at) {
  return at;
}
template <class T>
AMBIDEX_MEMBER_HD T* raw_pointer_cast(T* at) {
  return at;
}
template <class T>
AMBIDEX_MEMBER_HD T* raw_pointer_cast(const device_ptr<T>& at) {
  return at.get();
}
template <class T>
inline device_ptr<T> device_malloc(size_t num) {
  T* at = nullptr;
  if (cudaMalloc(&at, num * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  return device_ptr<T>(at);
}
template <class T>
inline void device_free(device_ptr<T> at) {
  cudaFree(at.get());
}

template <class T>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector() = default;
  template <class Other,
            class = decltype(ambidex_cuda::some<const Other&>().ambidex_is_on_device())>
  host_vector(const Other& other) : std::vector<T>(other.size()) {
    cudaMemcpy(this->data(), raw_pointer_cast(other.data()), other.size() * sizeof(T),
               cudaMemcpyDeviceToHost);
  }
  template <class Other,
            class = decltype(ambidex_cuda::some<const Other&>().ambidex_is_on_device())>
  host_vector& operator=(const Other& other) {
    return *this = host_vector(other);
  }
};

}  // namespace thrust

#include "thrust_vector.h"
