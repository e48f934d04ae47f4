// SPDX-License-Identifier: Apache-2.0
// ambidex select: which kernel configuration, without a launch.
#include "ambidex/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/text.h"
#include "cli/json.h"
#include "cli/select_show.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

struct GemmWords {
  std::vector<std::string> sizes;  // M N K, or a file
  std::string shapes;
  std::string device;
  std::string kernel_template = "triton";
  std::string dtype = "bf16";
  std::string out_dtype;
  std::string layout = "NN";
  std::string order = "row";
  std::string epilogue;
};

struct GemmCounts {
  std::string batch = "1";
  std::string units = "0";
  std::string workspace = "-1";
  std::string top = "5";
};

struct GemmFlags {
  bool cold = false;
  bool deterministic = false;
  bool no_library = false;
  bool explain = false;
  bool json = false;
};

struct GemmArguments {
  GemmWords words;
  GemmCounts counts;
  GemmFlags flags;
};

Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }

int64_t count_from(std::string_view name, const std::string& text, int64_t low, int64_t high) {
  const std::optional<int64_t> value = int64_from_text(text);
  if (value && *value >= low && *value <= high) return *value;
  throw bad_input(
      fmt::format("{}: expected an integer from {} to {}, got {}", name, low, high, quote(text)));
}

void set_epilogue(const std::string& words, Epilogue& epilogue) {
  const std::vector<std::string> known{"bias", "relu", "residual", "bias_gradient"};
  bool* const fields[] = {&epilogue.bias, &epilogue.relu, &epilogue.residual,
                          &epilogue.bias_gradient};
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end()) throw bad_input(unknown_name("epilogue", word, known));
    *fields[found - known.begin()] = true;
    begin = end + 1;
  }
}

/// The op without its sizes.
GemmOp pattern_of(const GemmArguments& arguments) {
  const GemmWords& words = arguments.words;
  GemmOp op{.dtype = dtype_from_name(words.dtype),
            .layout = layout_from_name(words.layout),
            .cold = arguments.flags.cold};
  op.batch = count_from("--batch", arguments.counts.batch, 1, std::numeric_limits<int32_t>::max());
  op.out_dtype =
      words.out_dtype.empty() ? default_out_dtype(op.dtype) : dtype_from_name(words.out_dtype);
  set_epilogue(words.epilogue, op.epilogue);
  if (words.order != "row" && words.order != "col") {
    const std::vector<std::string> known{"row", "col"};
    throw bad_input(unknown_name("order", words.order, known));
  }
  return op;
}

GemmOp in_order(const GemmOp& op, const std::string& order) {
  return order == "col" ? from_column_major(op) : op;
}

SelectOptions options_of(const GemmArguments& arguments) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const GemmFlags& flags = arguments.flags;
  return {.num_units = count_from("--units", arguments.counts.units, 0, kMax),
          .deterministic = flags.deterministic,
          .workspace_bytes = count_from("--workspace", arguments.counts.workspace, -1, kMax),
          .allow_library = !flags.no_library};
}

/// One CSV file, by option or by position, or nothing.
std::string shapes_file(const GemmWords& words) {
  if (!words.shapes.empty()) {
    if (words.sizes.empty()) return words.shapes;
    throw bad_input("--shapes and M N K exclude each other; give one of them");
  }
  return words.sizes.size() == 1 ? words.sizes.front() : "";
}

GemmOp op_from(const GemmArguments& arguments) {
  const std::vector<std::string>& sizes = arguments.words.sizes;
  if (sizes.size() != 3) {
    throw bad_input(
        fmt::format("expected M N K or a CSV file of shapes, got {} words; "
                    "see ambidex select gemm --help",
                    sizes.size()));
  }
  constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
  GemmOp op = pattern_of(arguments);
  op.m = count_from("M", sizes[0], 1, kMaxSize);
  op.n = count_from("N", sizes[1], 1, kMaxSize);
  op.k = count_from("K", sizes[2], 1, kMaxSize);
  validate(op);
  return in_order(op, arguments.words.order);
}

