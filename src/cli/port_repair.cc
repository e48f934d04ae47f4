// SPDX-License-Identifier: Apache-2.0
// `ambidex port repair PATH`: all stages, then a model for what the rules left.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "base/yaml_map.h"
#include "cli/command_words.h"
#include "cli/json.h"
#include "cli/parse.h"
#include "cli/port.h"
#include "port/bundle.h"
#include "port/native.h"
#include "port/repair.h"

namespace ambidex {
namespace {

struct Options {
  RepairOptions repair;
  std::vector<std::string> defines, folders, devices;
  std::string endpoint_file;
  bool json = false;
};

// What is set of an endpoint; absent is empty.
struct Settings {
  std::string url, model, key, protocol;
};

std::string taken_from_environment(const char* name) {
  const char* const value = ::getenv(name);
  return value == nullptr ? "" : value;
}

Settings settings_from_environment() {
  Settings settings{.url = taken_from_environment("AMBIDEX_REPAIR_URL"),
                    .model = taken_from_environment("AMBIDEX_REPAIR_MODEL"),
                    .key = taken_from_environment("AMBIDEX_REPAIR_KEY"),
                    .protocol = taken_from_environment("AMBIDEX_REPAIR_PROTOCOL")};
  ::unsetenv("AMBIDEX_REPAIR_KEY");  // compilers and candidates have no use for it
  return settings;
}

// A word that can be shown: no key of an endpoint looks like one of settings'.
bool is_harmless(std::string_view word) {
  return word.size() <= 12 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

[[noreturn]] void refuse_file(const std::string& path, int line) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}{}: expected lines `url: TEXT`, `model: TEXT`, `key: TEXT` and "
                          "`protocol: TEXT`; what is there is not shown, for it may hold a key",
                          path, line > 0 ? fmt::format(":{}", line) : ""));
}

YamlNode parse_settings(const std::string& path) {
  const std::string text = read_file(path, kMaxYamlBytes);
  try {
    return parse_yaml(text, path);
  } catch (const Error&) {
    refuse_file(path, 0);
  }
}

// A file of `url`, `model`, `key` and `protocol` goes before the environment. No message quotes
// what is in it.
void read_settings(const std::string& path, Settings& settings) {
  const YamlNode root = parse_settings(path);
  if (root.kind != YamlKind::map) refuse_file(path, root.line);
  for (const YamlNode& node : root.children) {
    const bool is_text = node.kind == YamlKind::scalar && printable(node.text) == node.text;
    if (!is_text || !is_harmless(node.key)) refuse_file(path, node.line);
  }
  YamlMap map(root, "", path);
  const auto read = [&](std::string_view key, std::string& into) {
    if (const YamlNode* node = map.find(key)) into = node->text;
  };
  read("url", settings.url);
  read("model", settings.model);
  read("key", settings.key);
  read("protocol", settings.protocol);
  map.finish();
}

repair::Protocol protocol_of(const Settings& settings) {
  if (settings.protocol.empty()) return repair::protocol_of(settings.url);
  if (is_harmless(settings.protocol)) return repair::protocol_from_name(settings.protocol);
  throw Error(ErrorKind::not_found,
              "AMBIDEX_REPAIR_PROTOCOL: expected openai or anthropic; what is there is not shown, "
              "for it may be a key");
}

std::optional<repair::Endpoint> endpoint_of(const Options& options) {
  Settings settings = settings_from_environment();
  if (!options.endpoint_file.empty()) read_settings(options.endpoint_file, settings);
  if (settings.url.empty()) return std::nullopt;
  repair::Endpoint endpoint{.url = settings.url, .model = settings.model, .key = settings.key};
  endpoint.protocol = protocol_of(settings);
  validate(endpoint);
  return endpoint;
}

std::string native_text(const RepairRun& done) {
  std::string text;
  for (const NativeKernel& one : done.port.natives) {
    text += fmt::format(
        "\n{}: native body {} after {} turns: {}\n", one.kernel, one.outcome, one.num_turns,
        one.taken ? fmt::format("predicted at least {:.2f} times as fast as tier A, "
                                "not measured; in native/",
                                least_gain(one.gains))
                  : one.reason);
  }
  for (const repair::Leftover& one : done.not_native) {
    text += fmt::format("\n{}: no native body asked for: {}\n", one.kernel, one.why);
  }
  return text;
}

