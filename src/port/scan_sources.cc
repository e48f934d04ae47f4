// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "port/build_flags.h"
#include "port/scan.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxBytes = size_t{64} << 20;  // of a source; larger files are data

bool is_header(const std::string& extension) {
  static const std::set<std::string> kHeaders{".cuh", ".h", ".hpp", ".inl", ".hh", ".hxx"};
  return kHeaders.contains(extension);
}

bool is_source(const std::string& extension) {
  static const std::set<std::string> kSources{".cu", ".cpp", ".c", ".cc", ".cxx", ".hip"};
  return kSources.contains(extension);
}

std::string contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  if (!stream || failure || size > kMaxBytes) return text;
  text.resize(size);
  stream.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

bool names_cuda(const std::string& text) {
  for (const char* word : {"__global__", "__device__", "__shared__", "__host__", "<<<", "cuda",
                           "CUDA", "__shfl", "__ballot", "threadIdx", "__syncthreads", "__syncwarp",
                           "cublas", "curand", "nccl", "wmma", "hip/hip_runtime"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

void take(const fs::path& path, bool is_named, ScanSources& sources) {
  const std::string name = path.string();
  const std::string extension = path.extension().string();
  if (is_build_file(name)) {
    sources.build_files.push_back(name);
    return;
  }
  if (!is_named && !is_source(extension) && !is_header(extension)) return;
  const bool kernel_file = extension == ".cu" || extension == ".cuh";
  // One that cannot be read is taken, so that it is refused by name and not left out.
  const bool is_readable = static_cast<bool>(std::ifstream(path));
  if (!is_named && !kernel_file && is_readable && !names_cuda(contents_of(path))) return;
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
    if (entry->is_directory(ignored) && name.starts_with(".")) entry.disable_recursion_pending();
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
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (path.empty() || !fs::exists(status)) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("\"{}\": no such file or folder; name CUDA sources or a folder of them",
                      path));
    }
    const ScanSources before = sources;
    if (fs::is_directory(status)) {
      take_folder(path, sources);
    } else if (!fs::is_regular_file(status) || !std::ifstream(path)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: cannot be read; name a readable source file", path));
    } else {
      take(path, true, sources);
    }
    if (before.roots.size() == sources.roots.size() &&
        before.headers.size() == sources.headers.size() &&
        before.build_files.size() == sources.build_files.size()) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: no CUDA source in the folder; expected *.cu, *.cuh, or C++ files "
                      "that use CUDA",
                      path));
    }
  }
  unite(sources.roots);
  unite(sources.headers);
  unite(sources.build_files);
  return sources;
}

}  // namespace ambidex
