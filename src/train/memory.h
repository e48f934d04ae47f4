// SPDX-License-Identifier: Apache-2.0
// A block of zeros for a table: as large as the machine allows, on huge pages where it has them,
// since lookups are scattered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ambidex {

/// Of the machine's memory, used or not.
int64_t machine_bytes();

/// throws std::bad_alloc
void* allocate_on_huge_pages(int64_t bytes);
void free_huge_pages(void* block);

/// Allocator of vectors that are large: blocks of 2 MiB and more are aligned to huge pages and ask
/// for them. Matrix products read weights and activations with long strides.
template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}  // NOLINT: as allocators convert

  T* allocate(size_t count) {
    return static_cast<T*>(allocate_on_huge_pages(static_cast<int64_t>(count * sizeof(T))));
  }
  void deallocate(T* block, size_t) { free_huge_pages(block); }
  bool operator==(const HugePages&) const = default;
};
using Floats = std::vector<float, HugePages<float>>;

/// Makes room for `size` floats; what is larger stays.
inline void grow(Floats& values, int64_t size) {
  if (std::ssize(values) < size) values.resize(static_cast<size_t>(size));
}

class Memory {
 public:
  Memory() = default;
  /// throws Error(bad_input) naming `what` and the bytes if the system refuses
  Memory(int64_t bytes, const std::string& what);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace ambidex
