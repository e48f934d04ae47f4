// SPDX-License-Identifier: Apache-2.0
// The files that TorchRec and MLPerf prepare from Criteo's: for each day NAME_dense.npy [n, 13],
// NAME_labels.npy [n, 1], and NAME_sparse.npy [n, 26] or, several ids to a feature,
// NAME_sparse_multi_hot.npz with the members 0.npy [n, lookups of the first feature], 1.npy, ...
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/binary.h"
#include "data/npy.h"
#include "data/zip.h"

namespace ambidex {
namespace {

constexpr std::string_view kDenseEnd = "_dense.npy";
constexpr int64_t kChunkRecords = 4096;

Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }

/// The column of a feature: its own place among the model's features, or that of the field it
/// names, "I1" or "C26".
int64_t column_of(const std::string& field, char letter, int64_t place, int64_t num_columns,
                  const std::string& where) {
  if (field.empty()) return place;
  if (field.front() == letter) {
    const std::optional<int64_t> number = int64_from_text(std::string_view(field).substr(1));
    if (number && *number >= 1 && *number <= num_columns) return *number - 1;
  }
  std::vector<std::string> known;
  for (int64_t i = 1; i <= num_columns; ++i) known.push_back(fmt::format("{}{}", letter, i));
  throw bad_input(fmt::format("{}: {}", where, unknown_name("field", field, known)));
}

template <class Features>
std::vector<int64_t> columns_of(const Features& features, char letter, int64_t num_columns,
                                const std::string& where) {
  std::vector<int64_t> columns;
  bool are_named = false;
  for (const auto& feature : features) {
    are_named = are_named || !feature.field.empty();
    columns.push_back(
        column_of(feature.field, letter, static_cast<int64_t>(columns.size()), num_columns, where));
  }
  const auto count = static_cast<int64_t>(features.size());
  if (count > num_columns || (count < num_columns && !are_named)) {
    throw bad_input(
        fmt::format("{}: expected {} {} columns, one for each feature of the model, "
                    "got {}; change the model's features, or name their fields {}1, "
                    "{}2, ...",
                    where, count, letter == 'I' ? "dense" : "id", num_columns, letter, letter));
  }
  return columns;
}

void check_rows(const NpyArray& array, int64_t num_records, const std::string& dense_path) {
  if (array.num_rows == num_records) return;
  throw bad_input(
      fmt::format("{}: expected {} rows, as {} has, got {}; prepare the files of a day "
                  "together",
                  array.bytes.where(), num_records, dense_path, array.num_rows));
}

void check_ids(const NpyArray& array, const IdColumn& feature, int64_t num_ids) {
  const std::string& where = array.bytes.where();
  if (!has_integers(array.header)) {
    throw bad_input(
        fmt::format("{}: expected integer ids, got elements {}; convert the array with "
                    "astype(numpy.int32)",
                    where, quote(array.header.descr)));
  }
  if (num_ids == feature.lookups) return;
  throw bad_input(
      fmt::format("{}: expected {} ids of a sample, the lookups of {}, got {}; set its "
                  "lookups to {}",
                  where, feature.lookups, quote(feature.feature), num_ids, num_ids));
}

ByteStream whole(const std::string& path) {
  const ByteFile file = open_bytes(path);
  return {file, {.stored_bytes = file.size_bytes, .size_bytes = file.size_bytes}, path};
}

/// Where a feature's ids are: columns [first, first + lookups) of an array.
struct IdPlace {
  size_t array = 0;
  int64_t first = 0;
};

struct Day {
  NpyArray dense;
  std::optional<NpyArray> labels;
  std::vector<NpyArray> ids;
  std::vector<IdPlace> places;         // of the features
  std::vector<int64_t> dense_columns;  // of the features
};

void add_one_hot(Day& day, const std::string& path, const RecordLayout& layout) {
  day.ids.push_back(open_npy_array(whole(path)));
  const NpyArray& array = day.ids.back();
  const std::vector<int64_t> columns = columns_of(layout.ids, 'C', array.num_columns, path);
  for (size_t i = 0; i < columns.size(); ++i) {
    check_ids(array, layout.ids[i], 1);
    day.places.push_back({.array = 0, .first = columns[i]});
  }
}

void add_multi_hot(Day& day, const ByteFile& file, const RecordLayout& layout) {
  const std::vector<ZipMember> members = read_zip_directory(file);
  const std::vector<int64_t> columns =
      columns_of(layout.ids, 'C', static_cast<int64_t>(members.size()), file.where);
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string name = fmt::format("{}.npy", columns[i]);
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const ZipMember& member) { return member.name == name; });
    if (found == members.end()) {
      throw bad_input(
          fmt::format("{}: expected a member {} for {}, got none; save the arrays as "
                      "0, 1, 2, ...",
                      file.where, name, quote(layout.ids[i].feature)));
    }
    day.places.push_back({.array = day.ids.size(), .first = 0});
    day.ids.push_back(open_npy_array({file, found->part, fmt::format("{}: {}", file.where, name)}));
    check_ids(day.ids.back(), layout.ids[i], day.ids.back().num_columns);
  }
}

