// SPDX-License-Identifier: Apache-2.0
#include "runner/module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>

#include "ambidex/base.h"
#include "port/module_abi.h"

namespace ambidex::runner {
namespace {

template <class T>
T symbol_of(void* handle, const char* name) {
  void* address = dlsym(handle, name);
  if (address == nullptr) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("the module does not define {}; build it with ambidex-clang module", name));
  }
  return reinterpret_cast<T>(address);
}

Kernel kernel_of(const nlohmann::json& text, void* thunk) {
  Kernel kernel;
  kernel.name = text.at("name").get<std::string>();
  kernel.symbol = text.at("symbol").get<std::string>();
  kernel.file = text.at("file").get<int>();
  kernel.max_threads = text.at("max_threads").get<int64_t>();
  kernel.shared_bytes = text.at("shared_bytes").get<int64_t>();
  kernel.shared = text.at("shared").get<std::vector<int>>();
  for (const auto& row : text.at("parameters")) {
    Parameter parameter{row.at("name").get<std::string>(), row.at("bytes").get<int64_t>(), {}};
    for (const auto& pointer : row.at("pointers")) {
      parameter.pointers.push_back(
          {pointer.at("offset").get<int64_t>(), pointer.at("const").get<bool>(),
           std::max<int64_t>(1, pointer.at("element").at("bytes").get<int64_t>())});
    }
    kernel.parameters.push_back(std::move(parameter));
  }
  kernel.thunk = reinterpret_cast<SimtKernel>(thunk);
  return kernel;
}

Variable variable_of(const nlohmann::json& text, void* address) {
  return {text.at("name").get<std::string>(),
          text.at("symbol").get<std::string>(),
          text.at("file").get<int>(),
          text.at("bytes").get<int64_t>(),
          text.at("constant").get<bool>(),
          text.value("managed", false),
          address};
}

void read_tables(Module& module) {
  const auto text = nlohmann::json::parse(symbol_of<const char*>(module.handle, kModuleText));
  if (text.at("version") != kModuleVersion) {
    throw Error(ErrorKind::bad_input, "the module is of another version; build it again");
  }
  module.dialect = text.at("dialect").get<std::string>();
  module.counted = text.value("counted", false);
  auto* thunks = symbol_of<void**>(module.handle, kModuleKernels);
  for (const auto& row : text.at("kernels")) module.kernels.push_back(kernel_of(row, *thunks++));
  auto* addresses = symbol_of<void**>(module.handle, kModuleVariables);
  for (const auto& row : text.at("variables")) {
    module.variables.push_back(variable_of(row, *addresses++));
  }
  auto* getters = symbol_of<void* (**)()>(module.handle, kModuleShared);
  for (const auto& row : text.at("shared")) {
    module.shared.push_back({row.at("name").get<std::string>(), row.at("bytes").get<int64_t>(),
                             row.at("element_bytes").get<int64_t>(), *getters++});
  }
  auto* lists = symbol_of<void (***)()>(module.handle, kModuleConstructors);
  for (const auto& count : text.at("constructors")) {
    void (**list)() = *lists++;
    module.constructors.insert(module.constructors.end(), list, list + count.get<int64_t>());
  }
  module.dynamic_shared = symbol_of<void* (*)()>(module.handle, kModuleDynamicShared);
  module.num_decisions = text.at("decisions").get<int64_t>();
  if (module.num_decisions == 0) return;
  module.decisions = symbol_of<const unsigned char*>(module.handle, kModuleDecisions);
}

void find_extent(Module& module) {
  link_map* map = nullptr;
  check(dlinfo(module.handle, RTLD_DI_LINKMAP, &map) == 0, "an open object has a link map");
  module.base = map->l_addr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* out = static_cast<Module*>(data);
        if (info->dlpi_addr != out->base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          out->end = std::max<uintptr_t>(out->end, out->base + segment.p_vaddr + segment.p_memsz);
        }
        return 1;
      },
      &module);
}

}  // namespace

Module open_module(int descriptor) {
  Module module;
  const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
  module.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module.handle == nullptr) {
    std::string reason = dlerror();
    if (reason.starts_with(path + ": ")) reason = reason.substr(path.size() + 2);
    throw Error(ErrorKind::bad_input,
                fmt::format("the module cannot be opened: {}; if it is a function of CUDA's or "
                            "HIP's runtime, the executor does not have it",
                            reason));
  }
  find_extent(module);
  read_tables(module);
  return module;
}

const Kernel& find_kernel(const Module& module, const std::string& name) {
  std::vector<const Kernel*> found;
  std::vector<std::string> names;
  for (const Kernel& kernel : module.kernels) {
    if (kernel.symbol == name || kernel.name == name) return kernel;
    names.push_back(kernel.name);
    std::string plain = kernel.name.substr(0, kernel.name.find_first_of("(<"));
    if (const size_t space = plain.rfind(' '); space != std::string::npos) {
      plain =
          plain.substr(space + 1);  // "void kernel<float>(...)": the type of a template's result
    }
    if (plain == name) found.push_back(&kernel);
  }
  if (found.empty()) throw Error(ErrorKind::not_found, unknown_name("kernel", name, names));
  if (found.size() > 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("kernel \"{}\": {} kernels have this name, among them {} and {}; give "
                            "the whole name",
                            name, found.size(), found[0]->name, found[1]->name));
  }
  return *found[0];
}

std::string decisions_of(const Module& module) {
  std::string digits;
  for (int64_t i = 0; i < module.num_decisions; ++i) {
    const int was_false = module.decisions[2 * i] != 0, was_true = module.decisions[2 * i + 1] != 0;
    digits += static_cast<char>('0' + was_false + 2 * was_true);
  }
  return digits;
}

void* find_function(const Module& module, const std::string& name) {
  return dlsym(module.handle, name.c_str());
}

}  // namespace ambidex::runner
