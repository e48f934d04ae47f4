// SPDX-License-Identifier: Apache-2.0
// The verbs of the command, one file each.
//
// A verb adds a CLI11 subcommand whose callback fills `console.out` and throws Error; it neither
// prints nor exits. `console` outlives the parse. To add one: src/cli/<verb>.cc, a line here, a
// line in kVerbs, a line in src/CMakeLists.txt, tests/cli/<verb>.test.
#pragma once

#include <CLI/CLI.hpp>
#include <array>

#include "cli/console.h"

namespace ambidex {

using AddVerb = void (*)(CLI::App& app, Console& console);

void add_data(CLI::App& app, Console& console);
void add_demo(CLI::App& app, Console& console);
void add_devices(CLI::App& app, Console& console);
void add_eval(CLI::App& app, Console& console);
void add_fit(CLI::App& app, Console& console);
void add_mcp(CLI::App& app, Console& console);
void add_model(CLI::App& app, Console& console);
void add_port(CLI::App& app, Console& console);
void add_predict(CLI::App& app, Console& console);
void add_report(CLI::App& app, Console& console);
void add_select(CLI::App& app, Console& console);
void add_train(CLI::App& app, Console& console);
void add_validate(CLI::App& app, Console& console);

// In the order in which --help lists them.
inline constexpr std::array<AddVerb, 13> kVerbs{
    add_demo,   add_train,    add_eval,    add_predict, add_report, add_model, add_data,
    add_select, add_validate, add_devices, add_fit,     add_port,   add_mcp};

}  // namespace ambidex
