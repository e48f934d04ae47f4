// SPDX-License-Identifier: Apache-2.0
// What constructors of the host's half call: which address stands for which kernel and variable.
#include <cstdlib>

#include "runner/state.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

namespace {

// As clang lays it out; `data` is the text "ambidex source <index>" that ambidex-clang put there.
struct Wrapper {
  int magic, version;
  const char* data;
  void* unused;
};

int source_of(const void* handle) {
  const char* text = static_cast<const Wrapper*>(handle)->data;
  constexpr size_t kPrefix = sizeof("ambidex source ") - 1;
  return std::atoi(text + kPrefix);
}

void add_kernel(void* handle, const void* function, const char* name) {
  Runtime& state = runtime();
  for (const Kernel& kernel : state.module.kernels) {
    if (kernel.file != source_of(handle) || kernel.symbol != name) continue;
    state.handles[function] = &kernel;
    return;
  }
}

void add_variable(void* handle, const void* shadow, const char* name) {
  Runtime& state = runtime();
  const Variable* found = nullptr;
  for (const Variable& variable : state.module.variables) {
    if (variable.symbol != name) continue;
    // One that other sources see is defined by whichever of them defines it.
    if (found == nullptr || variable.file == source_of(handle)) found = &variable;
  }
  if (found != nullptr) state.symbols[shadow] = found;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) { return static_cast<void**>(wrapper); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
int __cudaRegisterFunction(void** handle, const void* function, char*, const char* name, int, void*,
                           void*, void*, void*, int*) {
  add_kernel(handle, function, name);
  return 0;
}
void __cudaRegisterVar(void** handle, const void* shadow, char*, const char* name, int, size_t, int,
                       int) {
  add_variable(handle, shadow, name);
}

void** __hipRegisterFatBinary(const void* wrapper) {
  return static_cast<void**>(const_cast<void*>(wrapper));
}
void __hipUnregisterFatBinary(void**) {}
int __hipRegisterFunction(void** handle, const void* function, char*, const char* name, int, void*,
                          void*, void*, void*, int*) {
  add_kernel(handle, function, name);
  return 0;
}
void __hipRegisterVar(void** handle, const void* shadow, char*, const char* name, int, size_t, int,
                      int) {
  add_variable(handle, shadow, name);
}
// The device's half has the initial value, and the one that a launch is given instead.
void __hipRegisterManagedVar(void** handle, void** pointer, void*, const char* name, size_t,
                             unsigned) {
  add_variable(handle, pointer, name);
  Runtime& state = runtime();
  const auto found = state.symbols.find(pointer);
  if (found == state.symbols.end()) return;
  *pointer = found->second->address;
  state.symbols[*pointer] = found->second;  // the host says &variable, and means what it points to
}

}  // extern "C"
