// SPDX-License-Identifier: Apache-2.0
// Vocabulary of every module: data types, operand layouts, op shapes, errors.
//
//   using namespace ambidex;
//   GemmOp op{.m = 8192, .n = 1024, .k = 512, .dtype = dtype_from_name("bf16")};
//   validate(op);
//   double flop = gemm_flop(op);
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#define AMBIDEX_VERSION "0.1.0"

namespace ambidex {

enum class ErrorKind { bad_input, not_found, unsupported, device_failure, internal };

/// "bad_input", "not_found", ...: the word that opens the first line of stderr.
std::string_view name_of(ErrorKind kind);

/// Process exit code of a kind: 2, 3, 4, 5 or 70.
int exit_code(ErrorKind kind);

/// The one exception of the library. The message says what, where, got, and what to do.
struct Error : std::runtime_error {
  ErrorKind kind;
  Error(ErrorKind error_kind, const std::string& message)
      : std::runtime_error(message), kind(error_kind) {}
};

/// Throws Error(internal) with file and line unless `condition`. For bugs only: user input is
/// checked where it enters.
void check(bool condition, std::string_view sentence,
           std::source_location where = std::source_location::current());

/// Up to `count` of `known` closest to `word` by edit distance, nearest first, ties in the order
/// of `known`.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known,
                                       int count = 3);

/// `no device "h20"; nearest: h200, h100`: the sentence every unknown name gets.
std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string> known);

/// Name of a field and what it may hold, as the visit_fields of a struct hands it to a visitor
/// `v(Field, reference)`. The lists are in device_fields.h and model_fields.h.
struct Field {
  std::string_view key;
  bool may_be_zero = false;
  constexpr Field(const char* name, bool zero = false) : key(name), may_be_zero(zero) {}
};

template <class T, class S>
concept MaybeConst = std::same_as<std::remove_const_t<T>, S>;

/// Element types of matrix operands. fp8 comes in the OCP encoding (NVIDIA, gfx950) and the
/// "fnuz" encoding of gfx942.
enum class DType : uint8_t {
  f32,
  tf32,  // 4 bytes in memory, 19 significant bits in the matrix unit; AMD calls it xf32
  f16,
  bf16,
  fp8_e4m3,
  fp8_e5m2,
  fp8_e4m3_fnuz,
  fp8_e5m2_fnuz,
  int8,
};
inline constexpr int kNumDTypes = 9;

std::string_view name_of(DType dtype);
/// Bytes of one stored element.
int64_t dtype_bytes(DType dtype);
/// throws Error(bad_input) with the nearest names; "xf32" is read as tf32, "fp8" as fp8_e4m3.
DType dtype_from_name(std::string_view name);

/// How the row-major operands are stored. First letter: A is [m, k] for N, [k, m] for T.
/// Second letter: B is [k, n] for N, [n, k] for T.
enum class Layout : uint8_t { nn, nt, tn, tt };
std::string_view name_of(Layout layout);  // "NN"
/// throws Error(bad_input)
Layout layout_from_name(std::string_view name);

/// What is done to a tile of A B before it is stored.
struct Epilogue {
  bool bias = false;           // + bias [n]
  bool relu = false;           // max(x, 0)
  bool residual = false;       // + C [m, n], read in out_dtype
  bool bias_gradient = false;  // also writes the column sums of D [n] in f32
  bool operator==(const Epilogue&) const = default;
};

/// D[m, n] = epilogue(A B + C), `batch` times, row-major D.
struct GemmOp {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batch = 1;
  DType dtype = DType::bf16;      // A and B
  DType out_dtype = DType::bf16;  // D, C and bias
  Layout layout = Layout::nn;
  Epilogue epilogue;
  bool cold = false;  // operands come from memory even if a cache could hold them
  bool operator==(const GemmOp&) const = default;
};

/// throws Error(bad_input) on a size < 1, on a size or a product of sizes that overflows, and on
/// an output type that the input type has no epilogue for.
void validate(const GemmOp& op);

/// Multiply and add counted as two; epilogue left out.
double gemm_flop(const GemmOp& op);

/// Bytes of A, B and C read once and D written once, over all batches.
double gemm_compulsory_bytes(const GemmOp& op);

/// The same product as a row-major op, given its BLAS column-major reading: D' = B' A'. m and n
/// change places, and so do the letters of the layout: column-major "TN" (both operands
/// contiguous in k) is row-major NT.
GemmOp from_column_major(const GemmOp& op);

/// Largest power of two, at most `cap`, that divides `value`.
int64_t power_of_two_divisor(int64_t value, int64_t cap);

}  // namespace ambidex
