// SPDX-License-Identifier: Apache-2.0
#include "cli/model_show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ambidex/model_fields.h"
#include "ambidex/report.h"
#include "cli/json.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

/// 1,234,567
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = std::ssize(digits) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ',');
  }
  return digits;
}

/// "96.3 MFLOP": four digits and the largest decimal prefix that fits.
std::string prefixed(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t prefix = 0;
  while (value >= 999.95 && prefix + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.4g} {}{}", value, kPrefixes[prefix], unit);
}

std::string bytes_text(double bytes) { return prefixed(bytes, "B"); }

std::string widths_text(int64_t in, const MlpSpec& mlp) {
  const std::string dropout = mlp.dropout > 0 ? fmt::format(", dropout {:g}", mlp.dropout) : "";
  return mlp.widths.empty() ? std::to_string(in)
                            : fmt::format("{}-{}{}", in, fmt::join(mlp.widths, "-"), dropout);
}

std::string interaction_text(const ModelSpec& model) {
  const InteractionSpec& interaction = model.interaction;
  std::string out(name_of(interaction.kind));
  if (interaction.kind == InteractionKind::cross) {
    out += fmt::format(", {} layers of rank {}", interaction.layers, interaction.rank);
  }
  if (model.first_order) out += ", first-order weights";
  return fmt::format("{}, {} wide", out, interaction_dim(model));
}

std::string optimizer_text(const OptimizerSpec& optimizer) {
  std::string out = fmt::format("{} at {:g}", name_of(optimizer.kind), optimizer.lr);
  if (optimizer.momentum > 0) out += fmt::format(", momentum {:g}", optimizer.momentum);
  if (optimizer.weight_decay > 0) out += fmt::format(", decay {:g}", optimizer.weight_decay);
  return out;
}

std::string sequence_text(const SequenceSpec& sequence) {
  std::string out =
      fmt::format("{}, {} layers, {} heads of {} and {}, {} wide, {} tokens",
                  name_of(sequence.kind), sequence.layers, sequence.heads, sequence.qk_dim,
                  sequence.linear_dim, sequence.model_dim, grouped(sequence.max_length));
  if (sequence.num_negatives > 0) {
    out += fmt::format("; softmax over {} negatives", sequence.num_negatives);
  } else {
    out += fmt::format("; head {}", fmt::join(sequence.head_widths, "-"));
  }
  return out;
}

std::string schedule_text(const ScheduleSpec& schedule) {
  std::string out(name_of(schedule.kind));
  if (schedule.warmup_steps > 0) out += fmt::format(", warm-up {}", grouped(schedule.warmup_steps));
  if (schedule.kind == ScheduleKind::constant) return out;
  return out + fmt::format(", from step {} over {} to {:g}", grouped(schedule.decay_start_step),
                           grouped(schedule.decay_steps), schedule.end_ratio);
}

void add_line(std::string& out, std::string_view name, std::string_view text) {
  out += fmt::format("{:<13} {}\n", name, text);
}

void add_towers(std::string& out, const ModelSpec& model) {
  if (model.sequence) return add_line(out, "stack", sequence_text(*model.sequence));
  const int64_t dense = std::ssize(model.dense_features);
  if (dense > 0) add_line(out, "bottom tower", widths_text(dense, model.bottom_mlp));
  add_line(out, "interaction", interaction_text(model));
  add_line(out, "top tower", widths_text(interaction_dim(model), model.top_mlp));
}

void add_sizes(std::string& out, const ModelSpec& model) {
  const ModelNumbers numbers = numbers_of(model);
  add_line(out, "tables",
           fmt::format("{}: {} rows, {} parameters, {}; {} of optimizer state", model.tables.size(),
                       grouped(numbers.table_rows), grouped(numbers.table_parameters),
                       bytes_text(numbers.table_bytes), bytes_text(numbers.table_optimizer_bytes)));
  add_line(out, "lookups",
           fmt::format("{} a {}, by {} features", grouped(numbers.num_lookups),
                       model.sequence ? "sequence" : "sample", num_features(model)));
  add_towers(out, model);
  add_line(out, "dense",
           fmt::format("{} parameters, {} in f32", grouped(numbers.dense_parameters),
                       bytes_text(4 * static_cast<double>(numbers.dense_parameters))));
  add_line(out, "work",
           fmt::format("{} a {} forward, {} in training",
                       prefixed(numbers.forward_flop_per_sample, "FLOP"),
                       model.sequence ? "sequence" : "sample",
                       prefixed(numbers.training_flop_per_sample, "FLOP")));
  add_line(out, "optimizers",
           fmt::format("dense {}; tables {}", optimizer_text(model.dense_optimizer),
                       optimizer_text(model.sparse_optimizer)));
  add_line(out, "training",
           fmt::format("batch {}, {} epoch{}, rate {}", grouped(model.batch), model.epochs,
                       model.epochs == 1 ? "" : "s", schedule_text(model.schedule)));
}

int64_t lookups_of(const TableSpec& table) {
  int64_t lookups = 0;
  for (const SparseFeature& feature : table.features) lookups += feature.lookups;
  return lookups;
}

/// Tables in a row that differ in name, rows and features alone.
struct TableGroup {
  const TableSpec* first = nullptr;
  const TableSpec* last = nullptr;
  int64_t count = 0;
  int64_t least_rows = 0;
  int64_t most_rows = 0;
  int64_t rows = 0;
  int64_t lookups = 0;
};

bool is_alike(const TableSpec& a, const TableSpec& b) {
  return a.dim == b.dim && a.pooling == b.pooling && a.dtype == b.dtype &&
         a.optimizer == b.optimizer;
}

