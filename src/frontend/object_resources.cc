// SPDX-License-Identifier: Apache-2.0
// Reads what LLVM notes of each kernel in a code object (AMDGPU metadata, MessagePack).
#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>

#include "ambidex/base.h"
#include "frontend/object.h"

namespace ambidex {
namespace {

using llvm::msgpack::DocNode;
using llvm::msgpack::MapDocNode;

int64_t integer(MapDocNode& map, llvm::StringRef key, int64_t otherwise) {
  const auto found = map.find(key);
  if (found == map.end()) return otherwise;
  if (found->second.getKind() == llvm::msgpack::Type::UInt) {
    return static_cast<int64_t>(found->second.getUInt());
  }
  return found->second.getKind() == llvm::msgpack::Type::Int ? found->second.getInt() : otherwise;
}

std::string text(MapDocNode& map, llvm::StringRef key) {
  const auto found = map.find(key);
  return found != map.end() && found->second.isString() ? found->second.getString().str() : "";
}

// Waves that a SIMD can hold by registers alone. CDNA3 and CDNA4: 512 vector registers per lane,
// accumulators included, given out in eights; eight waves. Scalar registers are no limit.
int64_t waves_per_simd(int64_t vgprs) {
  const int64_t given = std::max<int64_t>(8, (vgprs + 7) / 8 * 8);
  return std::min<int64_t>(8, 512 / given);
}

nlohmann::json read_arguments(MapDocNode& kernel) {
  nlohmann::json arguments = nlohmann::json::array();
  const auto found = kernel.find(".args");
  if (found == kernel.end() || !found->second.isArray()) return arguments;
  for (DocNode& node : found->second.getArray()) {
    MapDocNode& argument = node.getMap();
    arguments.push_back({{"name", text(argument, ".name")},
                         {"offset", integer(argument, ".offset", -1)},
                         {"bytes", integer(argument, ".size", -1)},
                         {"kind", text(argument, ".value_kind")}});
  }
  return arguments;
}

nlohmann::json read_kernel(MapDocNode& kernel) {
  const std::string symbol = text(kernel, ".name");
  const int64_t vgprs = integer(kernel, ".vgpr_count", -1);
  return {{"symbol", symbol},
          {"name", llvm::demangle(symbol)},
          {"vgprs", vgprs},
          {"agprs", integer(kernel, ".agpr_count", 0)},
          {"sgprs", integer(kernel, ".sgpr_count", -1)},
          {"vgpr_spills", integer(kernel, ".vgpr_spill_count", 0)},
          {"sgpr_spills", integer(kernel, ".sgpr_spill_count", 0)},
          {"scratch_bytes", integer(kernel, ".private_segment_fixed_size", 0)},
          {"lds_bytes", integer(kernel, ".group_segment_fixed_size", 0)},
          {"max_threads", integer(kernel, ".max_flat_workgroup_size", -1)},
          {"wave_width", integer(kernel, ".wavefront_size", -1)},
          {"waves_per_simd", waves_per_simd(vgprs)},
          {"argument_bytes", integer(kernel, ".kernarg_segment_size", 0)},
          {"argument_align", integer(kernel, ".kernarg_segment_align", 8)},
          {"arguments", read_arguments(kernel)}};
}

using File = llvm::object::ELF64LEObjectFile;

// The kernels of the first note of AMD's; null if there is none.
nlohmann::json read_notes(const File& file) {
  const auto& elf = file.getELFFile();
  auto sections = elf.sections();
  if (!sections) return nullptr;
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE) continue;
    llvm::Error failure = llvm::Error::success();
    nlohmann::json kernels;
    for (const auto& note : elf.notes(section, failure)) {
      if (note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA) continue;
      llvm::msgpack::Document document;
      if (!document.readFromBlob(note.getDescAsStringRef(section.sh_addralign), false)) continue;
      kernels = nlohmann::json::array();
      MapDocNode& root = document.getRoot().getMap();
      const auto list = root.find("amdhsa.kernels");
      if (list == root.end()) break;
      for (DocNode& node : list->second.getArray()) kernels.push_back(read_kernel(node.getMap()));
      break;
    }
    llvm::consumeError(std::move(failure));
    if (!kernels.is_null()) return kernels;
  }
  return nullptr;
}

std::vector<std::string> undefined_symbols(const File& file) {
  std::vector<std::string> names;
  for (const llvm::object::ELFSymbolRef symbol : file.symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    const bool is_undefined = (*flags & llvm::object::BasicSymbolRef::SF_Undefined) != 0;
    if (is_undefined && !name->empty()) names.push_back(name->str());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

nlohmann::json read_resources(const std::string& path) {
  auto binary = llvm::object::ObjectFile::createObjectFile(path);
  if (!binary) {
    throw Error(ErrorKind::internal,
                fmt::format("{}: {}", path, llvm::toString(binary.takeError())));
  }
  const auto* file = llvm::dyn_cast<File>(binary->getBinary());
  nlohmann::json kernels = file != nullptr ? read_notes(*file) : nlohmann::json();
  if (kernels.is_null()) {
    throw Error(ErrorKind::internal, fmt::format("{}: no AMDGPU metadata in it", path));
  }
  return {{"kernels", std::move(kernels)}, {"undefined", undefined_symbols(*file)}};
}

int64_t lds_limit_bytes(const std::string& arch) {
  if (arch == "gfx942") return 65536;
  if (arch == "gfx950") return 163840;
  throw Error(ErrorKind::unsupported, fmt::format("arch: expected gfx942 or gfx950, got \"{}\"; "
                                                  "no other target of this tool has its limits",
                                                  arch));
}

}  // namespace ambidex
