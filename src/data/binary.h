// SPDX-License-Identifier: Apache-2.0
// What the binary formats share: their ids are numbers, and their dense values are ready for a
// tower.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "data/source.h"

namespace ambidex {

/// throws Error(unsupported) on features whose encoding needs text, and on tables of more rows than
/// a Records id can number
void check_number_ids(const RecordLayout& layout, std::string_view format);

/// 0 or 1, NaN where the layout does without a label, or nothing where the value is no label.
std::optional<float> binary_label(double value, const RecordLayout& layout);

/// "FILE: record 12: label: expected 0 or 1, got 3; ..."
std::string bad_label(const std::string& place, double value,
                      const std::optional<double>& label_at_least);

/// "FILE: record 12: dense "I3": expected a finite number, got nan; ..."
std::string bad_dense(const std::string& place, const std::string& feature, float value);

/// Appends what is good of `count` records that begin with number `number`, and moves `number` past
/// them. `decode` fills place `at` of the records from record `i` of the count, and gives what is
/// wrong with it, if anything. When `bad` throws, the records before stay appended.
void append_decoded(Records& records, int64_t count, int64_t& number, const RecordLayout& layout,
                    BadRecords& bad,
                    const std::function<std::string(int64_t i, int64_t at)>& decode);

}  // namespace ambidex
