// SPDX-License-Identifier: Apache-2.0
// HugeCTR's raw format: no header, records of 4-byte little-endian fields: the label, the dense
// values, then the ids of all features in order. The model's sizes are the only description.
#include "data/hugectr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/binary.h"

namespace ambidex {
namespace {

constexpr int64_t kFieldBytes = 4;
constexpr int64_t kChunkBytes = int64_t{1} << 20;

struct RawFile {
  ByteFile bytes;
  int64_t first_record = 0;
  int64_t num_records = 0;
};

struct RawData {
  RecordLayout layout;
  std::vector<RawFile> files;
  int64_t num_records = 0;
  int64_t record = 0;      // the next one
  int64_t end_record = 0;  // none from it on
  std::vector<char> chunk;
};

int64_t record_bytes(const RecordLayout& layout) {
  return kFieldBytes * (1 + static_cast<int64_t>(layout.dense.size()) + layout.num_lookups);
}

RawFile check_size(const ByteFile& opened, const RecordLayout& layout, int64_t first_record) {
  RawFile file{.bytes = opened, .first_record = first_record};
  const int64_t bytes = record_bytes(layout);
  if (file.bytes.size_bytes == 0 || file.bytes.size_bytes % bytes != 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected whole records of {} bytes (label, {} dense values, {} "
                            "ids, 4 bytes each), got {} bytes; use a model with the file's dense "
                            "features and lookups, or copy the file again",
                            opened.where, bytes, layout.dense.size(), layout.num_lookups,
                            file.bytes.size_bytes));
  }
  file.num_records = file.bytes.size_bytes / bytes;
  return file;
}

/// Labels are floats or integers. No integer label that a file could mean is as large as the bits
/// of the smallest normal float, and no float label is smaller than that.
double label_value(const char* field) {
  constexpr uint32_t kSmallestNormal = 0x00800000;
  uint32_t bits = 0;
  std::memcpy(&bits, field, sizeof(bits));
  if (bits < kSmallestNormal) return bits;
  float value = 0;
  std::memcpy(&value, field, sizeof(value));
  return value;
}

/// Fills place `at` of `records` from the record's fields; gives what is wrong with them, if
/// anything.
std::string decode(const RecordLayout& layout, const char* fields, const std::string& file,
                   int64_t record_in_file, Records& records, int64_t at) {
  const auto place = [&] { return fmt::format("{}: record {}", file, record_in_file); };
  const double label = label_value(fields);
  const std::optional<float> binary = binary_label(label, layout);
  if (!binary) return bad_label(place(), label, layout.label_at_least);
  records.labels[static_cast<size_t>(at)] = *binary;

  const size_t num_dense = layout.dense.size();
  float* dense = records.dense.data() + static_cast<size_t>(at) * num_dense;
  std::memcpy(dense, fields + kFieldBytes, num_dense * kFieldBytes);
  for (size_t i = 0; i < num_dense; ++i) {
    if (!std::isfinite(dense[i])) return bad_dense(place(), layout.dense[i].name, dense[i]);
  }

  int32_t* ids = records.ids.data() + at * layout.num_lookups;
  std::memcpy(ids, fields + kFieldBytes * static_cast<int64_t>(1 + num_dense),
              static_cast<size_t>(layout.num_lookups * kFieldBytes));
  for (const IdColumn& column : layout.ids) {
    for (int64_t i = column.first; i < column.first + column.lookups; ++i) {
      if (ids[i] >= 0 && ids[i] < column.rows) continue;
      return fmt::format(
          "{}: {}: expected an id from 0 to {}, as its table has {} rows, got {}; "
          "raise rows, or repair the file",
          place(), quote(column.feature), column.rows - 1, column.rows, ids[i]);
    }
  }
  return {};
}

const RawFile& file_of(const RawData& data, int64_t record) {
  size_t i = data.files.size() - 1;
  while (data.files[i].first_record > record) --i;
  return data.files[i];
}

/// Appends what is good among the next records, at most `max_records` and a chunk of them.
void read_chunk(RawData& data, Records& records, int64_t max_records, BadRecords& bad) {
  const RawFile& file = file_of(data, data.record);
  const int64_t bytes = record_bytes(data.layout);
  const int64_t first = data.record - file.first_record;
  const int64_t count = std::min({max_records, std::max<int64_t>(kChunkBytes / bytes, 1),
                                  file.num_records - first, data.end_record - data.record});
  data.chunk.resize(static_cast<size_t>(count * bytes));
  file.bytes.read(first * bytes, data.chunk);
  append_decoded(records, count, data.record, data.layout, bad, [&](int64_t i, int64_t at) {
    return decode(data.layout, data.chunk.data() + i * bytes, file.bytes.where, first + i, records,
                  at);
  });
}

}  // namespace

Source open_hugectr(const std::vector<ByteFile>& files, const RecordLayout& layout) {
  check_number_ids(layout, "HugeCTR");
  const auto data = std::make_shared<RawData>();
  data->layout = layout;
  for (const ByteFile& file : files) {
    data->files.push_back(check_size(file, layout, data->num_records));
    data->num_records += data->files.back().num_records;
  }
  data->end_record = data->num_records;
  const auto go_to = [data](int64_t record) {
    data->record = std::clamp<int64_t>(record, 0, data->num_records);
  };
  return {.read =
              [data](Records& records, int64_t max_records, BadRecords& bad) {
                const int64_t wanted = records.size + max_records;
                while (records.size < wanted && data->record < data->end_record) {
                  read_chunk(*data, records, wanted - records.size, bad);
                }
              },
          .position =
              [data] {
                const int64_t file = data->record == data->num_records
                                         ? static_cast<int64_t>(data->files.size()) - 1
                                         : &file_of(*data, data->record) - data->files.data();
                return SourcePosition{.file = file, .record = data->record};
              },
          .seek = [go_to](const SourcePosition& position) { go_to(position.record); },
          .pass_to = go_to,
          .end_before =
              [data](int64_t record) { data->end_record = std::min(record, data->num_records); },
          .num_records = data->num_records};
}

Source open_hugectr(const std::vector<std::string>& files, const RecordLayout& layout) {
  std::vector<ByteFile> opened;
  for (const std::string& path : files) opened.push_back(open_bytes(path));
  return open_hugectr(opened, layout);
}

}  // namespace ambidex