std::vector<TableGroup> groups_of(const ModelSpec& model) {
  std::vector<TableGroup> groups;
  for (const TableSpec& table : model.tables) {
    if (groups.empty() || !is_alike(*groups.back().first, table)) {
      groups.push_back({.first = &table, .least_rows = table.rows, .most_rows = table.rows});
    }
    TableGroup& group = groups.back();
    group.last = &table;
    ++group.count;
    group.least_rows = std::min(group.least_rows, table.rows);
    group.most_rows = std::max(group.most_rows, table.rows);
    group.rows += table.rows;
    group.lookups += lookups_of(table);
  }
  return groups;
}

std::vector<std::string> row_of(const ModelSpec& model, const TableGroup& group) {
  const TableSpec& table = *group.first;
  const OptimizerSpec& optimizer = table.optimizer ? *table.optimizer : model.sparse_optimizer;
  const auto bytes = static_cast<double>(group.rows) * static_cast<double>(table.dim) *
                     static_cast<double>(dtype_bytes(table.dtype));
  return {group.count == 1 ? table.name : fmt::format("{} to {}", table.name, group.last->name),
          std::to_string(group.count),
          grouped(group.rows),
          group.count == 1 ? "" : grouped(group.least_rows),
          group.count == 1 ? "" : grouped(group.most_rows),
          std::to_string(table.dim),
          grouped(group.lookups),
          std::string(name_of(table.pooling)),
          std::string(name_of(table.dtype)),
          std::string(name_of(optimizer.kind)),
          bytes_text(bytes)};
}

Table table_of_tables(const ModelSpec& model) {
  Table table{.columns = {{"tables"},
                          {"count", true},
                          {"rows", true},
                          {"least", true},
                          {"most", true},
                          {"dim", true},
                          {"lookups", true},
                          {"pooling"},
                          {"type"},
                          {"optimizer"},
                          {"bytes", true}}};
  if (model.sequence) table.columns[7].name = "";
  for (const TableGroup& group : groups_of(model)) {
    table.rows.push_back(row_of(model, group));
    if (model.sequence) table.rows.back()[7].clear();  // the stack sees every id's row
  }
  return table;
}

/// "cross.*.forward" for "cross.1.forward".
std::string without_index(const std::string& name) {
  const size_t begin = name.find('.') + 1;
  const size_t end = name.find('.', begin);
  if (begin == 0 || end == std::string::npos) return name;
  return fmt::format("{}*{}", name.substr(0, begin), name.substr(end));
}

struct OpGroup {
  ModelOp op;  // sums
  ModelOp each;
  int64_t count = 1;
};

/// Layers that are alike, wherever they are, at the place of the first.
std::vector<OpGroup> groups_of(const std::vector<ModelOp>& ops) {
  std::vector<OpGroup> groups;
  for (const ModelOp& op : ops) {
    const auto is_same = [&](const OpGroup& group) {
      return without_index(group.each.name) == without_index(op.name) &&
             group.each.flop == op.flop && group.each.parameters == op.parameters &&
             group.each.read_bytes == op.read_bytes;
    };
    const auto group = std::find_if(groups.begin(), groups.end(), is_same);
    if (group == groups.end()) {
      groups.push_back({.op = op, .each = op});
      continue;
    }
    ++group->count;
    group->op.name = without_index(op.name);
    group->op.flop += op.flop;
    group->op.read_bytes += op.read_bytes;
    group->op.write_bytes += op.write_bytes;
    group->op.parameters += op.parameters;
  }
  return groups;
}

Table table_of_ops(const ModelSpec& model) {
  Table table{.columns = {{"ops of a training step"},
                          {"times", true},
                          {"FLOP", true},
                          {"read", true},
                          {"written", true},
                          {"parameters", true}}};
  for (const OpGroup& group : groups_of(ops_of(model))) {
    const ModelOp& op = group.op;
    table.rows.push_back({op.name, std::to_string(group.count), prefixed(op.flop, ""),
                          bytes_text(op.read_bytes), bytes_text(op.write_bytes),
                          op.parameters == 0 ? "" : grouped(op.parameters)});
  }
  table.caption = fmt::format("of one {}, in f32; docs/models.md says how each is counted",
                              model.sequence ? "sequence" : "sample");
  return table;
}

}  // namespace

std::string model_list_text() {
  Table table{
      .columns = {{"id"},
                  {"rows", true},
                  {"table bytes", true},
                  {"lookups", true},
                  {"dense", true},
                  {"FLOP", true},
                  {"description"}},
      .caption = "dense: parameters outside of the tables; FLOP: of one sample in training"};
  for (const std::string& id : model_ids()) {
    const ModelSpec model = load_model(id);
    const ModelNumbers numbers = numbers_of(model);
    table.rows.push_back({id, grouped(numbers.table_rows), bytes_text(numbers.table_bytes),
                          grouped(numbers.num_lookups), grouped(numbers.dense_parameters),
                          prefixed(numbers.training_flop_per_sample, ""), model.description});
  }
  return text_of(table);
}

std::string text_of(const ModelSpec& model) {
  std::string out = model.description.empty()
                        ? model.id + "\n"
                        : fmt::format("{}: {}\n", model.id, model.description);
  if (!model.source.empty()) add_line(out, "source", model.source);
  add_sizes(out, model);
  return out + "\n" + text_of(table_of_tables(model)) + "\n" + text_of(table_of_ops(model));
}

}  // namespace ambidex
