// SPDX-License-Identifier: Apache-2.0
// The command `ambidex`: the only place that prints and exits.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "ambidex/base.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

constexpr int kExitInterrupted = 130;

void run_command(int argc, const char* const* argv) {
  Console console;
  CLI::App app("Trains recommendation models equally well on AMD Instinct and NVIDIA.", "ambidex");
  app.set_version_flag("--version", "ambidex " AMBIDEX_VERSION);
  app.require_subcommand(1);
  for (const AddVerb add_verb : kVerbs) add_verb(app, console);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    console.out = app.help();
  } catch (const CLI::CallForAllHelp&) {
    console.out = app.help("", CLI::AppFormatMode::All);
  } catch (const CLI::CallForVersion&) {
    console.out = app.version() + "\n";
  } catch (const CLI::ParseError& error) {
    throw parse_error(app, error);
  }
  print_out(console.out);
}

int print_error(ErrorKind kind, std::string_view message) {
  print_note(fmt::format("{}: {}", name_of(kind), message));
  return exit_code(kind);
}

int run_main(int argc, const char* const* argv) {
  try {
    run_command(argc, argv);
    return 0;
  } catch (const Error& error) {
    return print_error(error.kind, error.what());
  } catch (const std::exception& error) {
    return print_error(ErrorKind::internal, error.what());
  }
}

}  // namespace
}  // namespace ambidex

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // write() tells
  std::signal(SIGINT, [](int) { ::_exit(ambidex::kExitInterrupted); });
  return ambidex::run_main(argc, argv);
}
