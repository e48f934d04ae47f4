// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp_tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr McpArgument kPaths{"paths", "strings", "", "CUDA sources, or folders that hold them",
                             true};
constexpr McpArgument kProgramArguments{"args", "string", "--args",
                                        "Command line of the programs' main, split as by a shell"};
constexpr McpArgument kDefines{"defines", "strings", "-D",
                               "Macros of the build, NAME or NAME=VALUE"};
constexpr McpArgument kIncludes{"include_folders", "strings", "-I", "Folders with headers"};

const std::vector<McpTool>& table() {
  static const std::vector<McpTool> kTools{
      {"scan",
       "Find what would go wrong if these CUDA sources ran on AMD CDNA GPUs (64-lane waves): a "
       "list "
       "of hazards with id, severity (S0 silent wrong result, S1 run-time error, S2 compile error, "
       "S3 slow), file, line, message and kind of fix",
       {"port", "scan"},
       {kPaths, kDefines, kIncludes}},
      {"explain",
       "Help page of a hazard id such as W03: what goes wrong, wrong and right code, what to do",
       {"port", "explain"},
       {{"id", "string", "", "Hazard id; without it all are listed"}}},
      {"translate",
       "Port CUDA sources to HIP by rules that are safe by construction; every edit names its "
       "hazard and rule, and what no rule covers is refused with a reason. Writes nothing unless "
       "`output` is given",
       {"port", "translate"},
       {kPaths,
        {"output", "string", "-o", "Folder for the ported tree; takes one path"},
        kDefines,
        kIncludes}},
      {"compile",
       "Compile HIP sources to code objects for gfx942 and gfx950 and report registers, spills, "
       "scratch, shared memory and occupancy of each kernel",
       {"port", "compile"},
       {{"paths", "strings", "", "HIP sources", true},
        {"arch", "string", "--arch", "gfx942, gfx950 or both with a comma"},
        {"output", "string", "-o", "Folder for the code objects"},
        kDefines,
        kIncludes}},
      {"verify",
       "Run the CUDA original on waves of 32 lanes and its HIP port on 64 and 32 in an executor on "
       "the CPU, with their own data and changed launches: for each kernel right, wrong with the "
       "first difference, or unverified with the reason",
       {"port", "verify"},
       {{"original", "string", "", "CUDA source, or a folder", true},
        {"port", "string", "", "HIP source, or a folder", true},
        kProgramArguments,
        kDefines,
        kIncludes}},
      {"estimate",
       "Predict what each launch of a CUDA program costs on an NVIDIA device and its HIP port on "
       "AMD "
       "devices: time, binding resource, occupancy, and constructs that are right but slow. Counts "
       "are taken in an executor on the CPU; nothing is timed",
       {"port", "estimate"},
       {{"path", "string", "", "CUDA source with main, or a folder", true},
        {"devices", "strings", "--device", "Device ids, such as h200, mi300x, mi350x"},
        kProgramArguments,
        kDefines,
        kIncludes}},
      {"select",
       "Best kernel configuration of a matrix product on a device, from its data sheet, without a "
       "launch",
       {"select", "gemm"},
       {{"m", "integer", "", "Rows of the result", true},
        {"n", "integer", "", "Columns of the result", true},
        {"k", "integer", "", "Length of the sums", true},
        {"device", "string", "--device", "Device id, such as mi350x or h200", true},
        {"dtype", "string", "--dtype", "Type of the operands, such as bf16"},
        {"layout", "string", "--layout", "NN, NT, TN or TT"},
        {"explain", "boolean", "--explain", "Say why this one"}}}};
  return kTools;
}

nlohmann::json schema_of(const McpArgument& argument) {
  nlohmann::json schema{{"description", argument.description}};
  if (argument.type == "strings") {
    schema["type"] = "array";
    schema["items"] = {{"type", "string"}};
  } else {
    schema["type"] = argument.type;
  }
  return schema;
}

[[noreturn]] void refuse(const McpTool& tool, const McpArgument& argument, std::string_view what) {
  throw Error(ErrorKind::bad_input, fmt::format("tool {}: {}: {}", tool.name, argument.name, what));
}

std::string word_of(const McpTool& tool, const McpArgument& argument, const nlohmann::json& value) {
  if (argument.type == "integer") {
    if (!value.is_number_integer()) refuse(tool, argument, "expected an integer");
    return value.dump();
  }
  if (!value.is_string()) refuse(tool, argument, "expected a string");
  const auto& text = value.get_ref<const std::string&>();
  // An argument that opens with a dash would be read as an option of the command.
  if (text.empty() || text[0] == '-') {
    refuse(tool, argument, "expected a text that is not empty and does not open with \"-\"");
  }
  if (text.find('\0') != std::string::npos) refuse(tool, argument, "a NUL character");
  return text;
}

void add_words(const McpTool& tool, const McpArgument& argument, const nlohmann::json& value,
               std::vector<std::string>& words) {
  if (argument.type == "boolean") {
    if (!value.is_boolean()) refuse(tool, argument, "expected true or false");
    if (value.get<bool>()) words.emplace_back(argument.option);
    return;
  }
  if (argument.type == "strings" && !value.is_array()) {
    refuse(tool, argument, "expected a list of strings");
  }
  const auto values = value.is_array() ? value : nlohmann::json::array({value});
  if (argument.type != "strings" && value.is_array()) refuse(tool, argument, "expected one value");
  if (values.empty() && argument.required) refuse(tool, argument, "expected one at least");
  for (const nlohmann::json& each : values) {
    if (!argument.option.empty()) words.emplace_back(argument.option);
    words.push_back(word_of(tool, argument, each));
  }
}

}  // namespace

std::span<const McpTool> mcp_tools() { return table(); }

nlohmann::json tool_listing(const McpTool& tool) {
  nlohmann::json properties = nlohmann::json::object(), required = nlohmann::json::array();
  for (const McpArgument& argument : tool.arguments) {
    properties[std::string(argument.name)] = schema_of(argument);
    if (argument.required) required.push_back(argument.name);
  }
  return {{"name", tool.name},
          {"description", tool.description},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}}}};
}

std::vector<std::string> command_words(const McpTool& tool, const nlohmann::json& arguments) {
  if (!arguments.is_object()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("tool {}: arguments: expected an object", tool.name));
  }
  std::vector<std::string> known;
  for (const McpArgument& argument : tool.arguments) known.emplace_back(argument.name);
  for (const auto& [name, value] : arguments.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("tool {}: {}", tool.name, unknown_name("argument", name, known)));
    }
  }
  std::vector<std::string> words(tool.verb.begin(), tool.verb.end());
  words.emplace_back("--json");
  for (const McpArgument& argument : tool.arguments) {
    const auto found = arguments.find(std::string(argument.name));
    if (found == arguments.end()) {
      if (argument.required) refuse(tool, argument, "missing");
      continue;
    }
    add_words(tool, argument, *found, words);
  }
  return words;
}

}  // namespace ambidex