/// The file of ids that fits the lookups better, of those that there are.
std::string find_ids(const std::string& stem, const RecordLayout& layout) {
  const bool is_multi_hot = std::any_of(layout.ids.begin(), layout.ids.end(),
                                        [](const IdColumn& ids) { return ids.lookups > 1; });
  std::vector<std::string> paths{stem + "_sparse.npy", stem + "_sparse_multi_hot.npz"};
  if (is_multi_hot) std::swap(paths[0], paths[1]);
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  throw Error(ErrorKind::not_found,
              fmt::format("{}: expected it or {} beside {}{}, got neither; put the files of a day "
                          "into one folder",
                          paths[0], paths[1], stem, kDenseEnd));
}

/// Nothing if the file is not there and need not be.
std::optional<NpyArray> open_labels(const std::string& path, const RecordLayout& layout) {
  std::error_code ignored;
  if (!layout.labelled && !std::filesystem::exists(path, ignored)) return std::nullopt;
  NpyArray labels = open_npy_array(whole(path));
  if (labels.num_columns == 1) return labels;
  throw bad_input(fmt::format("{}: expected 1 column of labels, got {}; keep the column to learn",
                              path, labels.num_columns));
}

/// Opens the files of a day and holds their shapes against each other and the model.
Day open_day(const std::string& dense_path, const RecordLayout& layout) {
  if (!dense_path.ends_with(kDenseEnd)) {
    throw bad_input(
        fmt::format("{}: expected a name that ends in {}, from which the other files' "
                    "names follow, got none; rename the file",
                    dense_path, kDenseEnd));
  }
  const std::string stem = dense_path.substr(0, dense_path.size() - kDenseEnd.size());
  Day day{.dense = open_npy_array(whole(dense_path)),
          .labels = open_labels(stem + "_labels.npy", layout)};
  const int64_t num_records = day.dense.num_rows;
  day.dense_columns = columns_of(layout.dense, 'I', day.dense.num_columns, dense_path);
  if (day.labels) check_rows(*day.labels, num_records, dense_path);
  if (!layout.ids.empty()) {
    const std::string path = find_ids(stem, layout);
    if (path.ends_with(".npz")) {
      add_multi_hot(day, open_bytes(path), layout);
    } else {
      add_one_hot(day, path, layout);
    }
  }
  for (const NpyArray& array : day.ids) check_rows(array, num_records, dense_path);
  return day;
}

struct NpyData {
  RecordLayout layout;
  std::vector<std::string> dense_paths;
  std::vector<int64_t> first_records;  // of the days, and the number of records at the end
  int64_t record = 0;                  // the next one
  int64_t end_record = 0;              // none from it on
  int64_t open_index = -1;             // of `day`
  std::optional<Day> day;
  // A chunk of the day, as its arrays have it.
  std::vector<float> labels;
  std::vector<float> dense;
  std::vector<std::vector<int64_t>> ids;
};

/// Opens the day of the next record, at that record.
int64_t enter_day(NpyData& data) {
  int64_t index = static_cast<int64_t>(data.dense_paths.size()) - 1;
  while (data.first_records[static_cast<size_t>(index)] > data.record) --index;
  const int64_t first = data.first_records[static_cast<size_t>(index)];
  const int64_t row = data.record - first;
  if (data.open_index != index) {
    data.day.reset();
    data.day = open_day(data.dense_paths[static_cast<size_t>(index)], data.layout);
    data.open_index = index;
  }
  Day& day = *data.day;
  check_rows(day.labels ? *day.labels : day.dense,
             data.first_records[static_cast<size_t>(index) + 1] - first,
             "the first look at the files");
  const auto enter = [row](NpyArray& array) {
    if (array.row != row) seek_row(array, row);
  };
  enter(day.dense);
  if (day.labels) enter(*day.labels);
  for (NpyArray& array : day.ids) enter(array);
  return index;
}

