// SPDX-License-Identifier: Apache-2.0
// The callbacks that clang's thread-sanitizer instrumentation puts into kernels: before every load
// and store, and in place of every atomic. Linked into programs that run instrumented kernels
// (target ambidex_simt_tsan), not into the library: a program of a user may have a sanitizer of
// its own. Code of the host is not instrumented; what comes here outside of a kernel passes.
#include <cstring>

#include "simt/current.h"
#include "simt/spin.h"

namespace ambidex::simt {
namespace {

#define AMBIDEX_PC reinterpret_cast<uint64_t>(__builtin_return_address(0))
#define AMBIDEX_FRAME reinterpret_cast<uintptr_t>(__builtin_frame_address(0))

uintptr_t number(const volatile void* address) { return reinterpret_cast<uintptr_t>(address); }

inline void check_access(const Access& what) {
  Current* now = current;
  if (now->tally != nullptr) now->tally->access(*now->who, what);
  if (now->checker == nullptr) return;
  if (now->checker->access(*now->who, what) == Verdict::stop_thread) stop_thread();
}

inline void tick() {
  if (--current->ticks <= 0) out_of_ticks();
}

inline void plain(const void* address, int64_t num_bytes, AccessKind kind, uint64_t pc) {
  if (current == nullptr) return;
  tick();
  check_access({number(address), num_bytes, kind, AccessSort::plain, Order::relaxed, pc});
}

// Before a load or store that is volatile.
inline void is_volatile(const void* address, int64_t num_bytes, AccessKind kind, uint64_t pc,
                        uintptr_t frame) {
  if (current == nullptr) return;
  tick();
  before_ordered_access(AccessSort::is_volatile, pc, frame);
  check_access({number(address), num_bytes, kind, AccessSort::is_volatile, Order::relaxed, pc});
  if (kind == AccessKind::write) {
    on_atomic_write(number(address));
    return;
  }
  uint64_t value = 0;
  std::memcpy(&value, address, static_cast<size_t>(num_bytes < 8 ? num_bytes : 8));
  on_atomic_read(number(address), value, pc);
}

Order order_of(int order, AccessKind kind) {
  const bool acquires = order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
                        order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  const bool releases =
      order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  if (acquires && releases && kind == AccessKind::read_write) return Order::acquire_release;
  if (acquires && kind != AccessKind::write) return Order::acquire;
  return releases && kind != AccessKind::read ? Order::release : Order::relaxed;
}

// Where an atomic is made, and how.
struct Site {
  uint64_t pc;
  uintptr_t frame;
  int order;
  bool compares = false;
};

// Makes an atomic access: `access(&value)` does it, gives the value that was there before, and says
// whether it is another now.
template <class T, class Make>
T atomic(volatile T* address, AccessKind kind, const Site& site, Make make) {
  const bool in_kernel = current != nullptr;
  if (in_kernel) {
    tick();
    before_ordered_access(AccessSort::atomic, site.pc, site.frame);
    check_access({number(address), sizeof(T), kind, AccessSort::atomic, order_of(site.order, kind),
                  site.pc, site.compares});
  }
  T value{};
  const bool changed = make(value);
  if (!in_kernel) return value;
  if (kind != AccessKind::write) {
    on_atomic_read(number(address), static_cast<uint64_t>(value), site.pc);
  }
  if (changed) on_atomic_write(number(address));
  return value;
}

// Without libatomic, and whatever CPU the compiler builds for.
#if defined(__x86_64__)
using Wide = unsigned __int128;

bool exchange_if_equal(volatile Wide* address, Wide& expected, Wide desired) {
  auto low = static_cast<uint64_t>(expected), high = static_cast<uint64_t>(expected >> 64);
  bool equal = false;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(equal), "+m"(*address), "+a"(low), "+d"(high)
               : "b"(static_cast<uint64_t>(desired)), "c"(static_cast<uint64_t>(desired >> 64))
               : "memory");
  expected = static_cast<Wide>(high) << 64 | low;
  return equal;
}
#endif

template <class T>
bool exchange_if_equal(volatile T* address, T& expected, T desired) {
  return __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

// Replaces what is there by `next(what is there)`; the old value.
template <class T, class Next>
T update(volatile T* address, const Site& site, Next next) {
  return atomic(address, AccessKind::read_write, site, [&](T& value) {
    if constexpr (sizeof(T) <= 8) value = __atomic_load_n(address, __ATOMIC_RELAXED);
    T desired{};
    do {
      desired = next(value);
    } while (!exchange_if_equal(address, value, desired));
    return desired != value;
  });
}

template <class T>
T load(const volatile T* address, const Site& site) {
  auto* at = const_cast<volatile T*>(address);
  return atomic(at, AccessKind::read, site, [&](T& value) {
    if constexpr (sizeof(T) == 16) {
      exchange_if_equal(at, value, value);
    } else {
      value = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    }
    return false;
  });
}

template <class T>
void store(volatile T* address, T desired, const Site& site) {
  atomic(address, AccessKind::write, site, [&](T& value) {
    while (!exchange_if_equal(address, value, desired)) {
    }
    return desired != value;
  });
}

template <class T>
T compare_exchange(volatile T* address, T expected, T desired, Site site) {
  site.compares = true;
  return atomic(address, AccessKind::read_write, site, [&](T& value) {
    value = expected;
    return exchange_if_equal(address, value, desired) && desired != expected;
  });
}

void fence(int order) {
  if (current == nullptr || order == __ATOMIC_RELAXED) return;
  if (current->checker != nullptr) current->checker->fence(*current->who);
}

void copy(void* target, const void* source, size_t num_bytes, uint64_t pc) {
  if (current == nullptr) return;
  tick();
  if (current->tally != nullptr) {
    current->tally->copy(*current->who, number(target), number(source),
                         static_cast<int64_t>(num_bytes), pc);
  }
  if (current->checker == nullptr) return;
  const Verdict verdict = current->checker->copy(*current->who, number(target), number(source),
                                                 static_cast<int64_t>(num_bytes), pc);
  if (verdict == Verdict::stop_thread) stop_thread();
}

}  // namespace
}  // namespace ambidex::simt

