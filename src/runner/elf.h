// SPDX-License-Identifier: Apache-2.0
// What a shared object would run or load merely by being opened.
#pragma once

#include <string_view>

namespace ambidex::runner {

/// `where` is the name that messages carry.
///   throws Error(bad_input) if `bytes` is no x86-64 shared object, Error(unsupported) if opening
///   it runs code (constructors, destructors, ifunc), loads other objects, or makes code writable
void refuse_loading_code(std::string_view bytes, std::string_view where);

}  // namespace ambidex::runner
