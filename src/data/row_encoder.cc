// SPDX-License-Identifier: Apache-2.0
#include "data/row_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/tally.h"

namespace ambidex {
namespace {

using Cells = std::vector<std::string_view>;

[[noreturn]] void fail(const std::string& field, std::string_view expected, std::string_view got,
                       std::string_view remedy = "") {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected {}, got {}{}", field, expected, quote(got), remedy));
}

float encode_label(const RowEncoder& encoder, const Cells& cells) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  if (!encoder.label_cell) return kNone;
  const std::string_view cell = cells[*encoder.label_cell];
  if (cell.empty() && !encoder.labelled) return kNone;
  const std::optional<double> value = double_from_text(cell);
  if (encoder.label_at_least) {
    if (!value) fail(encoder.label_field, "a finite number for the label", cell);
    return *value >= *encoder.label_at_least ? 1.0f : 0.0f;
  }
  if (value && (*value == 0 || *value == 1)) return static_cast<float>(*value);
  fail(encoder.label_field, "a label 0 or 1", cell,
       "; with data.label_at_least a number becomes a label");
}

float encode_dense(const DenseCell& column, std::string_view cell) {
  if (cell.empty()) return 0;
  const std::optional<double> value = double_from_text(cell);
  if (!value) fail(column.field, "a finite number", cell);
  const float result = transformed(column.rule, *value);
  if (!std::isfinite(result)) fail(column.field, "a number in the range of float", cell);
  return result;
}

template <class Integer>
Integer integer_of(const IdCell& column, std::string_view text, int base,
                   std::string_view expected) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) fail(column.field, expected, text);
  return value;
}

int32_t encode_id(const IdCell& column, std::string_view text) {
  if (text.empty()) return 0;
  uint32_t id = 0;
  switch (column.encoding) {
    case IdEncoding::automatic:
      check(false, "an encoding is resolved before it is used");
      break;
    case IdEncoding::hex:
      id = column.modulo.of_long(
          integer_of<uint64_t>(column, text, 16, "a hexadecimal id of at most 16 digits"));
      break;
    case IdEncoding::integer:
      id = column.modulo.of_long(integer_of<uint64_t>(column, text, 10, "an integer id >= 0"));
      break;
    case IdEncoding::hash:
      id = column.modulo.of_long(hash_of(text));
      break;
    case IdEncoding::vocabulary:
      if (column.vocabulary == nullptr) return 0;
      const auto found = column.vocabulary->find(text);
      return found == column.vocabulary->end() ? 0 : found->second;
  }
  return static_cast<int32_t>(id);
}

bool has_name(const TextTable& table, const std::string& name) {
  return std::any_of(table.fields.begin(), table.fields.end(),
                     [&](const TextField& field) { return field.name == name; });
}

const std::string& name_in_data(const std::string& field, const std::string& name) {
  return field.empty() ? name : field;
}

std::vector<size_t> fields_of_type(const TextTable& table, FieldType type) {
  std::vector<size_t> found;
  for (size_t i = 0; i < table.fields.size(); ++i) {
    if (table.fields[i].type == type) found.push_back(i);
  }
  return found;
}

/// By position: no name is given for data that has none, or names that Criteo's columns do not
/// have meet as many columns as they ask for.
bool is_by_position(const TextTable& table, const RecordLayout& layout) {
  if (!table.is_criteo) return false;
  bool is_named = true;
  for (const DenseFeature& feature : layout.dense) {
    if (!feature.field.empty()) return false;
    is_named = is_named && has_name(table, feature.name);
  }
  for (const IdColumn& column : layout.ids) {
    if (!column.field.empty()) return false;
    is_named = is_named && has_name(table, column.feature);
  }
  if (table.has_names && is_named) return false;
  return fields_of_type(table, FieldType::number).size() == layout.dense.size() &&
         fields_of_type(table, FieldType::hex).size() == layout.ids.size();
}

/// Nothing if there is none and need not be.
std::optional<size_t> label_index(const TextTable& table, const RecordLayout& layout) {
  if (!layout.label.empty() && (table.has_names || has_name(table, layout.label))) {
    if (!layout.labelled && !has_name(table, layout.label)) return std::nullopt;
    return field_index(table, layout.label, "data.label");
  }
  for (const std::string_view name : {"label", "Label", "click"}) {
    for (size_t i = 0; i < table.fields.size(); ++i) {
      if (table.fields[i].name == name) return i;
    }
  }
  if (!layout.labelled) return std::nullopt;
  return field_index(table, "label", "data.label is not given");
}

IdEncoding resolved(IdEncoding encoding, FieldType type) {
  if (encoding != IdEncoding::automatic) return encoding;
  return type == FieldType::hex ? IdEncoding::hex : IdEncoding::vocabulary;
}

std::string separators_of(const TextTable& table, FieldType type, int64_t lookups) {
  if (type == FieldType::tokens || type == FieldType::numbers) return " ";
  return lookups > 1 ? table.sequence_separators : "";
}

using Vocabularies = std::map<std::string, std::shared_ptr<const Vocabulary>>;

