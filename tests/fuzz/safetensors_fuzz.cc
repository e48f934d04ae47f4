// SPDX-License-Identifier: Apache-2.0
// Weights from elsewhere. What is accepted can be read without leaving the file.
#include "fuzz/fuzz.h"
#include "train/safetensors.h"

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  const auto file_bytes = static_cast<int64_t>(text.size());
  const SafetensorsHeader header = parse_safetensors(text, file_bytes, "fuzz");
  int64_t begin = 0;
  for (const TensorEntry& tensor : header.tensors) {
    check(tensor.begin == begin && tensor.end >= begin, "tensors do not tile the data");
    begin = tensor.end;
  }
  check(header.data_begin + begin == file_bytes, "tensors do not fill the file");
}
