// SPDX-License-Identifier: Apache-2.0
#include "port/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "caught.h"
#include "port/values.h"

namespace ambidex {
namespace {

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::vector<float> noise(int64_t count, uint64_t key) {
  std::vector<float> values(static_cast<size_t>(count));
  fill_values(Element::f32, ValuePattern::normal, key, {},
              std::as_writable_bytes(std::span(values)));
  return values;
}

float sum_forward(std::span<const float> values) {
  float sum = 0;
  for (const float value : values) sum += value;
  return sum;
}

float sum_pairs(std::span<const float> values) {
  if (values.size() == 1) return values[0];
  const size_t half = values.size() / 2;
  return sum_pairs(values.first(half)) + sum_pairs(values.subspan(half));
}

// Sums of 4,096 terms, in two orders and in double.
struct Sums {
  std::vector<float> forward, pairs;
  std::vector<double> exact;
};

Sums make_sums() {
  Sums sums;
  for (uint64_t row = 0; row < 200; ++row) {
    const std::vector<float> terms = noise(4096, row);
    sums.forward.push_back(sum_forward(terms));
    sums.pairs.push_back(sum_pairs(terms));
    double exact = 0;
    for (const float term : terms) exact += term;
    sums.exact.push_back(exact);
  }
  return sums;
}

Output reorder(const Sums& sums, const std::vector<float>& port) {
  return {.original = bytes(sums.forward),
          .port = bytes(port),
          .oracle = sums.exact,
          .error_class = ErrorClass::reorder,
          .num_terms = 4096};
}

TEST(Judge, a_sum_in_another_order_is_right_in_its_class_only) {
  const Sums sums = make_sums();
  Output output = reorder(sums, sums.pairs);
  EXPECT_TRUE(judge(output).right());
  EXPECT_GT(judge(output).num_different_bits, 0);
  output.error_class = ErrorClass::exact;
  EXPECT_FALSE(judge(output).right());
}

TEST(Judge, a_dropped_term_is_wrong) {
  const Sums sums = make_sums();
  for (uint64_t row = 0; row < 200; ++row) {
    std::vector<float> port = sums.pairs;
    const float dropped = noise(4096, row)[17];
    if (std::fabs(dropped) < 0.05f) continue;  // below what a sum in f32 can show
    port[row] -= dropped;
    const Judgement judgement = judge(reorder(sums, port));
    EXPECT_EQ(judgement.num_wrong, 1) << dropped;
    EXPECT_EQ(judgement.first_wrong, static_cast<int64_t>(row));
  }
}

TEST(Judge, half_precision_inside_is_wrong_for_a_single_precision_output) {
  const Sums sums = make_sums();
  std::vector<float> port;
  for (const float sum : sums.forward) {
    std::byte stored[2];
    encode(Element::f16, sum, stored);
    port.push_back(static_cast<float>(decode(Element::f16, stored)));
  }
  EXPECT_GT(judge(reorder(sums, port)).num_wrong, 100);
}

std::vector<uint16_t> stored(Element element, const std::vector<float>& values) {
  std::vector<uint16_t> bits(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    encode(element, values[i], reinterpret_cast<std::byte*>(&bits[i]));
  }
  return bits;
}

// What is computed in float and stored in 16 bits, by an original and by a port.
Judgement judge_stored(Element element, const std::vector<float>& original,
                       const std::vector<float>& port, Element computed = Element::f32) {
  const auto left = stored(element, original), right = stored(element, port);
  return judge({.element = element,
                .original = bytes(left),
                .port = bytes(right),
                .error_class = ErrorClass::approximate,
                .computed = computed});
}

// Rounded towards zero to the bits that the type has.
float cut(Element element, float value) {
  const int lost = element == Element::bf16 ? 16 : 13;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) >> lost << lost);
}

TEST(Judge, what_is_stored_in_16_bits_may_err_by_its_last_rounding_alone) {
  for (const Element element : {Element::bf16, Element::f16}) {
    const std::vector<float> values = noise(500, 3);
    std::vector<float> close = values, scaled = values, one_wrong = values, cut_off = values;
    for (size_t i = 0; i < values.size(); ++i) {
      close[i] *= i % 2 == 0 ? 1 + 2e-6f : 1 - 2e-6f;
      scaled[i] *= 1.01f;
      cut_off[i] = cut(element, values[i]);
    }
    one_wrong[77] *= 1.06f;
    EXPECT_TRUE(judge_stored(element, values, close).right()) << name_of(element);
    EXPECT_FALSE(judge_stored(element, values, scaled).right()) << name_of(element);
    EXPECT_TRUE(judge_stored(element, values, cut_off).leans) << name_of(element);
    EXPECT_LT(judge_stored(element, values, cut_off).mean_error, -0.2) << name_of(element);
    EXPECT_EQ(judge_stored(element, values, one_wrong).first_wrong, 77) << name_of(element);
    EXPECT_TRUE(judge_stored(element, values, one_wrong, Element::bytes).right())
        << "in a kernel that computes in " << name_of(element);
  }
}

TEST(Judge, nan_and_infinity_are_right_only_where_the_reference_has_them) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> original{1, nan, infinity, 2, 3};
  const auto wrong = [&](const std::vector<float>& port) {
    return judge({.original = bytes(original),
                  .port = bytes(port),
                  .error_class = ErrorClass::approximate})
        .num_wrong;
  };
  EXPECT_EQ(wrong({1, -nan, infinity, 2, 3}), 0);
  EXPECT_EQ(wrong({1, 5, infinity, 2, 3}), 1);
  EXPECT_EQ(wrong({nan, nan, infinity, nan, 3}), 2);
  EXPECT_EQ(wrong({1, nan, -infinity, infinity, 3}), 2);
}

