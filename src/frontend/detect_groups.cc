// SPDX-License-Identifier: Apache-2.0
// W13, W14, W15, W18: cooperative groups, CUB's warp functions, and templates sized by a warp.
#include <algorithm>
#include <cctype>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

void detect_tiles(const Kernels& kernels, const Function& function,
                  std::vector<Finding>& findings) {
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = words.text(call.name);
    if (name == "tiled_partition" && !call.template_arguments.empty() &&
        is_32(kernels.program, words, call.template_arguments)) {
      const bool meta = has_word(words, function.body, "meta_group_rank") ||
                        has_word(words, function.body, "meta_group_size");
      findings.push_back(finding(
          words, call.name, "W13", meta ? Severity::s0 : Severity::s3, FixKind::none,
          meta ? "tiles of 32 are half a wave here, and their number and rank, which this function "
                 "uses, are not those of waves: check each use of meta_group_rank and "
                 "meta_group_size"
               : "tiles of 32 keep their meaning here, as halves of a wave"));
    }
    if (name == "coalesced_threads" || name == "binary_partition" || name == "labeled_partition") {
      findings.push_back(finding(
          words, call.name, "W13", Severity::s0, FixKind::agent,
          std::string(name) + " groups active lanes of the hardware's wave, of which there are up "
                              "to 64 here: ranks, sizes and leaders are others than in CUDA"));
    }
    if (call.member && (name == "meta_group_rank" || name == "meta_group_size")) {
      findings.push_back(finding(
          words, call.name, "W13", Severity::s0, FixKind::none,
          std::string(name) + " counts tiles of 32, which are not the waves of 64 here: right only "
                              "if all that it is compared with or indexes counts tiles too"));
    }
  }
}

bool is_group_header(std::string_view name) {
  return name == "cooperative_groups/reduce.h" || name == "cooperative_groups/scan.h" ||
         name == "cooperative_groups/memcpy_async.h";
}

void detect_group_headers(const SourceView& view, std::vector<Finding>& findings) {
  for (const SourceFile& file : view.files) {
    for (const Directive& directive : file.directives) {
      if (directive.name != "include" || directive.rest.first == directive.rest.last) continue;
      std::string name;
      for (int64_t i = directive.rest.first; i < directive.rest.last; ++i) {
        name += file.tokens[static_cast<size_t>(i)].text;
      }
      std::erase_if(name, [](char c) { return c == '<' || c == '>' || c == '"'; });
      const Token& token = file.tokens[static_cast<size_t>(directive.line.first)];
      if (!is_group_header(name) || token.amd_only) continue;
      findings.push_back(
          finding_at(file, token, "W14", Severity::s2, FixKind::library,
                     "<" + name +
                         "> is absent before about ROCm 7, and wrong for "
                         "2-D and 3-D blocks in its first versions; use the port's tile "
                         "functions"));
    }
  }
}

// cg::reduce, cg::inclusive_scan, cg::memcpy_async: by namespace, or by a group as first argument.
void detect_group_calls(const Kernels& kernels, const Function& function,
                        std::vector<Finding>& findings) {
  static const std::set<std::string_view> kNames{
      "reduce",         "reduce_update_async", "reduce_store_async", "inclusive_scan",
      "exclusive_scan", "memcpy_async",        "wait_prior"};
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = words.text(call.name);
    if (!kNames.contains(name) || call.member || call.arguments.empty()) continue;
    const std::string_view scope =
        words.text(call.name - 1) == "::" ? words.text(call.name - 2) : std::string_view();
    const Variable* group =
        variable(kernels.program, function, words.text(call.arguments[0].first));
    bool of_groups = scope == "cg" || scope == "cooperative_groups";
    if (scope.empty() && group != nullptr) {
      of_groups = has_word(*group->words, group->init, "tiled_partition") ||
                  has_word(*group->words, group->init, "this_thread_block") ||
                  has_word(*group->words, group->type, "thread_block_tile") ||
                  has_word(*group->words, group->type, "thread_block");
    }
    if (!of_groups) continue;
    findings.push_back(finding(words, call.name, "W14", Severity::s2, FixKind::library,
                               "cooperative_groups::" + std::string(name) +
                                   " is absent before about ROCm 7, and wrong for 2-D and 3-D "
                                   "blocks in its first versions; use the port's tile functions"));
  }
}

// cub::WarpReduce<T>: the logical width is hipCUB's 64 unless spelled.
void detect_cub(const Words& words, std::vector<Finding>& findings) {
  static const std::set<std::string_view> kNames{"WarpReduce",   "WarpScan", "WarpMergeSort",
                                                 "WarpExchange", "WarpLoad", "WarpStore"};
  const int size = static_cast<int>(std::ssize(words.tokens));
  for (int i = 0; i + 1 < size; ++i) {
    if (!kNames.contains(words.text(i)) || words.text(i + 1) != "<") continue;
    const std::string_view before = words.text(i - 1);
    if (before == "struct" || before == "class") continue;
    if (before == "::" && words.text(i - 2) != "cub" && words.text(i - 2) != "hipcub") continue;
    const int past = past_angles(words, i + 1, size);
    if (past < 0) continue;
    const size_t num = split_commas(words, {i + 2, past - 1}).size();
    const bool items = words.text(i) != "WarpReduce" && words.text(i) != "WarpScan";
    const size_t needed = !items                                                        ? 2
                          : words.text(i) == "WarpLoad" || words.text(i) == "WarpStore" ? 4
                                                                                        : 3;
    if (num >= needed) continue;
    findings.push_back(finding(words, i, "W15", Severity::s0, FixKind::rule,
                               "cub::" + std::string(words.text(i)) +
                                   " without its logical width takes 64 lanes in hipCUB, and one "
                                   "temporary storage per 32 threads no longer fits; spell 32"));
  }
}

