// SPDX-License-Identifier: Apache-2.0
// A program's launches as ambidex-simt has recorded them: what each kernel was given and what it
// left. The material of verification: real shapes, real data.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/addresses.h"

namespace ambidex {

/// Bytes of a buffer.
struct ByteRange {
  int64_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};

struct TracedBuffer {
  std::string name;
  std::string variable;              // of the module, if it is one: no pointer leads to it
  std::vector<ByteRange> unwritten;  // before, in order: bytes that nobody had written
  std::string before, after;         // contents
  /// Before, among its words; none where its elements are too small to be any.
  std::optional<std::vector<StoredAddress>> addresses = {};
};

/// The bytes before that had been written.
std::string written_part(const TracedBuffer& buffer);

/// A pointer in an argument, and where it points.
struct TracedPointer {
  int64_t parameter = 0;
  int64_t at = 0;       // offset in the argument
  int64_t buffer = -1;  // index; -1: not into device memory
  int64_t offset = 0;   // bytes into the buffer
  bool constant = false;
};

struct TracedLaunch {
  std::string kernel;  // as people read it
  std::string symbol;
  std::array<uint32_t, 3> grid{}, block{};
  int64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  double seconds = 0;                  // that it took in the executor
  int64_t num_ordered_accesses = 0;    // atomic and volatile ones, of threads
  std::vector<std::string> arguments;  // bytes
  std::vector<TracedPointer> pointers;
  std::vector<TracedBuffer> buffers;
};

/// Where a thread did something.
struct TracedPlace {
  std::string file;  // "" if it is not known
  int64_t line = 0;
  std::array<int64_t, 3> block{}, thread{};
};
/// "file:line, block (0,0,0), thread (3,0,0)"
std::string text_of(const TracedPlace& place);

struct TracedProblem {
  std::string kind, kernel, message;
  TracedPlace place;
};

struct Trace {
  std::string status;  // ended, crash, deadline, sandbox
  int exit_code = 0;
  std::string out, err;
  std::vector<TracedLaunch> launches;
  bool has_launched = true;  // or tried to: what the runtime refused is not among the launches
  std::vector<TracedProblem> problems;
  std::vector<std::string> host_order;  // "launch", "wait for stream 1"; the first few thousand
  std::string decisions;  // of the module's comparisons; empty of a run that has not ended
};

/// From an answer of ambidex-simt in mode `program`; reads the contents' files.
Trace trace_of(const nlohmann::json& answer);

/// From {"file", "line", "block", "thread"} of an answer.
TracedPlace place_of(const nlohmann::json& row);
TracedProblem problem_of(const nlohmann::json& problem);

/// The name of a kernel without its parameters: what CUDA and HIP agree on, but for types among the
/// arguments of templates (__nv_bfloat16, __hip_bfloat16).
std::string kernel_base_name(const std::string& kernel);

/// Without the arguments of templates.
std::string kernel_stem(const std::string& kernel);

/// What our headers launch for an algorithm of a library (thrust, cuBLAS).
inline constexpr std::string_view kLibraryKernel = "ambidex_sequential";
bool is_of_library(const std::string& kernel);

}  // namespace ambidex
