// SPDX-License-Identifier: Apache-2.0
// What verbs with --html share.
#pragma once

#include <string>
#include <string_view>

#include "ambidex/report.h"

namespace ambidex {

/// throws Error(bad_input) if `path`, unless empty, is the file `input` that is read; `option` is
/// the one that names `path`
void keep_input(const std::string& path, const std::string& input,
                std::string_view option = "--html");

/// Writes the page, and says so on stderr. A full disk costs no older file.
///   throws Error(bad_input)
void write_html(const std::string& path, const Page& page);

}  // namespace ambidex
