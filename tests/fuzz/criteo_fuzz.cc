// SPDX-License-Identifier: Apache-2.0
// Criteo's log, plain or compressed: the fast way through a line and the slow one must agree.
#include <algorithm>
#include <cmath>

#include "data/row_encoder.h"
#include "data/source.h"
#include "data/text_table.h"
#include "fuzz/data_files.h"
#include "fuzz/fuzz.h"

namespace ambidex {
namespace {

RecordLayout small_layout() {
  RecordLayout layout{.num_lookups = 3};
  layout.dense.resize(2);
  layout.dense[0].name = "d0";
  layout.dense[1].name = "d1";
  layout.ids.push_back({.feature = "a", .rows = 1000, .first = 0, .table = "a"});
  layout.ids.push_back(
      {.feature = "b", .lookups = 2, .rows = 2147483647, .first = 1, .table = "b"});
  return layout;
}

Records read_all(const Source& source) {
  Records records;
  BadRecords bad{.num_allowed = 1 << 20};
  source.read(records, 1 << 20, bad);
  return records;
}

void compare_ways(const std::string& path, const RecordLayout& layout) {
  const Records fast = read_all(open_criteo({path}, layout, {}));
  const Records slow = read_all(source_of(criteo_table({path}, layout), layout, {}));
  const auto is_same_label = [](float a, float b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  };
  check(std::equal(fast.labels.begin(), fast.labels.end(), slow.labels.begin(), slow.labels.end(),
                   is_same_label) &&
            fast.dense == slow.dense && fast.ids == slow.ids && fast.numbers == slow.numbers,
        "both ways through a line agree");
}

}  // namespace
}  // namespace ambidex

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  const MemoryFile file(text);
  RecordLayout layout = small_layout();
  compare_ways(file.path, layout);
  layout.labelled = false;
  compare_ways(file.path, layout);
}
