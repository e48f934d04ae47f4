// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "port/build_flags.h"
#include "port/scan.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSupport = "ambidex_port";  // headers that a port brings along

bool is_header(const std::string& extension) {
  static const std::set<std::string> kHeaders{".cuh", ".h", ".hpp", ".inl", ".hh", ".hxx"};
  return kHeaders.contains(extension);
}

bool is_source(const std::string& extension) {
  static const std::set<std::string> kSources{".cu", ".cpp", ".c", ".cc", ".cxx", ".hip"};
  return kSources.contains(extension);
}

bool names_cuda(const std::string& text) {
  for (const char* word : {"__global__", "__device__", "__shared__", "__host__", "<<<", "cuda",
                           "CUDA", "__shfl", "__ballot", "threadIdx", "__syncthreads", "__syncwarp",
                           "cublas", "curand", "nccl", "wmma", "hip/hip_runtime"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

// With a stray NUL byte: clang passes over it. UTF-16 and binary files have many.
bool is_mostly_text(const std::string& text) {
  constexpr int64_t kTextBytesPerNul = 8;
  return std::count(text.begin(), text.end(), '\0') * kTextBytesPerNul < std::ssize(text) &&
         !text.starts_with("\xff\xfe") && !text.starts_with("\xfe\xff");
}

void take(const fs::path& path, bool is_named, ScanSources& sources) {
  const std::string name = path.string();
  const std::string extension = path.extension().string();
  if (is_build_file(name)) {
    sources.build_files.push_back(name);
    return;
  }
  if (!is_named && !is_source(extension) && !is_header(extension)) return;
  std::string text;
  try {
    text = read_file(name, kMaxSourceBytes);
  } catch (const Error& error) {
    if (is_named) throw;
    sources.unread.push_back({.file = name, .text = error.what()});
    return;
  }
  const bool kernel_file = extension == ".cu" || extension == ".cuh";
  if (!is_named && !kernel_file && !names_cuda(text)) return;
  if (const std::string why = why_no_source(text); !why.empty()) {
    if (is_named) throw Error(ErrorKind::bad_input, fmt::format("{}: {}", quote(name), why));
    if (!is_mostly_text(text)) {
      sources.unread.push_back({.file = name, .text = why});
      return;
    }
  }
  (is_header(extension) && !is_named ? sources.headers : sources.roots).push_back(name);
}

void take_folder(const fs::path& folder, ScanSources& sources) {
  std::vector<fs::path> paths;
  std::error_code failure;
  auto entry = fs::recursive_directory_iterator(
      folder, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    const bool is_passed_over =
        name.starts_with(".") || name == kSupport || is_port_folder(entry->path());
    if (entry->is_directory(ignored) && is_passed_over) entry.disable_recursion_pending();
    if (entry->is_regular_file(ignored) && !name.starts_with(".")) paths.push_back(entry->path());
  }
  if (failure) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: cannot be walked: {}; check its permissions",
                                                  folder.string(), failure.message()));
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) take(path, false, sources);
}

void unite(std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::erase_if(names, [&](const std::string& name) {
    return !seen.insert(fs::path(name).lexically_normal().string()).second;
  });
}

}  // namespace

ScanSources scan_sources(const std::vector<std::string>& paths) {
  ScanSources sources;
  for (const std::string& path : paths) {
    const size_t num_before = sources.roots.size() + sources.headers.size() +
                              sources.build_files.size() + sources.unread.size();
    if (is_source_folder(path)) {
      take_folder(path, sources);
    } else {
      take(path, true, sources);
    }
    if (num_before == sources.roots.size() + sources.headers.size() + sources.build_files.size() +
                          sources.unread.size()) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: no CUDA source in the folder; expected *.cu, *.cuh, or C++ files "
                      "that use CUDA",
                      quote(path)));
    }
  }
  unite(sources.roots);
  unite(sources.headers);
  unite(sources.build_files);
  return sources;
}

}  // namespace ambidex
