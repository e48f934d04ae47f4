// SPDX-License-Identifier: Apache-2.0
#include "port/source_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/text.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

std::string_view kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::fifo:
      return "a FIFO";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    default:
      return "no regular file";
  }
}

fs::file_status status_of(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (failure == std::errc::too_many_symbolic_link_levels) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: its links lead in a circle; name the file itself", quote(path)));
  }
  if (status.type() == fs::file_type::not_found || path.empty()) {
    throw Error(ErrorKind::not_found, fmt::format("{}: no such file or folder", quote(path)));
  }
  if (failure) fail_file(printable(path), "look at", failure.value());
  return status;
}

void copy_entry(const fs::directory_entry& entry, const fs::path& to) {
  std::error_code failure;
  const fs::file_status status = entry.symlink_status(failure);
  if (fs::is_symlink(status)) {
    fs::copy_symlink(entry.path(), to, failure);
  } else if (fs::is_directory(status)) {
    fs::create_directory(to, entry.path(), failure);
  } else if (fs::is_regular_file(status)) {
    fs::copy_file(entry.path(), to, failure);
  }
  if (failure) fail_file(printable(entry.path().string()), "copy", failure.value());
}

struct Includes {
  bool cuda = false, hip = false;
};

Includes includes_of(const std::string& path) {
  static const std::string kInclude = R"re((^|\n)[ \t]{0,64}#[ \t]{0,64}include[ \t]{0,64}[<"])re";
  static const std::regex kCuda(kInclude +
                                "(cuda|cublas|curand|cufft|cusparse|cudnn|cub/|mma\\.h|"
                                "cooperative_groups|device_launch_parameters)");
  static const std::regex kHip(kInclude + "(hip|rocwmma|ambidex_port)");
  const std::string text = read_file(path, kMaxSourceBytes);
  return {std::regex_search(text, kCuda), std::regex_search(text, kHip)};
}

}  // namespace

std::string why_no_source(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr const char* kConvert = "is UTF-{0} text; make it UTF-8: iconv -f UTF-{0} -t UTF-8";
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv)) {
    return fmt::format(fmt::runtime(kConvert), 32);
  }
  if (bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv)) {
    return fmt::format(fmt::runtime(kConvert), 16);
  }
  const size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return "";
  const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<int64_t>(nul), '\n');
  return fmt::format(
      "line {} holds a NUL byte, so it is no source text but binary, or UTF-16; give it as UTF-8",
      line);
}

bool is_source_folder(const std::string& path) {
  const fs::file_status status = status_of(path);
  if (fs::is_directory(status)) return true;
  if (fs::is_regular_file(status)) return false;
  throw Error(ErrorKind::bad_input, fmt::format("{}: is {}; name a source file, or a folder",
                                                quote(path), kind_of(status.type())));
}

void check_source(const std::string& path) {
  if (is_source_folder(path)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: is a folder; name a source file", quote(path)));
  }
  const std::string why = why_no_source(read_file(path, kMaxSourceBytes));
  if (!why.empty()) throw Error(ErrorKind::bad_input, fmt::format("{}: {}", quote(path), why));
}

bool is_cuda_source(const std::string& path) {
  const Includes includes = includes_of(path);
  const std::string extension = fs::path(path).extension().string();
  if (includes.cuda || includes.hip) return includes.cuda && !includes.hip;
  return extension == ".cu" || extension == ".cuh";
}

bool is_hip_source(const std::string& path) {
  const Includes includes = includes_of(path);
  if (includes.cuda || includes.hip) return includes.hip && !includes.cuda;
  return fs::path(path).extension() == ".hip";
}

std::string plain_path(const std::string& path) {
  std::error_code failure;
  const fs::path plain = fs::weakly_canonical(fs::absolute(path), failure);
  return failure ? path : plain.string();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code failure;
  const fs::path inner = fs::weakly_canonical(path, failure);
  const fs::path outer = fs::weakly_canonical(folder, failure);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

bool is_port_folder(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path / kPortMarker, failure);
}

void copy_sources(const std::string& from, const std::string& to) {
  if (!is_source_folder(from)) return write_file(to, read_file(from, kMaxSourceBytes));
  std::error_code failure;
  fs::create_directories(to, failure);
  if (failure) fail_file(printable(to), "create", failure.value());
  auto walk = fs::recursive_directory_iterator(from, failure);
  for (; !failure && walk != fs::recursive_directory_iterator(); walk.increment(failure)) {
    if (is_port_folder(walk->path())) {
      walk.disable_recursion_pending();
      continue;
    }
    copy_entry(*walk, fs::path(to) / walk->path().lexically_relative(from));
  }
  if (failure) fail_file(printable(from), "list", failure.value());
}

}  // namespace ambidex
