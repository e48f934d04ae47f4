// SPDX-License-Identifier: Apache-2.0
#include "port/frontend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ambidex/base.h"
#include "base/text.h"
#include "port/process.h"
#include "port/time_limit.h"

namespace ambidex {
namespace {

constexpr int kSignalled = 128;  // and the signal: how ProcessResult tells it

std::string path_of(const std::string& program) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  for (auto folder = self.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {  // a test is one folder deeper than the command
    const auto path = folder / program;
    if (std::filesystem::is_regular_file(path, failure)) return path.string();
    if (std::filesystem::exists(folder / "CMakeCache.txt", failure)) break;
  }
  throw Error(ErrorKind::unsupported,
              fmt::format("{} is not beside {}; build with -DAMBIDEX_PORT=ON, which needs "
                          "the libraries of clang 22",
                          program, self.string()));
}

// The first string in it that JSON cannot hold, as it may be shown.
std::string not_utf8_in(const nlohmann::json& value) {
  if (value.is_structured()) {
    for (const nlohmann::json& part : value) {
      if (std::string found = not_utf8_in(part); !found.empty()) return found;
    }
  } else if (value.is_string()) {
    try {
      static_cast<void>(value.dump());
    } catch (const nlohmann::json::exception&) {
      return quote(value.get<std::string>());
    }
  }
  return {};
}

std::string text_of(const nlohmann::json& request) {
  try {
    return request.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: not UTF-8, as names of files and arguments have to be; rename it",
                            not_utf8_in(request)));
  }
}

// Both programs print errors as the command does: "kind: message", and the kind's exit code.
// The one source that is asked about: `"a.cu": `; "" if there are more.
std::string subject_of(const nlohmann::json& request) {
  if (const auto file = request.find("file"); file != request.end()) {
    return quote(file->get<std::string>()) + ": ";
  }
  const auto files = request.find("files");
  if (files == request.end() || files->size() != 1) return "";
  return quote(files->front().get<std::string>()) + ": ";
}

// What takes time without end.
std::string too_long(const std::string& words, double max_seconds) {
  const bool is_clang = words.find("ambidex-clang ") != std::string::npos;
  return fmt::format(
      "{} took longer than {:.3g} s and was ended; {}", words, max_seconds,
      is_clang ? "a source may include itself again and again, or its macros or templates may "
                 "grow without end: simplify it"
               : "give it smaller sizes or fewer launches");
}

[[noreturn]] void throw_reported(const std::string& words, double max_seconds,
                                 const ProcessResult& result) {
  const size_t colon = result.err.find(": ");
  for (const ErrorKind kind : {ErrorKind::bad_input, ErrorKind::not_found, ErrorKind::unsupported,
                               ErrorKind::device_failure}) {
    if (result.exit_code == exit_code(kind) && result.err.substr(0, colon) == name_of(kind)) {
      std::string message = result.err.substr(colon + 2);
      while (message.ends_with('\n')) message.pop_back();
      throw Error(kind, message);
    }
  }
  if (result.timed_out) {
    throw Error(ErrorKind::device_failure, too_long(words, max_seconds));
  }
  if (result.exit_code > kSignalled) {
    throw CrashedError(ErrorKind::unsupported,
                       fmt::format("{} was ended by {}; a source may nest too deeply for clang, or "
                                   "need more memory than there is: simplify it",
                                   words, strsignal(result.exit_code - kSignalled)));
  }
  if (result.err.find(std::strerror(ENOSPC)) != std::string::npos) {  // LLVM ends where it stands
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: no space left on the disk; free some, or set TMPDIR to a folder "
                            "that has some",
                            words));
  }
  throw Error(ErrorKind::internal, fmt::format("{} ended with exit {}: {}", words, result.exit_code,
                                               result.err.substr(0, 4000)));
}

}  // namespace

nlohmann::json ask_program(const std::string& program, const std::vector<std::string>& arguments,
                           const nlohmann::json& request, double max_seconds) {
  std::vector<std::string> words{path_of(program)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const double seconds = TimeLimit::seconds_of(max_seconds);
  const ProcessResult result = run_process(words, text_of(request), seconds);
  words[0] = program;
  if (result.timed_out || result.exit_code != 0) {
    throw_reported(subject_of(request) + fmt::format("{}", fmt::join(words, " ")), seconds, result);
  }
  const auto answer = nlohmann::json::parse(result.out, nullptr, false);
  check(!answer.is_discarded(), "ambidex-clang and ambidex-simt answer in JSON");
  return answer;
}

nlohmann::json ask_frontend(const std::string& command, const nlohmann::json& request,
                            double max_seconds) {
  return ask_program("ambidex-clang", {command}, request, max_seconds);
}

}  // namespace ambidex
