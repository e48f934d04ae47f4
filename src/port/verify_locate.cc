// SPDX-License-Identifier: Apache-2.0
// The first divergence: which thread wrote the element that is wrong, and by which line.
#include <fmt/format.h>

#include <filesystem>

#include "port/verification.h"

namespace ambidex {
namespace {

std::optional<TracedPlace> last_write(const TracedLaunch& launch, const RunManner& manner,
                                      const Divergence& first) {
  RunManner apart = manner;
  apart.folder += "-watch";
  const Replayed replayed = replay(
      launch, launch.symbol, apart,
      ReplayWatch{.buffer = first.buffer, .offset = first.offset, .num_bytes = first.num_bytes});
  std::error_code ignored;
  std::filesystem::remove_all(apart.folder, ignored);
  return replayed.last_write;
}

}  // namespace

void locate(const Verification& state, const TracedLaunch& original, const TracedLaunch& port,
            const RunManner& manner_of_port, VerifyCase& failed) {
  const Divergence& first = *failed.first;
  failed.place = last_write(port, manner_of_port, first);
  if (failed.place) {
    failed.message += fmt::format("; written at {}", text_of(*failed.place));
    return;
  }
  RunManner how = manner(state, Side::original, 32, "original");
  how.folder = manner_of_port.folder + "-original";
  how.poison = manner_of_port.poison;
  const auto place = last_write(original, how, first);
  failed.message += place
                        ? fmt::format("; no thread of the port writes it, the original does at {}",
                                      text_of(*place))
                        : "; no thread writes it";
}

}  // namespace ambidex
