// SPDX-License-Identifier: Apache-2.0
// Properties of targets and sources that speak of CUDA, and the commands put in their place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "port/cmake_port.h"
#include "port/nvcc_flags.h"

namespace ambidex {
namespace {

constexpr std::string_view kSeparable = "CUDA_SEPARABLE_COMPILATION";
constexpr BuildWhy kRelocatable{"build.relocatable", "",
                                "device code is linked across files by -fgpu-rdc"};
constexpr BuildWhy kDropped{"build.variable", "", "of nvcc alone"};

bool is_any_of(std::string_view value, std::initializer_list<std::string_view> words) {
  std::string upper(value);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::find(words.begin(), words.end(), upper) != words.end();
}

// "$<COMPILE_LANGUAGE:HIP>", where `value` is more than ON with the test of it.
std::string condition(std::string_view language, std::string_view value) {
  const std::string plain = fmt::format("$<{}:HIP>", language);
  if (is_any_of(value, {"ON", "TRUE", "YES", "Y", "1"})) return plain;
  return fmt::format("$<AND:$<BOOL:{}>,{}>", value, plain);
}

size_t number_of(const CmakeCommand& command, std::string_view keyword) {
  const auto found = std::find_if(command.arguments.begin(), command.arguments.end(),
                                  [&](const CmakeArgument& a) { return a.text == keyword; });
  return static_cast<size_t>(found - command.arguments.begin());
}

// What a pair (or a property and its values, arguments [first, last)) becomes.
struct Property {
  size_t first = 0, last = 0;
  std::string_view name, value;
};

bool goes(const Property& property) {
  return property.name == kSeparable || is_of_nvcc_alone(property.name);
}

void translate_property(CmakePort& port, const CmakeCommand& command, const Property& property,
                        bool is_pair) {
  if (property.name == "CUDA_ARCHITECTURES") {
    translate_architectures(port, command, property.first + 1, property.last, is_pair);
  }
  if (property.name == "CUDA_STANDARD" && property.last > property.first + 1) {
    translate_standard(port, command.arguments[property.first + 1]);
  }
  const bool makes_ptx = property.name == "CUDA_PTX_COMPILATION" ||
                         property.name == "CUDA_CUBIN_COMPILATION" ||
                         property.name == "CUDA_FATBIN_COMPILATION";
  if (makes_ptx && property.first < property.last) {
    refuse(port.draft, command.arguments[property.first].begin, "N01",
           fmt::format("{}: PTX and cubins are no form of AMD's code", property.name));
  }
}

std::vector<Property> pairs_of(const CmakeCommand& command, size_t first) {
  std::vector<Property> pairs;
  for (size_t i = first; i + 1 < command.arguments.size(); i += 2) {
    pairs.push_back({i, i + 2, command.arguments[i].text, command.arguments[i + 1].text});
  }
  return pairs;
}

std::vector<std::string> names_of(const CmakePort& port, const CmakeCommand& command, size_t first,
                                  size_t last) {
  std::vector<std::string> names;
  for (size_t i = first; i < last; ++i) {
    const CmakeArgument& argument = command.arguments[i];
    names.emplace_back(
        port.draft.text.substr(argument.outer_begin, argument.outer_end - argument.outer_begin));
  }
  return names;
}

void translate_pairs(CmakePort& port, const CmakeCommand& command) {
  const size_t keyword = number_of(command, "PROPERTIES");
  const std::vector<Property> pairs = pairs_of(command, keyword + 1);
  std::vector<std::string> lines;
  size_t num_left = pairs.size();
  for (const Property& pair : pairs) {
    translate_property(port, command, pair, true);
    if (!goes(pair)) continue;
    --num_left;
    if (pair.name == kSeparable && command.name == "set_target_properties") {
      lines = separable_commands(port, names_of(port, command, 0, keyword), pair.value);
    }
  }
  if (num_left == pairs.size()) return;
  if (num_left == 0)
    return put_commands(port, command, lines, lines.empty() ? kDropped : kRelocatable);
  for (const Property& pair : pairs) {
    if (!goes(pair)) continue;
    remove(port.draft, command.arguments[pair.first].outer_begin,
           command.arguments[pair.first + 1].outer_end, kDropped);
  }
  add_commands(port, command, lines, kRelocatable);
}

void translate_set_property(CmakePort& port, const CmakeCommand& command) {
  const size_t keyword = number_of(command, "PROPERTY");
  if (keyword + 1 >= command.arguments.size()) return;
  const size_t num = command.arguments.size();
  const Property property{keyword + 1, num, command.arguments[keyword + 1].text,
                          keyword + 2 < num ? command.arguments[keyword + 2].text : ""};
  translate_property(port, command, property, false);
  if (!goes(property)) return;
  std::vector<std::string> lines;
  if (property.name == kSeparable && command.arguments[0].text == "TARGET") {
    const std::vector<std::string> names = names_of(port, command, 1, keyword);
    lines = separable_commands(port, names, property.value);
  }
  put_commands(port, command, lines, lines.empty() ? kDropped : kRelocatable);
}

bool is_architecture(std::string_view value) {
  return is_any_of(value, {"NATIVE", "ALL", "ALL-MAJOR", ""}) ||
         (!value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) != 0);
}

}  // namespace

std::vector<std::string> separable_commands(const CmakePort& port,
                                            const std::vector<std::string>& targets,
                                            std::string_view value) {
  if (is_any_of(value, {"OFF", "FALSE", "NO", "N", "0", ""})) return {};
  std::string link = "-fgpu-rdc;--hip-link";
  if (port.has_architecture_flags) {  // CMake's own list of them may be another
    link += ";";
    for (const char c : kOffloadArchs) link += c == ' ' ? ';' : c;
  }
  const std::string compile_option =
      fmt::format("$<{}:-fgpu-rdc>", condition("COMPILE_LANGUAGE", value));
  const std::string link_option =
      fmt::format("\"$<{}:{}>\"", condition("LINK_LANGUAGE", value), link);
  if (targets.empty()) {
    return {fmt::format("add_compile_options({})", compile_option),
            fmt::format("add_link_options({})", link_option)};
  }
  std::vector<std::string> lines;
  for (const std::string& target : targets) {
    lines.push_back(fmt::format("target_compile_options({} PRIVATE {})", target, compile_option));
    lines.push_back(fmt::format("target_link_options({} PUBLIC {})", target, link_option));
  }
  return lines;
}

void translate_architectures(CmakePort& port, const CmakeCommand& command, size_t first,
                             size_t last, bool is_one_value) {
  bool is_put = false;
  for (size_t i = first; i < last; ++i) {
    const CmakeArgument& argument = command.arguments[i];
    if (!is_architecture(argument.text)) continue;
    const BuildWhy why{"build.architecture"};
    if (is_put) {
      remove(port.draft, argument.outer_begin, argument.outer_end, why);
    } else {
      const bool is_quoted = is_one_value || argument.quoting == CmakeQuoting::quotes;
      replace(port.draft, argument.outer_begin, argument.outer_end,
              is_quoted ? "\"gfx942;gfx950\"" : "gfx942 gfx950", why);
    }
    is_put = true;
  }
}

void translate_standard(CmakePort& port, const CmakeArgument& argument) {
  if (!is_any_of(argument.text, {"98", "03", "3", "11", "14"})) return;
  replace(port.draft, argument.begin, argument.end, "17",
          {"build.flag", "", "of the port's headers"});
}

void translate_cmake_properties(CmakePort& port, const CmakeCommand& command) {
  if (command.name == "set_property") return translate_set_property(port, command);
  translate_pairs(port, command);
}

}  // namespace ambidex
