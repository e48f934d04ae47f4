// SPDX-License-Identifier: Apache-2.0
// What a module exports beside the program's own functions; ambidex-clang writes it and
// ambidex-simt reads it. Arrays are as long as the lists of the same name in the text.
#pragma once

namespace ambidex {

inline constexpr int kModuleVersion = 2;
inline constexpr const char* kModuleText = "ambidex_module_text";            // char[], JSON
inline constexpr const char* kModuleKernels = "ambidex_module_kernels";      // void (*[])(void**)
inline constexpr const char* kModuleVariables = "ambidex_module_variables";  // void*[]
inline constexpr const char* kModuleShared = "ambidex_module_shared";        // void* (*[])(void)
inline constexpr const char* kModuleConstructors = "ambidex_module_constructors";  // void (*[])()
inline constexpr const char* kModuleDynamicShared = "ambidex_module_dynamic_shared";  // void* (*)()
inline constexpr const char* kModuleDecisions = "ambidex_module_decisions";  // unsigned char[]
inline constexpr const char* kHostMain = "ambidex_host_main";
inline constexpr const char* kHostExit = "ambidex_host_exit";  // the runner's, for exit and _exit

// Bytes before and behind every shared variable that nothing may touch; more if it is aligned to
// more. Bytes of the dynamic area.
inline constexpr int kRedZoneBytes = 64;
inline constexpr int kDynamicSharedBytes = 256 * 1024;

}  // namespace ambidex
