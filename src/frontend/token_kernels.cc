// SPDX-License-Identifier: Apache-2.0
// Kernels, launches and device code by their words.
#include <algorithm>
#include <set>

#include "frontend/token_facts.h"

namespace ambidex {
namespace {

bool is_attribute_word(std::string_view word) {
  return word == "__global__" || word == "__device__";
}

bool is_device_word(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "threadIdx", "blockIdx", "blockDim", "gridDim", "__shared__", "__syncthreads", "__syncwarp"};
  return kWords.contains(word) || word.starts_with("__shfl") || word.starts_with("__ballot");
}

/// Macros of the user's that stand for __device__ or __global__.
std::set<std::string_view> device_macros(const SourceView& view) {
  std::set<std::string_view> names;
  for (const Macro& macro : view.macros) {
    const SourceFile& file = view.files[macro.file];
    for (int64_t i = macro.body.first; i < macro.body.last; ++i) {
      const bool is_short = macro.body.last - macro.body.first < 8;
      if (is_short && is_attribute_word(text_at(file, i))) names.insert(macro.name);
    }
  }
  return names;
}

void mark(std::vector<bool>& marks, int64_t first, int64_t last) {
  for (int64_t i = std::max<int64_t>(first, 0); i < last; ++i) marks[static_cast<size_t>(i)] = true;
}

void mark_macros(const SourceView& view, const SourceFile& file, std::vector<bool>& marks) {
  for (const Macro& macro : view.macros) {
    if (&view.files[macro.file] != &file) continue;
    bool is_device = false;
    for (int64_t i = macro.body.first; i < macro.body.last; ++i) {
      is_device |= is_device_word(text_at(file, i));
    }
    if (is_device) mark(marks, macro.body.first, macro.body.last);
  }
}

/// From an attribute to the function's body; -1 if it is a declaration or a variable.
int64_t body_after(const SourceFile& file, int64_t attribute) {
  for (int64_t i = attribute; i < std::ssize(file.tokens) && i < attribute + 2000; ++i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "=" || text == "}") return -1;
    if (text == "{") return i;
    if (text == "(") i = std::max(i, closing(file, i));
  }
  return -1;
}

std::string kernel_name(const SourceFile& file, int64_t launch) {
  int64_t i = launch - 1;
  if (text_at(file, i) == ">") {
    int depth = 1;
    for (--i; i > 0 && depth > 0 && launch - i < 200; --i) {
      depth += text_at(file, i) == ">" ? 1 : text_at(file, i) == "<" ? -1 : 0;
    }
  }
  return is_word_at(file, i) ? std::string(text_at(file, i)) : "";
}

std::vector<TokenRange> split_config(const SourceFile& file, int64_t open, int64_t close) {
  std::vector<TokenRange> parts;
  int64_t start = open + 1;
  for (int64_t i = start; i < close; ++i) {
    const std::string_view text = text_at(file, i);
    if (text == "(" || text == "{" || text == "[") i = std::max(i, closing(file, i));
    if (text != ",") continue;
    parts.push_back({start, i});
    start = i + 1;
  }
  parts.push_back({start, close});
  return parts;
}

int64_t launch_close(const SourceFile& file, int64_t open) {
  for (int64_t i = open + 1; i < std::ssize(file.tokens) && i < open + 400; ++i) {
    const std::string_view text = text_at(file, i);
    if (text == ">>>") return i;
    if (text == ";") return -1;
    if (text == "(" || text == "{") i = std::max(i, closing(file, i));
  }
  return -1;
}

KernelHead kernel_at(const SourceFile& file, int64_t attribute) {
  KernelHead kernel;
  kernel.at = attribute;
  for (int64_t i = attribute + 1; i < std::ssize(file.tokens) && i < attribute + 200; ++i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "{" || text == "}") return kernel;
    if (text == "<") i = std::max(i, closing(file, i));
    if (!is_word_at(file, i) || text_at(file, i + 1) != "(") continue;
    const int64_t close = closing(file, i + 1);
    if (text == "__launch_bounds__" && close > 0) {
      kernel.has_bounds = true;
      kernel.bounds = {i + 2, close};
      i = close;
    } else if (text.starts_with("__") && close > 0) {  // __attribute__, __cluster_dims__
      kernel.has_bounds |= text_at(file, i + 3) == "launch_bounds";
      i = close;
    } else {
      kernel.name = i;
      kernel.parameters = arguments_of(file, i + 1);
      if (text_at(file, close + 1) == "{") {
        kernel.body = {close + 2, std::max(close + 2, closing(file, close + 1))};
      }
      return kernel;
    }
  }
  return kernel;
}

/// `__launch_bounds__(256) __global__ void k()`: also before the attribute.
void look_before(const SourceFile& file, KernelHead& kernel) {
  for (int64_t i = kernel.at - 1; i > 0 && kernel.at - i < 12; --i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "}" || text == "{") return;
    if (text != "__launch_bounds__" || text_at(file, i + 1) != "(") continue;
    kernel.has_bounds = true;
    kernel.bounds = {i + 2, std::max(i + 2, closing(file, i + 1))};
  }
}

}  // namespace

std::vector<bool> device_words(const SourceView& view, const SourceFile& file) {
  std::vector<bool> marks(file.tokens.size(), false);
  const std::set<std::string_view> macros = device_macros(view);
  mark_macros(view, file, marks);
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    const std::string_view text = text_at(file, i);
    if (!is_attribute_word(text) && !macros.contains(text)) continue;
    const int64_t body = body_after(file, i + 1);
    if (body > 0) mark(marks, body, closing(file, body));
  }
  return marks;
}

std::vector<Launch> launches_of(const SourceFile& file) {
  std::vector<Launch> launches;
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    if (text_at(file, i) != "<<<") continue;
    const int64_t close = launch_close(file, i);
    if (close < 0) continue;
    Launch launch{.at = i,
                  .kernel = kernel_name(file, i),
                  .config = split_config(file, i, close),
                  .arguments = {}};
    if (text_at(file, close + 1) == "(") launch.arguments = arguments_of(file, close + 1);
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::vector<KernelHead> kernels_of(const SourceFile& file) {
  std::vector<KernelHead> kernels;
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    if (text_at(file, i) != "__global__") continue;
    KernelHead kernel = kernel_at(file, i);
    if (!kernel.has_bounds) look_before(file, kernel);
    if (kernel.name > 0) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace ambidex
