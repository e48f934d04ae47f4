// SPDX-License-Identifier: Apache-2.0
// The command `ambidex`: the only place that prints and exits.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <new>

#include "ambidex/base.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

int run_command(int argc, const char* const* argv) {
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
  print_out(printable_lines(console.out));
  return console.exit_code;
}

int print_error(ErrorKind kind, std::string_view message) {
  print_note(fmt::format("{}: {}", name_of(kind), message));
  return exit_code(kind);
}

int run_main(int argc, const char* const* argv) {
  try {
    return run_command(argc, argv);
  } catch (const Error& error) {
    return print_error(error.kind, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return print_error(ErrorKind::bad_input,
                       fmt::format("{}: {}; name a path that can be made or written there",
                                   error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return print_error(
        ErrorKind::bad_input,
        "out of memory; a smaller batch, narrower layers or fewer lookups need less");
  } catch (const std::exception& error) {
    return print_error(ErrorKind::internal, error.what());
  } catch (const Interrupted& interrupted) {
    return kExitSignalled + interrupted.signal;
  }
}

// A file that is opened later must not become stdout because the caller closed ours. Opened for
// reading, so that writing there still fails.
void occupy_standard_files() {
  int file = ::open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO) file = ::open("/dev/null", O_RDONLY);
  if (file >= 0) ::close(file);
}

void on_stop(int signal) {
  if (!request_interrupt(signal)) ::_exit(kExitSignalled + signal);
}

void set_signals() {
  std::signal(SIGPIPE, SIG_IGN);  // write() tells
  std::signal(SIGXFSZ, SIG_IGN);  // so does it of a limit on sizes
  struct sigaction stop {};       // without SA_RESTART: what waits is to look up
  stop.sa_handler = on_stop;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &stop, nullptr);  // else in the background
  }
}

}  // namespace
}  // namespace ambidex

int main(int argc, char** argv) {
  ambidex::occupy_standard_files();
  ambidex::set_signals();
  return ambidex::run_main(argc, argv);
}
