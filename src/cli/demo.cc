// SPDX-License-Identifier: Apache-2.0
// ambidex demo: one model on two devices side by side. Here, the matrix products of MLPerf
// DLRM-DCNv2, each with the kernel chosen for it and why the two choices differ. Then a CUDA kernel
// is ported, and a small model is trained on this CPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "ambidex/select.h"
#include "cli/demo_port.h"
#include "cli/demo_train.h"
#include "cli/json.h"
#include "cli/select_show.h"
#include "cli/train_show.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

// MLPerf training, recommendation (torchrec_dlrm): 26 pooled embeddings of 128 and the dense
// vector go into three low-rank cross layers and the top MLP. 65,536 samples on eight devices.
constexpr int64_t kBatch = 8192;
constexpr int64_t kInteraction = 26 * 128 + 128;
constexpr int64_t kCrossRank = 512;

/// A fully connected layer, y = x W^T: W [num_out, num_in].
struct Layer {
  std::string_view name;
  int64_t num_in = 0;
  int64_t num_out = 0;
  int64_t count = 1;
  bool bias = true;
  bool relu = true;
  bool has_input_gradient = true;
};

constexpr Layer kLayers[] = {
    {.name = "bottom 1", .num_in = 13, .num_out = 512, .has_input_gradient = false},
    {.name = "bottom 2", .num_in = 512, .num_out = 256},
    {.name = "bottom 3", .num_in = 256, .num_out = 128},
    {.name = "cross V",
     .num_in = kInteraction,
     .num_out = kCrossRank,
     .count = 3,
     .bias = false,
     .relu = false},
    {.name = "cross W", .num_in = kCrossRank, .num_out = kInteraction, .count = 3, .relu = false},
    {.name = "top 1", .num_in = kInteraction, .num_out = 1024},
    {.name = "top 2", .num_in = 1024, .num_out = 1024},
    {.name = "top 3", .num_in = 1024, .num_out = 512},
    {.name = "top 4", .num_in = 512, .num_out = 256},
    {.name = "top 5", .num_in = 256, .num_out = 1, .relu = false},
};

struct Product {
  std::string name;
  GemmOp op;
  int64_t count = 1;
};

/// Forward, gradient of the input, gradient of the weights. Operands of a training step have been
/// pushed out of the caches by what ran between.
std::vector<Product> products_of(const Layer& layer) {
  GemmOp forward{.m = kBatch, .n = layer.num_out, .k = layer.num_in, .layout = Layout::nt};
  forward.cold = true;
  GemmOp input{.m = kBatch, .n = layer.num_in, .k = layer.num_out, .layout = Layout::nn};
  input.cold = true;
  GemmOp weight{.m = layer.num_out, .n = layer.num_in, .k = kBatch, .layout = Layout::tn};
  weight.cold = true;
  weight.out_dtype = DType::f32;
  forward.epilogue = {.bias = layer.bias, .relu = layer.relu};
  const std::string name(layer.name);
  std::vector<Product> products{{name + " y", forward, layer.count}};
  if (layer.has_input_gradient) products.push_back({name + " dx", input, layer.count});
  products.push_back({name + " dW", weight, layer.count});
  return products;
}

/// One device's answer to one product, and what the other's tile would cost it.
struct Side {
  const GemmSelector* selector = nullptr;
  Selection selection;  // of Triton's candidates
  std::optional<double> library_seconds;
  std::optional<Ranked> with_other_tile;
};

std::string choice_text(const GemmConfig& config) {
  std::string out = fmt::format("{}x{}x{} w{} s{}", config.tile.m, config.tile.n, config.tile.k,
                                config.num_warps, config.num_stages);
  return config.split_k > 1 ? out + fmt::format(" k/{}", config.split_k) : out;
}

/// The fastest candidate with the tile of `other`, where there is one.
std::optional<Ranked> best_with_tile(const std::vector<Ranked>& ranked, const GemmConfig& other) {
  const auto found = std::find_if(ranked.begin(), ranked.end(), [&](const Ranked& candidate) {
    return candidate.config.tile == other.tile;
  });
  return found == ranked.end() ? std::nullopt : std::optional(*found);
}