std::string select_file(const GemmArguments& arguments, const std::string& path) {
  const SelectOptions options = options_of(arguments);
  std::vector<Shape> shapes = read_shapes(path, pattern_of(arguments));
  const GemmSelector selector(load_device(arguments.words.device),
                              template_from_name(arguments.words.kernel_template));
  std::vector<ShapeSelection> rows;
  std::string reasons;
  for (Shape& shape : shapes) {
    shape.op = in_order(shape.op, arguments.words.order);
    try {
      rows.push_back({shape, selector.select(shape.op, options)});
    } catch (const Error& error) {
      throw Error(error.kind, fmt::format("{}: {}", shape.place, error.what()));
    }
    if (arguments.flags.explain) reasons += "\n" + selector.explain(shape.op, options);
  }
  return arguments.flags.json ? dumped(json_of(selector, rows)) : text_of(selector, rows) + reasons;
}

std::string select_one(const GemmArguments& arguments) {
  const GemmOp op = op_from(arguments);
  const SelectOptions options = options_of(arguments);
  const int64_t num_top = count_from("--top", arguments.counts.top, 1, 10000);
  const auto kernel_template = template_from_name(arguments.words.kernel_template);
  const GemmSelector selector(load_device(arguments.words.device), kernel_template);
  const Selection selection = selector.select(op, options);
  const std::vector<Ranked> top = selector.top_k(op, num_top, options);
  if (arguments.flags.json) return dumped(json_of(selector, op, options, top, selection));
  if (arguments.flags.explain) return selector.explain(op, options);
  return text_of(selector, op, options, top, selection);
}

void add_words(CLI::App& gemm, GemmWords& words) {
  gemm.add_option("SIZES", words.sizes, "Sizes, or one CSV file with M,N,K,layout,dtype,count")
      ->option_text("M N K | FILE")
      ->expected(0, 3);
  gemm.add_option("--shapes", words.shapes, "The CSV file, as an option");
  gemm.add_option("--device", words.device, "An id of `ambidex devices`, or ./mine.yaml")
      ->required();
  gemm.add_option("--template", words.kernel_template,
                  "triton, tensile or library; naming one leaves the library out beside it. "
                  "Default: triton or the library, whichever is faster");
  gemm.add_option("--dtype", words.dtype, "Type of A and B")->capture_default_str();
  gemm.add_option("--out-dtype", words.out_dtype, "Type of D; default: that of A, or bf16");
  gemm.add_option("--layout", words.layout, "How A and B are stored: NN, NT, TN or TT")
      ->capture_default_str();
  gemm.add_option("--order", words.order,
                  "row, or col: sizes and layout as in BLAS. Answers are row-major")
      ->capture_default_str();
  gemm.add_option("--epilogue", words.epilogue, "Any of bias,relu,residual,bias_gradient");
}

void add_numbers(CLI::App& gemm, GemmArguments& arguments) {
  GemmCounts& counts = arguments.counts;
  GemmFlags& flags = arguments.flags;
  gemm.add_option("--batch", counts.batch, "Products in one launch")->capture_default_str();
  gemm.add_option("--units", counts.units, "Free compute units; 0: all")->capture_default_str();
  gemm.add_option("--workspace", counts.workspace, "Bytes of scratch memory at most; -1: no cap")
      ->capture_default_str();
  gemm.add_option("--top", counts.top, "Candidates to show")->capture_default_str();
  gemm.add_flag("--cold", flags.cold, "Operands come from memory, not from a cache");
  gemm.add_flag("--deterministic", flags.deterministic, "No sums by atomics");
  gemm.add_flag("--no-library", flags.no_library, "Leave the vendor's library out");
  gemm.add_flag("--explain", flags.explain, "Why this one, and why not the others");
  gemm.add_flag("--json", flags.json, "One JSON document, base SI units");
}

}  // namespace

void add_select(CLI::App& app, Console& console) {
  const auto arguments = std::make_shared<GemmArguments>();
  CLI::App* select = app.add_subcommand("select", "Choose kernels from the data sheet alone");
  select->require_subcommand(1);
  CLI::App* gemm = select->add_subcommand("gemm", "A matrix product, or all those of a model");
  add_words(*gemm, arguments->words);
  add_numbers(*gemm, *arguments);
  gemm->callback([arguments, gemm, &console] {
    if (gemm->count("--template") > 0) arguments->flags.no_library = true;
    const std::string path = shapes_file(arguments->words);
    console.out = path.empty() ? select_one(*arguments) : select_file(*arguments, path);
  });
}

}  // namespace ambidex