// cub::BlockReduce<T, 32>: rocPRIM wants whole waves.
void detect_cub_blocks(const Program& program, const Words& words, std::vector<Finding>& findings) {
  const int size = static_cast<int>(std::ssize(words.tokens));
  for (int i = 0; i + 1 < size; ++i) {
    if (!words.text(i).starts_with("Block") || words.text(i + 1) != "<" ||
        words.text(i - 1) != "::" || words.text(i - 2) != "cub") {
      continue;
    }
    const int past = past_angles(words, i + 1, size);
    if (past < 0) continue;
    const std::vector<Span> arguments = split_commas(words, {i + 2, past - 1});
    const auto threads =
        arguments.size() < 2 ? std::nullopt : constant_of(program, words, arguments[1]);
    if (!threads || *threads % 64 == 0) continue;
    findings.push_back(finding(words, i, "W16", Severity::s2, FixKind::rule_if_proved,
                               "cub::" + std::string(words.text(i)) + " over " +
                                   std::to_string(*threads) +
                                   " threads: rocPRIM asserts a multiple of the wave's 64"));
  }
}

// Names of what merges by stages whose number is the logarithm of the warp.
bool is_staged(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* part : {"bitonic", "sort", "welford", "merge", "select", "topk", "top_k"}) {
    if (lower.find(part) != std::string::npos) return true;
  }
  return false;
}

bool is_warp_named(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.find("warp") != std::string::npos || lower.find("lane") != std::string::npos;
}

void add_sized(const LaneUse& use, const Words& words, int at, std::string_view name,
               std::vector<Finding>& findings) {
  const bool wrong = is_staged(name) || use.hazard || use.hardware;
  findings.push_back(
      wrong ? finding(words, at, "W18", Severity::s0, FixKind::agent,
                      "\"" + std::string(name) +
                          "\" is sized by a warp of 32: the number of its stages is that of 32 "
                          "lanes, and one is missing or too many on 64; keep it on 32, or change "
                          "it with a test against the original")
            : finding(words, at, "W18", Severity::s3, FixKind::none,
                      "\"" + std::string(name) +
                          "\" is sized by a warp of 32: right as long as all of it keeps to 32"));
}

// name<..., 32, ...>, and template <int kLanes = 32>.
void detect_sized_templates(const Kernels& kernels, const Words& words,
                            std::vector<Finding>& findings) {
  static const std::set<std::string_view> kOthers{"tiled_partition",
                                                  "thread_block_tile",
                                                  "WarpReduce",
                                                  "WarpScan",
                                                  "bitset",
                                                  "array",
                                                  "dim3",
                                                  "template",
                                                  "WarpMergeSort",
                                                  "WarpExchange",
                                                  "WarpLoad",
                                                  "WarpStore"};
  const int size = static_cast<int>(std::ssize(words.tokens));
  for (int i = 0; i + 1 < size; ++i) {
    if (!words.is_word(i) || words.text(i + 1) != "<") continue;
    const std::string_view name = words.text(i);
    if (kOthers.contains(name) || (!is_staged(name) && !is_warp_named(name))) continue;
    const int past = past_angles(words, i + 1, size);
    if (past < 0) continue;
    for (const Span argument : split_commas(words, {i + 2, past - 1})) {
      if (!is_32(kernels.program, words, argument)) continue;
      LaneUse use;
      for (const int index : named(kernels.program, name)) {
        use = kernels.lanes_of(kernels.program.functions[static_cast<size_t>(index)]);
      }
      add_sized(use, words, i, name, findings);
      break;
    }
  }
}

void detect_template_parameters(const Kernels& kernels, const Words& words,
                                std::vector<Finding>& findings) {
  const int size = static_cast<int>(std::ssize(words.tokens));
  for (int i = 0; i + 1 < size; ++i) {
    if (words.text(i) != "template" || words.text(i + 1) != "<") continue;
    const int past = past_angles(words, i + 1, size);
    if (past < 0) continue;
    bool sized = false;
    for (const Span one : split_commas(words, {i + 2, past - 1})) {
      int sign = one.first;
      while (sign < one.last && words.text(sign) != "=") ++sign;
      sized = sized || (sign < one.last && is_32(kernels.program, words, {sign + 1, one.last}));
    }
    if (!sized) continue;
    for (int k = past; k < size && k < past + 40; ++k) {  // the name of what is declared
      const std::string_view text = words.text(k);
      if (text == ";" || text == "=") break;
      const bool type = (text == "{" || text == ":") && words.is_word(k - 1);
      if (text != "(" && !type) continue;
      const std::string_view name = words.text(k - 1);
      LaneUse use;
      for (const int index : named(kernels.program, name)) {
        use = kernels.lanes_of(kernels.program.functions[static_cast<size_t>(index)]);
      }
      if (is_staged(name)) add_sized(use, words, i, name, findings);
      break;
    }
  }
}

}  // namespace

void detect_groups(const Kernels& kernels, std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  detect_group_headers(*program.view, findings);
  for (const Function& function : program.functions) {
    if (function.lambda) continue;
    detect_tiles(kernels, function, findings);
    detect_group_calls(kernels, function, findings);
  }
  for (const auto& words : program.words) {
    detect_cub(*words, findings);
    detect_cub_blocks(program, *words, findings);
    detect_sized_templates(kernels, *words, findings);
    detect_template_parameters(kernels, *words, findings);
  }
}

}  // namespace ambidex::syntax
