// SPDX-License-Identifier: Apache-2.0
#include "runner/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "ambidex/base.h"

namespace ambidex::runner {
namespace {

struct Object {
  std::string_view bytes;
  std::string_view where;

  template <class T>
  T at(uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: cut short at byte {}; build it again", where, offset));
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
};

[[noreturn]] void refuse(const Object& object, std::string_view what) {
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: {}, and that would happen outside of the sandbox; such a module is "
                          "not run",
                          object.where, what));
}

// Of tags whose presence alone matters.
std::string_view forbidden(int64_t tag) {
  switch (tag) {
    case DT_NEEDED:
    case DT_AUXILIARY:
    case DT_FILTER:
      return "it loads another object";
    case DT_INIT:
    case DT_INIT_ARRAY:
    case DT_PREINIT_ARRAY:
      return "it has a constructor that runs when it is loaded";
    case DT_FINI:
    case DT_FINI_ARRAY:
      return "it has a destructor that runs when it is unloaded";
    case DT_TEXTREL:
      return "its code is written to when it is loaded";
    default:
      return "";
  }
}

uint64_t file_offset(const Object& object, const Elf64_Ehdr& header, uint64_t address) {
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto segment = object.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD) continue;
    if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
    return segment.p_offset + (address - segment.p_vaddr);
  }
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: address {:#x} is in no segment; build it again", object.where, address));
}

struct Table {
  uint64_t address = 0, num_bytes = 0;
};

void check_relocations(const Object& object, const Elf64_Ehdr& header, const Table& relocations,
                       uint64_t symbols) {
  if (relocations.num_bytes == 0) return;
  const uint64_t begin = file_offset(object, header, relocations.address);
  for (uint64_t i = 0; i + sizeof(Elf64_Rela) <= relocations.num_bytes; i += sizeof(Elf64_Rela)) {
    const auto relocation = object.at<Elf64_Rela>(begin + i);
    if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE) {
      refuse(object, "it has a function that is chosen by code (ifunc)");
    }
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    const auto symbol =
        object.at<Elf64_Sym>(file_offset(object, header, symbols) + index * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC && symbol.st_shndx != SHN_UNDEF) {
      refuse(object, "it has a function that is chosen by code (ifunc)");
    }
  }
}

void check_dynamic(const Object& object, const Elf64_Ehdr& header, const Elf64_Phdr& dynamic) {
  Table plain, calls;
  uint64_t symbols = 0;
  for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= dynamic.p_filesz; i += sizeof(Elf64_Dyn)) {
    const auto entry = object.at<Elf64_Dyn>(dynamic.p_offset + i);
    if (entry.d_tag == DT_NULL) break;
    if (const auto reason = forbidden(entry.d_tag); !reason.empty()) refuse(object, reason);
    if (entry.d_tag == DT_RELA) plain.address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_RELASZ) plain.num_bytes = entry.d_un.d_val;
    if (entry.d_tag == DT_JMPREL) calls.address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_PLTRELSZ) calls.num_bytes = entry.d_un.d_val;
    if (entry.d_tag == DT_SYMTAB) symbols = entry.d_un.d_ptr;
    if (entry.d_tag == DT_REL || entry.d_tag == DT_RELR) {
      refuse(object, "it is relocated in a way that is not checked here");
    }
  }
  check_relocations(object, header, plain, symbols);
  check_relocations(object, header, calls, symbols);
}

}  // namespace

void refuse_loading_code(std::string_view bytes, std::string_view where) {
  const Object object{bytes, where};
  if (bytes.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: not a shared object; build one with ambidex-clang module", where));
  }
  const auto header = object.at<Elf64_Ehdr>(0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
      header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: not a shared object for x86-64; build one with ambidex-clang "
                            "module",
                            where));
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto segment = object.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_DYNAMIC) check_dynamic(object, header, segment);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) && (segment.p_flags & PF_X)) {
      refuse(object, "it has code that can be written to");
    }
  }
}

}  // namespace ambidex::runner
