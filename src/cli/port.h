// SPDX-License-Identifier: Apache-2.0
// The stages of `ambidex port`, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "cli/console.h"
#include "port/run.h"

namespace ambidex {

using AddPortStage = void (*)(CLI::App& port, Console& console);

/// -D and -I of the command line as arguments for clang, in this order.
std::vector<std::string> clang_arguments(const std::vector<std::string>& defines,
                                         const std::vector<std::string>& folders);

/// A line for each kernel, its reason below it, and how many passed.
std::string verdicts_text(const PortRun& run);

void add_port_check(CLI::App& port, Console& console);
void add_port_compile(CLI::App& port, Console& console);
void add_port_estimate(CLI::App& port, Console& console);
void add_port_explain(CLI::App& port, Console& console);
void add_port_run(CLI::App& port, Console& console);
void add_port_scan(CLI::App& port, Console& console);
void add_port_translate(CLI::App& port, Console& console);
void add_port_verify(CLI::App& port, Console& console);

// In the order in which --help lists them.
inline constexpr std::array<AddPortStage, 8> kPortStages{
    add_port_run,     add_port_scan,   add_port_explain, add_port_translate,
    add_port_compile, add_port_verify, add_port_check,   add_port_estimate,
};

}  // namespace ambidex
