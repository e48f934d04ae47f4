// SPDX-License-Identifier: Apache-2.0
// The last part of the demo: a CUDA kernel becomes HIP, here and now.
#pragma once

#include <optional>
#include <string>

#include "cli/json.h"
#include "port/run.h"

namespace ambidex {

/// data/examples/place_by_owner.cu, by the rules and by mere renaming.
struct DemoPort {
  PortRun by_rules;
  std::string renamed_fault;  // of names changed and masks widened with zeros, as is often done
  std::string diff;           // of the rules' edits to the kernel, without names and headers
};

/// About ten seconds. Nothing if this build has no ambidex-clang, or the system no sandbox.
std::optional<DemoPort> port_demo();

std::string text_of(const DemoPort& demo);
nlohmann::ordered_json json_of(const DemoPort& demo);

}  // namespace ambidex
