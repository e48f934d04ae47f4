// SPDX-License-Identifier: Apache-2.0
// An array of numpy's, read whole and in pieces.
#include "data/npy.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  const auto size = static_cast<int64_t>(text.size());
  ambidex::NpyArray array = ambidex::open_npy_array({ambidex::bytes_in_memory(text, "fuzz.npy"),
                                                     {.stored_bytes = size, .size_bytes = size},
                                                     "fuzz.npy"});
  std::vector<float> values(static_cast<size_t>(array.num_rows * array.num_columns));
  ambidex::read_floats(array, array.num_rows, values.data());
  if (array.num_rows == 0 || !ambidex::has_integers(array.header)) return;
  std::vector<int64_t> ids(static_cast<size_t>(array.num_columns));
  ambidex::seek_row(array, array.num_rows - 1);
  ambidex::read_ids(array, 1, ids.data());
}