/// "mi350x loses 12 % with b200's tile (latency)": what a choice of its own gains.
std::string loss_text(const Side& mine, const Side& other, const GemmOp& op) {
  const std::string& here = device_of(mine.selector->model()).id;
  const std::string& there = device_of(other.selector->model()).id;
  if (!mine.with_other_tile) return fmt::format("{} cannot run {}'s tile", here, there);
  const Estimate& own = mine.selection.estimate;
  const Estimate foreign = gemm_estimate(mine.selector->model(), op, mine.with_other_tile->config);
  const double loss = foreign.seconds / own.seconds - 1;
  if (loss < 0.005) return fmt::format("{} could take {}'s tile", here, there);
  int worst = 0;
  for (int i = 1; i < kNumTerms; ++i) {
    const double more = foreign.term_seconds[i] - own.term_seconds[i];
    if (more > foreign.term_seconds[worst] - own.term_seconds[worst]) worst = i;
  }
  return fmt::format("{} loses {:.0f} % with {}'s tile ({})", here, 100 * loss, there,
                     name_of(static_cast<Term>(worst)));
}

/// The switches beside the tile that two choices set differently: "warps, stages".
std::string difference_text(const GemmConfig& a, const GemmConfig& b) {
  std::string out;
  const auto add = [&](bool differs, std::string_view name) {
    if (differs) out += fmt::format("{}{}", out.empty() ? "same tile; other " : ", ", name);
  };
  add(a.num_warps != b.num_warps, "warps");
  add(a.num_stages != b.num_stages, "stages");
  add(a.split_k != b.split_k, "split of k");
  add(a.group_m != b.group_m, "order of tiles");
  return out.empty() ? "same choice" : out;
}

std::string why_text(const std::array<Side, 2>& sides, const GemmOp& op) {
  const GemmConfig& a = sides[0].selection.config;
  const GemmConfig& b = sides[1].selection.config;
  if (a.tile == b.tile) return difference_text(a, b);
  return loss_text(sides[0], sides[1], op) + "; " + loss_text(sides[1], sides[0], op);
}

std::array<Side, 2> sides_of(const std::array<const GemmSelector*, 2>& selectors,
                             const GemmOp& op) {
  constexpr SelectOptions kTritonAlone{.allow_library = false};
  constexpr int64_t kAll = 10000;
  std::array<Side, 2> sides;
  for (int i = 0; i < 2; ++i) {
    sides[i] = {.selector = selectors[i],
                .selection = selectors[i]->select(op, kTritonAlone),
                .library_seconds = selectors[i]->select(op).library_seconds};
  }
  for (int i = 0; i < 2; ++i) {
    sides[i].with_other_tile =
        best_with_tile(selectors[i]->top_k(op, kAll, kTritonAlone), sides[1 - i].selection.config);
  }
  return sides;
}

bool library_wins(const Side& side) {
  return side.library_seconds && *side.library_seconds < side.selection.estimate.seconds;
}

struct Row {
  Product product;
  std::array<Side, 2> sides;
};

struct Table {
  std::array<const GemmSelector*, 2> selectors;
  std::vector<Row> rows;
  std::array<double, 2> total_seconds{};
  std::array<double, 2> with_library_seconds{};  // the library wherever it is predicted faster
};

const std::string& id_of(const Table& table, int side) {
  return device_of(table.selectors[side]->model()).id;
}

Table table_of(const std::array<const GemmSelector*, 2>& selectors) {
  Table table{.selectors = selectors};
  for (const Layer& layer : kLayers) {
    for (const Product& product : products_of(layer)) {
      table.rows.push_back({product, sides_of(selectors, product.op)});
    }
  }
  for (const Row& row : table.rows) {
    for (int i = 0; i < 2; ++i) {
      const Side& side = row.sides[i];
      const auto count = static_cast<double>(row.product.count);
      const double seconds = side.selection.estimate.seconds;
      table.total_seconds[i] += count * seconds;
      table.with_library_seconds[i] +=
          count * (library_wins(side) ? *side.library_seconds : seconds);
    }
  }
  return table;
}