using namespace ambidex::simt;

extern "C" {

// Loads and stores.
#define AMBIDEX_PLAIN(name, bytes, kind) \
  void __tsan_##name##bytes(void* address) { plain(address, bytes, AccessKind::kind, AMBIDEX_PC); }
#define AMBIDEX_VOLATILE(name, bytes, kind)                                   \
  void __tsan_##name##bytes(void* address) {                                  \
    is_volatile(address, bytes, AccessKind::kind, AMBIDEX_PC, AMBIDEX_FRAME); \
  }
#define AMBIDEX_SIZE(bytes)                              \
  AMBIDEX_PLAIN(read, bytes, read)                       \
  AMBIDEX_PLAIN(write, bytes, write)                     \
  AMBIDEX_PLAIN(read_write, bytes, read_write)           \
  AMBIDEX_PLAIN(unaligned_read, bytes, read)             \
  AMBIDEX_PLAIN(unaligned_write, bytes, write)           \
  AMBIDEX_PLAIN(unaligned_read_write, bytes, read_write) \
  AMBIDEX_VOLATILE(volatile_read, bytes, read)           \
  AMBIDEX_VOLATILE(volatile_write, bytes, write)         \
  AMBIDEX_VOLATILE(unaligned_volatile_read, bytes, read) \
  AMBIDEX_VOLATILE(unaligned_volatile_write, bytes, write)
AMBIDEX_SIZE(1)
AMBIDEX_SIZE(2)
AMBIDEX_SIZE(4)
AMBIDEX_SIZE(8)
AMBIDEX_SIZE(16)

