// SPDX-License-Identifier: Apache-2.0
// thrust::device_vector.
#pragma once
#pragma GCC system_header

#include "thrust_pointers.h"

namespace thrust {

template <class T>
class device_vector {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;

  device_vector() = default;
  explicit device_vector(size_t num, const T& value = T()) { resize(num, value); }
  device_vector(const device_vector& other) { assign_device(other.at_, other.size_); }
  device_vector(device_vector&& other) noexcept { swap(other); }
  device_vector(const std::vector<T>& other) { assign_host(other.data(), other.size()); }
  device_vector(std::initializer_list<T> values) { assign_host(values.begin(), values.size()); }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  device_vector(Iterator begin, Iterator end) {
    assign(begin, end);
  }
  ~device_vector() { cudaFree(at_); }
  device_vector& operator=(const device_vector& other) {
    if (this != &other) assign_device(other.at_, other.size_);
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  device_vector& operator=(const std::vector<T>& other) {
    assign_host(other.data(), other.size());
    return *this;
  }
  template <class Iterator>
  void assign(Iterator begin, Iterator end) {
    const std::vector<T> values(begin, end);
    assign_host(values.data(), values.size());
  }
  void assign(device_ptr<T> begin, device_ptr<T> end) {
    assign_device(begin.get(), size_t(end - begin));
  }
  void assign(device_ptr<const T> begin, device_ptr<const T> end) {
    assign_device(begin.get(), size_t(end - begin));
  }
  void assign(size_t num, const T& value) {
    clear();
    resize(num, value);
  }

  void ambidex_is_on_device() const {}
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void shrink_to_fit() {}
  pointer data() { return pointer(at_); }
  const_pointer data() const { return const_pointer(at_); }
  iterator begin() { return iterator(at_); }
  iterator end() { return iterator(at_ + size_); }
  const_iterator begin() const { return const_iterator(at_); }
  const_iterator end() const { return const_iterator(at_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reference operator[](size_t i) { return reference(at_ + i); }
  const_reference operator[](size_t i) const { return const_reference(at_ + i); }
  reference front() { return reference(at_); }
  reference back() { return reference(at_ + size_ - 1); }
  const_reference front() const { return const_reference(at_); }
  const_reference back() const { return const_reference(at_ + size_ - 1); }

  void reserve(size_t num) {
    if (num <= capacity_) return;
    T* const larger = device_malloc<T>(num).get();
    cudaMemcpy(larger, at_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    cudaFree(at_);
    at_ = larger;
    capacity_ = num;
  }
  void resize(size_t num, const T& value = T()) {
    reserve(num);
    if (num > size_) {
      const std::vector<T> values(num - size_, value);
      cudaMemcpy(at_ + size_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    size_ = num;
  }
  void push_back(const T& value) {
    if (size_ == capacity_) reserve(2 * size_ + 1);
    resize(size_ + 1, value);
  }
  void pop_back() { --size_; }
  void swap(device_vector& other) {
    std::swap(at_, other.at_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void assign_host(const T* from, size_t num) {
    size_ = 0;
    reserve(num);
    cudaMemcpy(at_, from, num * sizeof(T), cudaMemcpyHostToDevice);
    size_ = num;
  }
  void assign_device(const T* from, size_t num) {
    size_ = 0;
    reserve(num);
    cudaMemcpy(at_, from, num * sizeof(T), cudaMemcpyDeviceToDevice);
    size_ = num;
  }
  T* at_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace thrust
