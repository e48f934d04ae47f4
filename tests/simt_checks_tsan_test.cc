// SPDX-License-Identifier: Apache-2.0
// The callbacks of clang's instrumentation: all are there, and the atomics do what they are called.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

extern "C" {
#define AMBIDEX_DECLARE(bits, T)                                                   \
  T __tsan_atomic##bits##_load(const volatile T*, int);                            \
  void __tsan_atomic##bits##_store(volatile T*, T, int);                           \
  T __tsan_atomic##bits##_exchange(volatile T*, T, int);                           \
  T __tsan_atomic##bits##_fetch_add(volatile T*, T, int);                          \
  T __tsan_atomic##bits##_fetch_sub(volatile T*, T, int);                          \
  T __tsan_atomic##bits##_fetch_and(volatile T*, T, int);                          \
  T __tsan_atomic##bits##_fetch_or(volatile T*, T, int);                           \
  T __tsan_atomic##bits##_fetch_xor(volatile T*, T, int);                          \
  T __tsan_atomic##bits##_fetch_nand(volatile T*, T, int);                         \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T*, T, T, int, int);       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T*, T*, T, int, int); \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T*, T*, T, int, int);
using Wide = unsigned __int128;
AMBIDEX_DECLARE(8, uint8_t)
AMBIDEX_DECLARE(16, uint16_t)
AMBIDEX_DECLARE(32, uint32_t)
AMBIDEX_DECLARE(64, uint64_t)
AMBIDEX_DECLARE(128, Wide)
void* __tsan_memcpy(void*, const void*, size_t);
void* __tsan_memmove(void*, const void*, size_t);
void* __tsan_memset(void*, int, size_t);
}

namespace ambidex::simt {
namespace {

// The names that llvm/lib/Transforms/Instrumentation/ThreadSanitizer.cpp of LLVM 22 declares.
std::vector<std::string> names_of_callbacks() {
  std::vector<std::string> names{"init",
                                 "func_entry",
                                 "func_exit",
                                 "memcpy",
                                 "memmove",
                                 "memset",
                                 "vptr_read",
                                 "vptr_update",
                                 "atomic_thread_fence",
                                 "ignore_thread_begin",
                                 "ignore_thread_end",
                                 "atomic_signal_fence"};
  for (const char* size : {"1", "2", "4", "8", "16"}) {
    for (const std::string align : {"", "unaligned_"}) {
      for (const char* kind : {"read", "write", "volatile_read", "volatile_write", "read_write"}) {
        names.push_back(align + kind + size);
      }
    }
  }
  for (const std::string bits : {"8", "16", "32", "64", "128"}) {
    for (const char* what : {"load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and",
                             "fetch_or", "fetch_xor", "fetch_nand", "compare_exchange_val"}) {
      names.push_back("atomic" + bits + "_" + what);
    }
  }
  return names;
}

TEST(SimtChecksTsan, every_callback_that_clang_can_emit_is_there) {
  for (const std::string& name : names_of_callbacks()) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, ("__tsan_" + name).c_str()), nullptr) << name;
  }
}

#define AMBIDEX_TEST_ATOMICS(bits, T)                                                             \
  TEST(SimtChecksTsan, atomics_of_##bits##_bits_do_what_they_are_called) {                        \
    constexpr T kHigh = T{0x81} << (bits - 8); /* both ends of the value count */                 \
    constexpr T kFirst = kHigh | T{0x35}, kOther = (kHigh >> 1) | T{0x16};                        \
    alignas(16) T at = kFirst;                                                                    \
    EXPECT_TRUE(__tsan_atomic##bits##_load(&at, 0) == kFirst);                                    \
    __tsan_atomic##bits##_store(&at, kOther, 0);                                                  \
    EXPECT_TRUE(at == kOther);                                                                    \
    EXPECT_TRUE(__tsan_atomic##bits##_exchange(&at, kFirst, 5) == kOther && at == kFirst);        \
    const auto expect = [&](T old, T wanted) {                                                    \
      EXPECT_TRUE(old == kFirst && at == wanted);                                                 \
      at = kFirst;                                                                                \
    };                                                                                            \
    expect(__tsan_atomic##bits##_fetch_add(&at, kOther, 0), static_cast<T>(kFirst + kOther));     \
    expect(__tsan_atomic##bits##_fetch_sub(&at, kOther, 0), static_cast<T>(kFirst - kOther));     \
    expect(__tsan_atomic##bits##_fetch_and(&at, kOther, 0), kFirst& kOther);                      \
    expect(__tsan_atomic##bits##_fetch_or(&at, kOther, 0), kFirst | kOther);                      \
    expect(__tsan_atomic##bits##_fetch_xor(&at, kOther, 0), kFirst ^ kOther);                     \
    expect(__tsan_atomic##bits##_fetch_nand(&at, kOther, 0), static_cast<T>(~(kFirst & kOther))); \
    expect(__tsan_atomic##bits##_compare_exchange_val(&at, kFirst, kOther, 0, 0), kOther);        \
    expect(__tsan_atomic##bits##_compare_exchange_val(&at, kOther, kOther, 0, 0), kFirst);        \
    for (const auto exchange : {__tsan_atomic##bits##_compare_exchange_strong,                    \
                                __tsan_atomic##bits##_compare_exchange_weak}) {                   \
      T seen = kOther;                                                                            \
      EXPECT_FALSE(exchange(&at, &seen, kOther, 0, 0));                                           \
      EXPECT_TRUE(seen == kFirst && at == kFirst);                                                \
      EXPECT_TRUE(exchange(&at, &seen, kOther, 0, 0));                                            \
      EXPECT_TRUE(seen == kFirst && at == kOther);                                                \
      at = kFirst;                                                                                \
    }                                                                                             \
  }
AMBIDEX_TEST_ATOMICS(8, uint8_t)
AMBIDEX_TEST_ATOMICS(16, uint16_t)
AMBIDEX_TEST_ATOMICS(32, uint32_t)
AMBIDEX_TEST_ATOMICS(64, uint64_t)
AMBIDEX_TEST_ATOMICS(128, Wide)

TEST(SimtChecksTsan, copies_are_made) {
  std::string from = "abcdefgh", to(8, '.');
  EXPECT_EQ(__tsan_memcpy(to.data(), from.data(), 3), to.data());
  EXPECT_EQ(to, "abc.....");
  __tsan_memmove(from.data() + 1, from.data(), 7);
  EXPECT_EQ(from, "aabcdefg");
  __tsan_memset(to.data() + 6, 'x', 2);
  EXPECT_EQ(to, "abc...xx");
}

}  // namespace
}  // namespace ambidex::simt
