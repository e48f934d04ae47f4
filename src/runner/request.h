// SPDX-License-Identifier: Apache-2.0
// What ambidex-simt is asked for. The JSON is described in docs/runner.md.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ambidex::runner {

enum class Mode : uint8_t { program, launch };
enum class Record : uint8_t { none, hashes, contents };

/// How kernels round floats. `mixed`: each thread up or down, as the seed has it.
enum class Rounding : uint8_t { nearest, up, down, mixed };

/// Bytes whose last write is to be told.
struct Watch {
  int64_t buffer = -1;  // -1: none
  int64_t offset = 0, num_bytes = 0;
};

/// A pointer inside an argument, to a byte of a buffer.
struct PointerArgument {
  int64_t at = 0;      // offset in the argument
  int64_t buffer = 0;  // index
  int64_t offset = 0;  // bytes into the buffer
};

struct Argument {
  std::string bytes;
  std::vector<PointerArgument> pointers;
};

struct Buffer {
  std::string name;
  std::string variable;  // of the module, whose storage it is; empty: memory of its own
  int64_t num_bytes = 0;
  std::string file;          // initial contents; shorter than the buffer: the rest is poison
  int poison = 0xa5;         // byte
  bool initialised = false;  // poison counts as written
  int64_t element_bytes = 1;
  std::string contents;                           // read before the sandbox is closed
  std::vector<std::array<int64_t, 2>> unwritten;  // [begin, end) of contents: poison, not written
  std::vector<PointerArgument> addresses;         // to be set among them
  bool holds_addresses = false;                   // they are told of the result, too
};

struct ProgramRequest {
  std::string function;  // empty: main
  std::vector<std::string> arguments;
  Record record = Record::none;
};

struct LaunchRequest {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  int64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  Watch watch;
};

struct ExecutorOptions {
  int wave_width = 32;
  bool lockstep = false;
  bool lockstep_volatile = false;
  bool lenient_shuffles = false;
  bool checked = true;
  bool counted = false;
  uint64_t seed = 0;
  int workers = 1;
  int max_problems = 16;
  Rounding rounding = Rounding::nearest;
};

struct Limits {
  bool trusted = false;  // a sandbox that is missing is no reason to refuse
  bool sandbox = true;   // false, with `trusted`: none is wanted
  double max_seconds = 60;
  int64_t max_memory_bytes = int64_t{8} << 30;  // of the device
  int64_t max_output_bytes = int64_t{16} << 20;
};

struct Request {
  std::string module;
  std::string folder;  // where contents are written
  std::string device;
  int poison = 0xa5;  // byte that new device memory of a program is filled with
  Mode mode = Mode::program;
  ExecutorOptions options;
  Limits limits;
  ProgramRequest program;
  LaunchRequest launch;
};

/// throws Error(bad_input) that names the key, Error(not_found) for a buffer's file
Request read_request(const nlohmann::json& json);

}  // namespace ambidex::runner
