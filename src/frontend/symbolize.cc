// SPDX-License-Identifier: Apache-2.0
// symbolize: {"module": path, "addresses": [n, ...]} -> {"places": [[frame, ...], ...]}. The
// addresses are return addresses, counted from where the module begins. A frame is {function,
// file, line, column}; the first is the innermost of functions that were inlined, and there is
// none if the module does not know.
#include <fmt/format.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Support/Error.h>

#include "ambidex/base.h"
#include "frontend/commands.h"

namespace ambidex {
namespace {

nlohmann::json frames_of(const llvm::DIInliningInfo& inlined) {
  nlohmann::json frames = nlohmann::json::array();
  for (uint32_t i = 0; i < inlined.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo& frame = inlined.getFrame(i);
    if (frame.FileName == llvm::DILineInfo::BadString) continue;
    frames.push_back({{"function", frame.FunctionName},
                      {"file", frame.FileName},
                      {"line", frame.Line},
                      {"column", frame.Column}});
  }
  return frames;
}

}  // namespace

nlohmann::json answer_symbolize(const nlohmann::json& request) {
  const std::string path = request.at("module");
  llvm::symbolize::LLVMSymbolizer symbolizer;
  nlohmann::json places = nlohmann::json::array();
  for (const uint64_t address : request.at("addresses").get<std::vector<uint64_t>>()) {
    // The instruction before a return address is the call; it may be another line's, or function's.
    llvm::Expected<llvm::DIInliningInfo> inlined = symbolizer.symbolizeInlinedCode(
        path, {address - 1, llvm::object::SectionedAddress::UndefSection});
    if (!inlined) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: {}; give a module that can be read", path,
                                                    llvm::toString(inlined.takeError())));
    }
    places.push_back(frames_of(*inlined));
  }
  return {{"places", places}};
}

}  // namespace ambidex
