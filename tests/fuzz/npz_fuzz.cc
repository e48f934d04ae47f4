// SPDX-License-Identifier: Apache-2.0
// An archive of arrays: its directory, and the bytes of every member.
#include <algorithm>

#include "data/npy.h"
#include "data/zip.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  const ambidex::ByteFile file = ambidex::bytes_in_memory(text, "fuzz.npz");
  for (const ambidex::ZipMember& member : ambidex::read_zip_directory(file)) {
    ambidex::NpyArray array = ambidex::open_npy_array({file, member.part, member.name});
    const int64_t num_rows = std::min<int64_t>(array.num_rows, 100);
    if (array.num_columns > 1000) continue;
    std::vector<float> values(static_cast<size_t>(num_rows * array.num_columns));
    ambidex::read_floats(array, num_rows, values.data());
    ambidex::seek_row(array, num_rows / 2);
    ambidex::read_floats(array, num_rows - num_rows / 2, values.data());
  }
}
