// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "port/build_edits.h"

namespace ambidex {

/// Edits of a makefile of nvcc to one of hipcc.
///   rename        "x.cu" in it becomes "x.hip"
///   relocatable   device code is linked across files by another makefile of the tree
BuildDraft translate_make(std::string_view text, bool rename, bool relocatable);

/// Whether the makefile asks for device code that is linked across files: -rdc=true, -dc.
bool asks_for_relocatable(std::string_view text);

}  // namespace ambidex