TEST(Judge, integers_are_compared_bit_by_bit_in_every_class) {
  const std::vector<int64_t> original{int64_t{1} << 60, 7};
  const std::vector<int64_t> port{(int64_t{1} << 60) + 1, 7};
  const Judgement judgement = judge({.element = Element::i64,
                                     .original = bytes(original),
                                     .port = bytes(port),
                                     .error_class = ErrorClass::reorder});
  EXPECT_EQ(judgement.num_wrong, 1);
  EXPECT_EQ(judgement.first_wrong, 0);
}

TEST(Judge, a_contracted_multiply_add_is_right_elementwise_and_a_shifted_index_is_not) {
  const std::vector<float> a = noise(1000, 1), b = noise(1000, 2);
  std::vector<float> original, contracted, shifted;
  for (size_t i = 0; i < a.size(); ++i) {
    original.push_back(a[i] * b[i] * 3.0f);
    contracted.push_back(a[i] * (b[i] * 3.0f));
    shifted.push_back(a[i] * b[(i + 1) % b.size()] * 3.0f);
  }
  Output output{.original = bytes(original),
                .port = bytes(contracted),
                .error_class = ErrorClass::elementwise};
  EXPECT_TRUE(judge(output).right());
  output.port = bytes(shifted);
  EXPECT_GT(judge(output).num_wrong, 990);
}

// Terms that nearly cancel: what is left is rounding, and its own size says nothing of it.
TEST(Judge, a_sum_near_zero_is_held_to_what_its_original_leaves_open) {
  std::vector<float> terms = noise(4096, 3);
  terms.push_back(-sum_pairs(terms));
  const std::vector<float> original{sum_forward(terms)}, port{sum_pairs(terms)};
  std::vector<float> up, down;
  for (auto [direction, to] : {std::pair{FE_UPWARD, &up}, {FE_DOWNWARD, &down}}) {
    std::fesetround(direction);
    to->push_back(sum_forward(terms));
    std::fesetround(FE_TONEAREST);
  }
  Output output{.original = bytes(original),
                .port = bytes(port),
                .others = {bytes(up), bytes(down)},
                .error_class = ErrorClass::reorder,
                .num_terms = 4097};
  EXPECT_TRUE(judge(output).right());
  output.others = {bytes(original)};
  EXPECT_FALSE(judge(output).right());
  const std::vector<float> wrong{port[0] + 0.05f};
  output.others = {bytes(up), bytes(down)};
  output.port = bytes(wrong);
  EXPECT_FALSE(judge(output).right());
}

TEST(Judge, where_the_original_has_a_number_or_none_nothing_is_judged) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> original{3e38f, 1}, up{infinity, 1}, port{infinity, 2};
  const Judgement judgement = judge({.original = bytes(original),
                                     .port = bytes(port),
                                     .others = {bytes(up)},
                                     .error_class = ErrorClass::reorder});
  EXPECT_EQ(judgement.num_undetermined, 1);
  EXPECT_EQ(judgement.num_wrong, 1);
  EXPECT_EQ(judgement.first_wrong, 1);
}

TEST(Judge, an_unknown_class_has_neighbours) {
  EXPECT_THAT(caught([] { error_class_from_name("reordre"); }).message,
              testing::HasSubstr("reorder"));
}

TEST(Values, patterns_are_what_their_names_say) {
  for (const Element element : {Element::f32, Element::f16, Element::bf16, Element::f64}) {
    std::vector<std::byte> buffer(static_cast<size_t>(1000 * element_bytes(element)));
    const auto values = [&](ValuePattern pattern) {
      fill_values(element, pattern, 42, {}, buffer);
      std::vector<double> decoded;
      for (size_t i = 0; i < 1000; ++i) {
        decoded.push_back(
            decode(element, &buffer[i * static_cast<size_t>(element_bytes(element))]));
      }
      return decoded;
    };
    const auto wide = values(ValuePattern::wide);
    const auto [least, most] = std::minmax_element(
        wide.begin(), wide.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    EXPECT_GT(std::fabs(*most) / std::fabs(*least), 1e3) << name_of(element);
    EXPECT_LT(*most * *most, element_max(element));
    const auto tiny = values(ValuePattern::tiny);
    EXPECT_TRUE(
        std::any_of(tiny.begin(), tiny.end(), [](double x) { return x == 0 && std::signbit(x); }));
    const auto one_hot = values(ValuePattern::one_hot);
    EXPECT_EQ(std::count(one_hot.begin(), one_hot.end(), 1.0), 1);
    EXPECT_EQ(std::count(one_hot.begin(), one_hot.end(), 0.0), 999);
    const auto equal = values(ValuePattern::equal);
    EXPECT_EQ(std::count(equal.begin(), equal.end(), equal[0]), 1000);
    for (const double x : values(ValuePattern::offset)) EXPECT_GT(x, 900);
  }
}

TEST(Values, integers_stay_in_their_range_and_reach_its_ends) {
  std::vector<int32_t> buffer(5000);
  for (int i = 0; i < kNumValuePatterns; ++i) {
    const auto pattern = static_cast<ValuePattern>(i);
    fill_values(Element::i32, pattern, 7, {.low = 3, .high = 20},
                std::as_writable_bytes(std::span(buffer)));
    const auto [least, most] = std::minmax_element(buffer.begin(), buffer.end());
    EXPECT_GE(*least, 3) << name_of(pattern);
    EXPECT_LT(*most, 20) << name_of(pattern);
    if (pattern == ValuePattern::limits || pattern == ValuePattern::normal) {
      EXPECT_EQ(*least, 3);
      EXPECT_EQ(*most, 19);
    }
  }
}

}  // namespace
}  // namespace ambidex
