// SPDX-License-Identifier: Apache-2.0
#include "simt/problems.h"

#include <fmt/format.h>

namespace ambidex::simt {
namespace {

// Farther away than this, the name of the nearest region says nothing.
constexpr int64_t kMaxNearBytes = int64_t{1} << 32;
constexpr uintptr_t kNullPageBytes = 4096;

std::string size_text(const SimtRegion& region, int64_t num_bytes) {
  if (region.element_bytes <= 1 || num_bytes % region.element_bytes != 0) {
    return fmt::format("{} bytes", num_bytes);
  }
  return fmt::format("{} elements of {} bytes", num_bytes / region.element_bytes,
                     region.element_bytes);
}

std::string_view verb_of(const Access& what) {
  switch (what.kind) {
    case AccessKind::read:
      return what.sort == AccessSort::atomic ? "atomically reads" : "reads";
    case AccessKind::write:
      return what.sort == AccessSort::atomic ? "atomically writes" : "writes";
    case AccessKind::read_write:
      return what.sort == AccessSort::atomic ? "atomically updates" : "reads and writes";
  }
  return "";
}

// "4 bytes past the end of x (100 elements of 4 bytes)".
std::string distance_text(const Access& what, const Nearest& nearest) {
  const std::string size = size_text(nearest.region, nearest.num_bytes);
  if (what.address < nearest.begin) {
    return fmt::format("{} bytes before {} ({})", nearest.begin - what.address, nearest.region.name,
                       size);
  }
  const uintptr_t beyond = what.address + static_cast<uintptr_t>(what.num_bytes) - nearest.begin -
                           static_cast<uintptr_t>(nearest.num_bytes);
  return fmt::format("{} bytes past the end of {} ({})", beyond, nearest.region.name, size);
}

}  // namespace

bool ProblemList::is_new(SimtProblemKind kind, uint64_t program_counter) {
  const std::lock_guard lock(mutex_);
  return !known_.contains({kind, program_counter});
}

bool ProblemList::add(SimtProblem problem) {
  const std::lock_guard lock(mutex_);
  if (!known_.insert({problem.kind, problem.program_counter}).second) return false;
  if (static_cast<int>(problems_.size()) < max_problems_) problems_.push_back(std::move(problem));
  if (static_cast<int>(problems_.size()) >= max_problems_) full_ = true;
  return true;
}

std::vector<SimtProblem> ProblemList::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

std::string place_text(const SimtRegion& region, uintptr_t begin, int64_t num_bytes,
                       uintptr_t address) {
  const auto offset = static_cast<int64_t>(address - begin);
  const int64_t element = region.element_bytes;
  if (offset == 0 && num_bytes == element) return region.name;
  if (element <= 1) {
    return offset < 0 ? fmt::format("{} - {} bytes", region.name, -offset)
                      : fmt::format("{} + {} bytes", region.name, offset);
  }
  const int64_t index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
  const int64_t rest = offset - index * element;
  return rest == 0 ? fmt::format("{}[{}]", region.name, index)
                   : fmt::format("{}[{}] + {} bytes", region.name, index, rest);
}

std::string access_text(const Access& what, const std::string& place) {
  return fmt::format("{}{} {} bytes at {}, ", verb_of(what),
                     what.sort == AccessSort::is_volatile ? " (volatile)" : "", what.num_bytes,
                     place);
}

std::string bounds_text(const Access& what, const Nearest* nearest) {
  const bool near = nearest != nullptr &&
                    distance_to(nearest->begin, nearest->num_bytes, what.address) < kMaxNearBytes;
  if (what.address < kNullPageBytes) {
    return access_text(what, fmt::format("{:#x}", what.address)) + "a null pointer with an index";
  }
  if (!near) {
    return access_text(what, fmt::format("{:#x}", what.address)) +
           "which is no device memory: a pointer of the host, or a wild one";
  }
  const std::string place =
      place_text(nearest->region, nearest->begin, nearest->num_bytes, what.address);
  const uintptr_t end = nearest->begin + static_cast<uintptr_t>(nearest->num_bytes);
  const bool inside = what.address >= nearest->begin &&
                      what.address + static_cast<uintptr_t>(what.num_bytes) <= end;
  if (inside && nearest->released) return access_text(what, place) + "which has been released";
  if (inside && !nearest->region.writable) return access_text(what, place) + "which is constant";
  return access_text(what, place) + distance_text(what, *nearest);
}

}  // namespace ambidex::simt
