// SPDX-License-Identifier: Apache-2.0
// A module that ambidex-clang has made, opened in this process.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ambidex/simt.h"

namespace ambidex::runner {

struct Pointer {
  int64_t offset = 0;  // in the parameter
  bool is_const = false;
  int64_t element_bytes = 1;
};

struct Parameter {
  std::string name;
  int64_t num_bytes = 0;
  std::vector<Pointer> pointers;
};

struct Kernel {
  std::string name;    // demangled
  std::string symbol;  // mangled
  int file = 0;
  std::vector<Parameter> parameters;
  int64_t max_threads = 0;  // of __launch_bounds__; 0: none
  int64_t shared_bytes = 0;
  std::vector<int> shared;  // indices into Module::shared
  SimtKernel thunk = nullptr;
};

struct Variable {
  std::string name;
  std::string symbol;
  int file = 0;  // -1: a literal
  int64_t num_bytes = 0;
  bool constant = false;
  bool managed = false;  // the host uses it like one of its own
  void* address = nullptr;
};

struct SharedVariable {
  std::string name;
  int64_t num_bytes = 0;
  int64_t element_bytes = 1;
  void* (*address)() = nullptr;
};

struct Module {
  void* handle = nullptr;
  uintptr_t base = 0;  // what addresses in the file are relative to
  uintptr_t end = 0;
  std::string dialect;
  bool counted = false;  // its code tells its instructions
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  std::vector<SharedVariable> shared;
  std::vector<void (*)()> constructors;
  void* (*dynamic_shared)() = nullptr;
  const unsigned char* decisions = nullptr;  // [num_decisions][2]: was false, was true
  int64_t num_decisions = 0;
};

/// Opens the shared object that the open file `descriptor` holds. Runs nothing of it.
///   throws Error(bad_input) if it asks for functions that are not here, or is no module
Module open_module(int descriptor);

/// By mangled name, demangled name, or the part of it before "(" or "<".
///   throws Error(not_found) with the nearest names, Error(bad_input) if several fit
const Kernel& find_kernel(const Module& module, const std::string& name);

/// What its comparisons have come to so far, a digit each: 0 nothing, 1 false, 2 true, 3 both.
std::string decisions_of(const Module& module);

/// Address of a function of the host's half; null if there is none.
void* find_function(const Module& module, const std::string& name);

}  // namespace ambidex::runner
