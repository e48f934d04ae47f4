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

/// What the verdicts of a run mean, for --help.
inline constexpr const char* kVerdictsMean =
    "PASS             right, and an AMD GPU of this machine agrees\n"
    "PASS-UNMEASURED  compiles for gfx942 and gfx950; right beside the original in the executor\n"
    "PARTIAL          something could not be checked; the reason says what\n"
    "REFUSED          not ported, does not compile, or is wrong; do not use it\n";

/// A line for each kernel, its reason below it, and how many passed.
std::string verdicts_text(const PortRun& run);

/// Where all artefacts of a port of that source or folder go: "NAME-port" here, or beside a folder
/// that one is in, "../NAME-port".
std::string default_port_folder(const std::string& path_of_source);

void add_port_check(CLI::App& port, Console& console);
void add_port_compile(CLI::App& port, Console& console);
void add_port_estimate(CLI::App& port, Console& console);
void add_port_explain(CLI::App& port, Console& console);
void add_port_repair(CLI::App& port, Console& console);
void add_port_run(CLI::App& port, Console& console);
void add_port_scan(CLI::App& port, Console& console);
void add_port_translate(CLI::App& port, Console& console);
void add_port_verify(CLI::App& port, Console& console);

// In the order in which --help lists them.
inline constexpr std::array<AddPortStage, 9> kPortStages{
    add_port_run,    add_port_scan,     add_port_explain, add_port_translate, add_port_compile,
    add_port_verify, add_port_estimate, add_port_repair,  add_port_check,
};

}  // namespace ambidex