std::string text_of(const RepairRun& done, const std::string& folder) {
  std::string text = verdicts_text(done.port);
  for (const Repaired& one : done.repairs) {
    text += fmt::format("\n{}: {} after {} turns{}{}\n", fmt::join(one.kernels, ", "),
                        name_of(one.outcome), one.num_turns, one.reason.empty() ? "" : ": ",
                        one.reason);
  }
  for (const repair::Leftover& one : done.leftovers) {
    text += fmt::format("\n{}: not for a model: {}\n", one.kernel, one.why);
  }
  return text + native_text(done) +
         fmt::format("\n{} turns and {} tokens used; the port, {}REPORT.md are in {}\n",
                     done.num_turns, done.num_tokens,
                     done.repairs.empty() && done.port.natives.empty() ? "" : "transcript.jsonl, ",
                     folder);
}

nlohmann::ordered_json json_of(const RepairRun& done, const RepairOptions& options) {
  using Json = nlohmann::ordered_json;
  Json repairs = Json::array(), leftovers = Json::array();
  for (const Repaired& one : done.repairs) {
    repairs.push_back({{"kernels", one.kernels},
                       {"program", one.program},
                       {"outcome", name_of(one.outcome)},
                       {"reason", one.reason},
                       {"num_turns", one.num_turns}});
  }
  for (const repair::Leftover& one : done.leftovers) {
    leftovers.push_back({{"kernel", one.kernel}, {"program", one.program}, {"why", one.why}});
  }
  return {{"kernels", to_json(done.port.kernels)},
          {"repairs", std::move(repairs)},
          {"not_repairable", std::move(leftovers)},
          {"native", options.native ? repair::native_json(done, options) : Json()},
          {"num_turns", done.num_turns},
          {"num_tokens", done.num_tokens},
          {"folder", options.run.folder}};
}

void repair_sources(Options& options, Console& console) {
  PortRunOptions& run = options.repair.run;
  options.repair.endpoint = endpoint_of(options);
  run.arguments = clang_arguments(options.defines, options.folders);
  if (!options.devices.empty() && !options.repair.native) {
    throw Error(ErrorKind::bad_input, "--device: is for --native, which compares times on it");
  }
  if (!options.devices.empty()) options.repair.devices = options.devices;
  if (options.repair.native) repair::check_native_devices(options.repair.devices);
  if (run.folder.empty()) run.folder = default_port_folder(run.path);
  const RepairRun done = repair_port(options.repair);
  console.out = options.json ? dumped(json_of(done, options.repair)) : text_of(done, run.folder);
  if (!done.port.all_pass()) console.exit_code = 1;
}

}  // namespace

void add_port_repair(CLI::App& port, Console& console) {
  const auto options = std::make_shared<Options>();
  RepairBudget& budget = options->repair.budget;
  CLI::App* const verb =
      port.add_subcommand("repair", "All stages, then a model for the kernels that the rules left");
  verb->add_option("PATH", options->repair.run.path, "CUDA source or folder")->required();
  verb->add_option("-o,--output", options->repair.run.folder,
                   "Folder for the port and its evidence; default: NAME-port, beside the "
                   "sources if you are in them");
  verb->add_option("-D", options->defines, "Macro of the build, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("-I", options->folders, "Folder with headers")->allow_extra_args(false);
  add_program_arguments(*verb, options->repair.run.words);
  verb->add_flag("--native", options->repair.native,
                 "Then ask for a faster body of each kernel that passes, for waves of 64 lanes; "
                 "taken if right and predicted 1.25 times as fast");
  verb->add_option("--device", options->devices,
                   "AMD's device on which --native compares times; may be repeated; default: "
                   "mi300x, mi350x")
      ->allow_extra_args(false);
  verb->add_option("--endpoint", options->endpoint_file,
                   "YAML file with url, model, key, protocol; goes before the environment");
  verb->add_option("--replay", options->repair.replay,
                   "Read the answers from this transcript instead of asking");
  verb->add_option("--turns", budget.num_turns, "Questions at most")
      ->check(at_least(1))
      ->capture_default_str();
  verb->add_option("--tokens", budget.num_tokens, "Tokens at most, both ways")
      ->check(at_least(1))
      ->capture_default_str();
  verb->add_option("--seconds", budget.max_seconds, "Seconds at most, verification included")
      ->check(within(0.001, 1e6))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "One JSON document");
  verb->footer(
      "The model is any that speaks OpenAI's chat completions or Anthropic's messages:\n"
      "AMBIDEX_REPAIR_URL, _MODEL, _KEY, and _PROTOCOL (openai or anthropic) if the URL does not "
      "tell.\nExit code 1: kernels are left; the output says why.");
  verb->callback([options, &console] { repair_sources(*options, console); });
}

}  // namespace ambidex