void __tsan_vptr_read(void* address) { plain(address, 8, AccessKind::read, AMBIDEX_PC); }
void __tsan_vptr_update(void* address, void*) { plain(address, 8, AccessKind::write, AMBIDEX_PC); }
void __tsan_read_range(void* address, size_t num_bytes) {
  plain(address, static_cast<int64_t>(num_bytes), AccessKind::read, AMBIDEX_PC);
}
void __tsan_write_range(void* address, size_t num_bytes) {
  plain(address, static_cast<int64_t>(num_bytes), AccessKind::write, AMBIDEX_PC);
}

// Copies of many bytes, in place of the library's functions.
void* __tsan_memcpy(void* target, const void* source, size_t num_bytes) {
  copy(target, source, num_bytes, AMBIDEX_PC);
  return std::memmove(target, source, num_bytes);  // clang may pass the same address twice
}
void* __tsan_memmove(void* target, const void* source, size_t num_bytes) {
  copy(target, source, num_bytes, AMBIDEX_PC);
  return std::memmove(target, source, num_bytes);
}
void* __tsan_memset(void* target, int value, size_t num_bytes) {
  if (num_bytes > 0) {
    plain(target, static_cast<int64_t>(num_bytes), AccessKind::write, AMBIDEX_PC);
  }
  return std::memset(target, value, num_bytes);
}

// Atomics.
#define AMBIDEX_SITE \
  { AMBIDEX_PC, AMBIDEX_FRAME, order }
#define AMBIDEX_UPDATE(bits, T, name, next)                                          \
  T __tsan_atomic##bits##_##name(volatile T* address, T value, int order) {          \
    return update(address, AMBIDEX_SITE,                                             \
                  [value]([[maybe_unused]] T old) { return static_cast<T>(next); }); \
  }
#define AMBIDEX_ATOMICS(bits, T)                                                                 \
  T __tsan_atomic##bits##_load(const volatile T* address, int order) {                           \
    return load(address, AMBIDEX_SITE);                                                          \
  }                                                                                              \
  void __tsan_atomic##bits##_store(volatile T* address, T value, int order) {                    \
    store(address, value, AMBIDEX_SITE);                                                         \
  }                                                                                              \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T desired,       \
                                               int order, int) {                                 \
    return compare_exchange(address, expected, desired, AMBIDEX_SITE);                           \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T desired, \
                                                    int order, int) {                            \
    const T old = compare_exchange(address, *expected, desired, AMBIDEX_SITE);                   \
    const bool equal = old == *expected;                                                         \
    *expected = old;                                                                             \
    return equal;                                                                                \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T desired,   \
                                                  int order, int) {                              \
    const T old = compare_exchange(address, *expected, desired, AMBIDEX_SITE);                   \
    const bool equal = old == *expected;                                                         \
    *expected = old;                                                                             \
    return equal;                                                                                \
  }                                                                                              \
  AMBIDEX_UPDATE(bits, T, exchange, value)                                                       \
  AMBIDEX_UPDATE(bits, T, fetch_add, old + value)                                                \
  AMBIDEX_UPDATE(bits, T, fetch_sub, old - value)                                                \
  AMBIDEX_UPDATE(bits, T, fetch_and, old& value)                                                 \
  AMBIDEX_UPDATE(bits, T, fetch_or, old | value)                                                 \
  AMBIDEX_UPDATE(bits, T, fetch_xor, old ^ value)                                                \
  AMBIDEX_UPDATE(bits, T, fetch_nand, ~(old & value))
AMBIDEX_ATOMICS(8, uint8_t)
AMBIDEX_ATOMICS(16, uint16_t)
AMBIDEX_ATOMICS(32, uint32_t)
AMBIDEX_ATOMICS(64, uint64_t)
#if defined(__x86_64__)
AMBIDEX_ATOMICS(128, Wide)
#endif

void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  fence(order);
}
void __tsan_atomic_signal_fence(int) {}

// What this executor has no use for.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
}