std::string text_of(const Table& table) {
  std::string out =
      fmt::format("{:<12} {:>15} {:>2}  {:<21} {:>7}  {:<13}  {:<21} {:>7}  {:<13}  {}\n",
                  "product", "M x N x K", "x", id_of(table, 0), "us", "binds", id_of(table, 1),
                  "us", "binds", "why they differ");
  for (const Row& row : table.rows) {
    const GemmOp& op = row.product.op;
    out += fmt::format("{:<12} {:>15} {:>2}", row.product.name,
                       fmt::format("{}x{}x{}", op.m, op.n, op.k), row.product.count);
    for (const Side& side : row.sides) {
      const Estimate& estimate = side.selection.estimate;
      out += fmt::format("  {:<21} {:>7.1f}{} {:<13}", choice_text(side.selection.config),
                         estimate.seconds * 1e6, library_wins(side) ? '*' : ' ',
                         name_of(estimate.binds));
    }
    out += "  " + why_text(row.sides, op) + "\n";
  }
  const auto totals = [&](std::string_view what, const std::array<double, 2>& seconds) {
    return fmt::format("{}: {} {}, {} {}\n", what, id_of(table, 0), seconds_text(seconds[0]),
                       id_of(table, 1), seconds_text(seconds[1]));
  };
  return out + totals("all of one step", table.total_seconds) +
         totals("with the vendor's library where it is predicted faster (*)",
                table.with_library_seconds);
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json json_of(const Table& table) {
  Json out{{"model", "dlrm_dcnv2"}, {"batch", kBatch}, {"rows", Json::array()}};
  for (const Row& row : table.rows) {
    Json json{{"product", row.product.name},
              {"op", json_of(row.product.op)},
              {"count", row.product.count},
              {"devices", Json::object()}};
    for (int i = 0; i < 2; ++i) {
      const Selection& selection = row.sides[i].selection;
      Json side{{"choice", json_of(selection.config)}};
      side.update(json_of(selection.estimate));
      side["library_seconds"] = optional_json(row.sides[i].library_seconds);
      json["devices"][id_of(table, i)] = side;
    }
    json["why"] = why_text(row.sides, row.product.op);
    out["rows"].push_back(json);
  }
  for (int i = 0; i < 2; ++i) {
    out["total_seconds"][id_of(table, i)] = table.total_seconds[i];
    out["with_library_seconds"][id_of(table, i)] = table.with_library_seconds[i];
  }
  return out;
}

struct DemoWords {
  bool json = false;
  bool without_port = false;
  bool without_training = false;
};

std::string kernels_text(const Table& table) {
  return fmt::format(
             "Triton kernels for the layers of MLPerf DLRM-DCNv2, {} samples on a device, bf16, "
             "predicted from data sheets; nothing was launched.\n"
             "y: forward, dx: gradient of the input, dW: gradient of the weights; BLOCK_M x "
             "BLOCK_N "
             "x BLOCK_K, warps, stages, split of k.\n\n",
             kBatch) +
         text_of(table) +
         "\nOne of them in detail: ambidex select gemm 8192 512 3456 --layout NT --cold "
         "--device mi350x --explain\n";
}

std::string demo(const DemoWords& words) {
  const GemmSelector mi350x(load_device("mi350x"), KernelTemplate::triton);
  const GemmSelector b200(load_device("b200"), KernelTemplate::triton);
  const Table table = table_of({&mi350x, &b200});
  std::optional<DemoPort> port;
  if (!words.without_port) port = port_demo();
  std::optional<DemoTraining> training;
  if (!words.without_training) training = train_demo();
  if (words.json) {
    Json json = json_of(table);
    if (port) json["port"] = json_of(*port);
    if (training) json["training"] = json_of(training->model, training->result);
    return dumped(json);
  }
  return kernels_text(table) + (port ? "\n" + text_of(*port) : "") +
         (training ? "\n" + text_of(*training) : "");
}

}  // namespace

void add_demo(CLI::App& app, Console& console) {
  CLI::App* verb = app.add_subcommand(
      "demo",
      "Kernels for DLRM-DCNv2 on MI350X and B200, a CUDA kernel ported, a small model trained");
  const auto words = std::make_shared<DemoWords>();
  verb->add_flag("--json", words->json, "One JSON document, base SI units");
  verb->add_flag("--no-port", words->without_port, "Leave the port away");
  verb->add_flag("--no-training", words->without_training, "Leave the training away");
  verb->callback([words, &console] { console.out = demo(*words); });
}

}  // namespace ambidex