void fetch(NpyData& data, int64_t count) {
  Day& day = *data.day;
  data.labels.assign(static_cast<size_t>(count), std::numeric_limits<float>::quiet_NaN());
  if (day.labels) read_floats(*day.labels, count, data.labels.data());
  data.dense.resize(static_cast<size_t>(count * day.dense.num_columns));
  read_floats(day.dense, count, data.dense.data());
  data.ids.resize(day.ids.size());
  for (size_t i = 0; i < day.ids.size(); ++i) {
    data.ids[i].resize(static_cast<size_t>(count * day.ids[i].num_columns));
    read_ids(day.ids[i], count, data.ids[i].data());
  }
}

/// From row `row` of the chunk to place `at` of `records`; gives what is wrong, if anything.
std::string decode(const NpyData& data, int64_t row, int64_t row_in_file, Records& records,
                   int64_t at) {
  const Day& day = *data.day;
  const RecordLayout& layout = data.layout;
  const auto place = [&](const NpyArray& array) {
    return fmt::format("{}: record {}", array.bytes.where(), row_in_file);
  };
  const float label = data.labels[static_cast<size_t>(row)];
  const std::optional<float> binary = binary_label(label, layout);
  if (!binary) return bad_label(place(*day.labels), label, layout.label_at_least);
  records.labels[static_cast<size_t>(at)] = *binary;

  float* dense = records.dense.data() + static_cast<size_t>(at) * layout.dense.size();
  for (size_t i = 0; i < layout.dense.size(); ++i) {
    dense[i] = data.dense[static_cast<size_t>(row * day.dense.num_columns + day.dense_columns[i])];
    if (!std::isfinite(dense[i])) {
      return bad_dense(place(day.dense), layout.dense[i].name, dense[i]);
    }
  }

  for (size_t f = 0; f < layout.ids.size(); ++f) {
    const IdColumn& feature = layout.ids[f];
    const NpyArray& array = day.ids[day.places[f].array];
    const int64_t* from =
        data.ids[day.places[f].array].data() + row * array.num_columns + day.places[f].first;
    int32_t* to = records.ids.data() + at * layout.num_lookups + feature.first;
    for (int64_t i = 0; i < feature.lookups; ++i) {
      if (from[i] < 0) {
        return fmt::format("{}: {}: expected an id of at least 0, got {}; repair the file",
                           place(array), quote(feature.feature), from[i]);
      }
      to[i] = static_cast<int32_t>(from[i] % feature.rows);
    }
  }
  return {};
}

void read_chunk(NpyData& data, Records& records, int64_t max_records, BadRecords& bad) {
  const auto index = static_cast<size_t>(enter_day(data));
  const int64_t count =
      std::min({max_records, kChunkRecords,
                std::min(data.first_records[index + 1], data.end_record) - data.record});
  fetch(data, count);
  const int64_t first = data.record - data.first_records[index];
  append_decoded(records, count, data.record, data.layout, bad,
                 [&](int64_t i, int64_t at) { return decode(data, i, first + i, records, at); });
}

SourcePosition position_of(const NpyData& data) {
  const auto after =
      std::upper_bound(data.first_records.begin(), data.first_records.end() - 1, data.record);
  return {.file = std::max<int64_t>(after - data.first_records.begin() - 1, 0),
          .record = data.record};
}

}  // namespace

Source open_npy(const std::vector<std::string>& dense_files, const RecordLayout& layout) {
  check_number_ids(layout, "npy");
  const auto data = std::make_shared<NpyData>();
  data->layout = layout;
  data->dense_paths = dense_files;
  data->first_records = {0};
  for (const std::string& path : dense_files) {
    data->first_records.push_back(data->first_records.back() +
                                  open_day(path, layout).dense.num_rows);
  }
  data->end_record = data->first_records.back();
  const auto go_to = [data](int64_t record) {
    data->record = std::clamp<int64_t>(record, 0, data->first_records.back());
  };
  return {.read =
              [data](Records& records, int64_t max_records, BadRecords& bad) {
                const int64_t wanted = records.size + max_records;
                while (records.size < wanted && data->record < data->end_record) {
                  read_chunk(*data, records, wanted - records.size, bad);
                }
              },
          .position = [data] { return position_of(*data); },
          .seek = [go_to](const SourcePosition& position) { go_to(position.record); },
          .pass_to = go_to,
          .end_before =
              [data](int64_t record) {
                data->end_record = std::min(record, data->first_records.back());
              },
          .num_records = data->first_records.back()};
}

}  // namespace ambidex