/// Of a table, once for all features that share it.
std::shared_ptr<const Vocabulary> vocabulary_of(const IdColumn& column,
                                                const DataStatistics& statistics,
                                                Vocabularies& made) {
  std::shared_ptr<const Vocabulary>& vocabulary = made[column.table];
  if (vocabulary != nullptr) return vocabulary;
  const auto found = statistics.vocabularies.find(column.table);
  if (found == statistics.vocabularies.end()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the data's statistics have no vocabulary of table {}; take those of "
                            "the run that trained this model, or none",
                            column.table));
  }
  const std::vector<std::string>& tokens = found->second;
  if (static_cast<int64_t>(tokens.size()) >= column.rows) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("table {} has {} rows, but the data has {} different values of it, and "
                    "row 0 is for blank and unknown ones; set tables.{}.rows={} or the "
                    "encoding `hash`",
                    column.table, column.rows, tokens.size(), column.table, tokens.size() + 1));
  }
  auto filled = std::make_shared<Vocabulary>();
  filled->reserve(tokens.size());
  for (const std::string& token : tokens) {
    filled->emplace(token, static_cast<int32_t>(filled->size()) + 1);
  }
  return vocabulary = filled;
}

IdCell id_cell(const TextTable& table, const IdColumn& column, size_t cell) {
  const FieldType type = table.fields[cell].type;
  return {.cell = cell,
          .field = table.fields[cell].name,
          .encoding = resolved(column.encoding, type),
          .separators = separators_of(table, type, column.lookups),
          .lookups = column.lookups,
          .first = column.first,
          .table = column.table,
          .modulo = Modulo(static_cast<uint64_t>(column.rows))};
}

}  // namespace

size_t field_index(const TextTable& table, const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (size_t i = 0; i < table.fields.size(); ++i) {
    if (table.fields[i].name == name) return i;
    names.push_back(table.fields[i].name);
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {}", where, unknown_name("field", name, names)));
}

RowEncoder row_encoder(const TextTable& table, const RecordLayout& layout,
                       const DataStatistics& statistics, bool is_collecting) {
  const std::optional<size_t> label = label_index(table, layout);
  RowEncoder encoder{.label_cell = label,
                     .label_field = label ? table.fields[*label].name : "",
                     .labelled = layout.labelled,
                     .label_at_least = layout.label_at_least,
                     .num_lookups = layout.num_lookups};
  const bool by_position = is_by_position(table, layout);
  const std::vector<size_t> numbers = fields_of_type(table, FieldType::number);
  for (size_t i = 0; i < layout.dense.size(); ++i) {
    const DenseFeature& feature = layout.dense[i];
    const size_t cell = by_position ? numbers[i]
                                    : field_index(table, name_in_data(feature.field, feature.name),
                                                  fmt::format("dense feature {}", feature.name));
    encoder.dense.push_back({.cell = cell,
                             .field = table.fields[cell].name,
                             .rule = dense_rule(feature, statistics, is_collecting)});
  }
  const std::vector<size_t> hex = fields_of_type(table, FieldType::hex);
  Vocabularies made;
  for (size_t i = 0; i < layout.ids.size(); ++i) {
    const IdColumn& column = layout.ids[i];
    const size_t cell = by_position ? hex[i]
                                    : field_index(table, name_in_data(column.field, column.feature),
                                                  fmt::format("feature {}", column.feature));
    encoder.ids.push_back(id_cell(table, column, cell));
    IdCell& id = encoder.ids.back();
    if (id.encoding == IdEncoding::vocabulary && !is_collecting) {
      id.vocabulary = vocabulary_of(column, statistics, made);
    }
  }
  return encoder;
}

void append_blank(const RowEncoder& encoder, int64_t number, Records& records) {
  ++records.size;
  const auto size = static_cast<size_t>(records.size);
  records.labels.push_back(0);
  records.dense.resize(size * encoder.dense.size());
  records.ids.resize(size * static_cast<size_t>(encoder.num_lookups), -1);
  records.numbers.push_back(number);
}

void remove_last(const RowEncoder& encoder, Records& records) {
  --records.size;
  const auto size = static_cast<size_t>(records.size);
  records.labels.pop_back();
  records.dense.resize(size * encoder.dense.size());
  records.ids.resize(size * static_cast<size_t>(encoder.num_lookups));
  records.numbers.pop_back();
}

void encode_row(const RowEncoder& encoder, const Cells& cells, int64_t number, Records& records) {
  append_blank(encoder, number, records);
  try {
    records.labels.back() = encode_label(encoder, cells);
    float* dense = records.dense.data() + records.dense.size() - encoder.dense.size();
    for (const DenseCell& column : encoder.dense) {
      *dense++ = encode_dense(column, cells[column.cell]);
    }
    int32_t* ids = records.ids.data() + records.ids.size() - encoder.num_lookups;
    for (const IdCell& column : encoder.ids) {
      int32_t* place = ids + column.first;
      for_each_id(column, cells[column.cell],
                  [&](std::string_view text) { *place++ = encode_id(column, text); });
    }
  } catch (const Error&) {
    remove_last(encoder, records);
    throw;
  }
}

}  // namespace ambidex
