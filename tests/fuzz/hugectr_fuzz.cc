// SPDX-License-Identifier: Apache-2.0
// Records of HugeCTR's: what is bad in them is counted, what is good fits the model.
#include <cmath>

#include "data/hugectr.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  ambidex::RecordLayout layout;
  layout.dense = {{.name = "d"}};
  layout.ids = {{.feature = "f", .lookups = 1, .rows = 10, .first = 0},
                {.feature = "g", .lookups = 2, .rows = 1000, .first = 1}};
  layout.num_lookups = 3;
  const ambidex::Source source =
      ambidex::open_hugectr({ambidex::bytes_in_memory(text, "fuzz.bin")}, layout);
  ambidex::Records records;
  ambidex::BadRecords bad{.num_allowed = source.num_records};
  source.read(records, source.num_records, bad);
  ambidex::check(records.size + bad.count == source.num_records, "every record is met");
  for (size_t i = 0; i < records.labels.size(); ++i) {
    ambidex::check(records.labels[i] == 0 || records.labels[i] == 1, "labels are 0 or 1");
    ambidex::check(std::isfinite(records.dense[i]), "dense values are finite");
    ambidex::check(records.ids[3 * i] >= 0 && records.ids[3 * i] < 10, "ids are rows");
  }
}
