// SPDX-License-Identifier: Apache-2.0
// Criteo's log, plain or compressed: the fast way through a line and the slow one must agree.
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

}  // namespace
}  // namespace ambidex

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  const MemoryFile file(text);
  const RecordLayout layout = small_layout();
  const Records fast = read_all(open_criteo({file.path}, layout, {}));
  const Records slow = read_all(source_of(criteo_table({file.path}, layout), layout, {}));
  check(fast.labels == slow.labels && fast.dense == slow.dense && fast.ids == slow.ids &&
            fast.numbers == slow.numbers,
        "both ways through a line agree");
}
