// SPDX-License-Identifier: Apache-2.0
#include "port/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace ambidex {
namespace {

using testing::HasSubstr;

template <class T>
std::string_view bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

KernelViews two_kernels() {
  return views_of(nlohmann::json::parse(R"({"kernels": [
    {"name": "sum<float, 256>", "reorders": true, "approximates": false, "parameters": [
      {"name": "out", "type": "float *", "element": "f32"},
      {"name": "in", "type": "const float *", "element": "f32"}]},
    {"name": "ns::rank", "reorders": false, "approximates": false, "parameters": [
      {"name": "order", "type": "int *", "element": "i32"},
      {"name": "box", "type": "Box *", "element": "bytes"}]}]})"));
}

TracedLaunch pointing(std::vector<TracedPointer> pointers) {
  TracedLaunch launch;
  launch.pointers = std::move(pointers);
  launch.buffers.resize(1);
  return launch;
}

TEST(Compare, the_parameter_that_writes_gives_name_and_type) {
  const TracedLaunch launch = pointing({{.parameter = 1, .buffer = 0, .constant = true},
                                        {.parameter = 0, .buffer = 0, .constant = false}});
  const std::vector<float> original{1, 2, 3}, port{1, 2, 4};
  const Difference difference =
      compare_buffer(two_kernels().at("sum<float, 256>"),
                     {.launch = &launch, .original = bytes(original), .port = bytes(port)});
  EXPECT_FALSE(difference.right);
  EXPECT_THAT(difference.message, HasSubstr("out[2] is 4, the original has 3"));
  EXPECT_THAT(difference.message, HasSubstr("1 of 3 f32 wrong"));
}

TEST(Compare, another_order_of_a_sum_is_right_and_not_the_same_bits) {
  const TracedLaunch launch = pointing({{.parameter = 0, .buffer = 0}});
  const std::vector<float> original{1.0f, 100.0f}, port{1.0f + 0x1p-23f, 100.0f};
  const Difference difference =
      compare_buffer(two_kernels().at("sum<float, 256>"),
                     {.launch = &launch, .original = bytes(original), .port = bytes(port)});
  EXPECT_TRUE(difference.right) << difference.message;
  EXPECT_FALSE(difference.same_bits);
}

TEST(Compare, integers_in_another_order_are_right_only_where_the_original_has_no_order) {
  const TracedLaunch launch = pointing({{.parameter = 0, .buffer = 0}});
  const std::vector<int> original{7, 8, 9}, turned{9, 7, 8}, other{9, 7, 7};
  const std::vector<int> again{8, 7, 9};
  const auto compare = [&](const std::vector<int>& port, bool order_dependent) {
    BufferPair pair{.launch = &launch, .original = bytes(original), .port = bytes(port)};
    if (order_dependent) pair.orders.push_back(bytes(again));
    return compare_buffer(two_kernels().at("ns::rank"), pair);
  };
  EXPECT_FALSE(compare(turned, false).right);
  EXPECT_TRUE(compare(turned, true).right);
  EXPECT_FALSE(compare(other, true).right);
  EXPECT_THAT(compare(other, true).message, HasSubstr("order holds other elements"));
}

// As kernels do that append what they keep by an atomic counter.
TEST(Compare, floats_may_come_in_any_order_where_the_originals_do) {
  const TracedLaunch launch = pointing({{.parameter = 0, .buffer = 0}});
  const std::vector<float> original{7, 8, 9}, again{8, 7, 9}, turned{9, 7, 8}, other{9, 7, 7};
  const auto compare = [&](const std::vector<float>& port, const std::vector<float>& order) {
    BufferPair pair{.launch = &launch, .original = bytes(original), .port = bytes(port)};
    pair.orders.push_back(bytes(order));
    return compare_buffer(two_kernels().at("sum<float, 256>"), pair);
  };
  EXPECT_TRUE(compare(turned, again).right);
  EXPECT_FALSE(compare(turned, original).right);
  const Difference lost = compare(other, again);
  EXPECT_FALSE(lost.right);
  EXPECT_FALSE(lost.contradicted);
  EXPECT_THAT(lost.message, HasSubstr("out holds other elements"));
}

// A sum in another order is the original's error, not its contradiction.
TEST(Compare, an_original_whose_threads_race_is_no_measure) {
  const TracedLaunch launch = pointing({{.parameter = 0, .buffer = 0}});
  const std::vector<float> original{1, 2, 3}, raced{1, 5, 3}, summed{1, 2 + 0x1p-20f, 3};
  const std::vector<float> port{1, 7, 3};
  const auto compare = [&](const std::vector<float>& order) {
    BufferPair pair{.launch = &launch, .original = bytes(original), .port = bytes(port)};
    pair.orders.push_back(bytes(order));
    pair.roundings.push_back(bytes(summed));
    return compare_buffer(two_kernels().at("sum<float, 256>"), pair);
  };
  const Difference contradiction = compare(raced);
  EXPECT_TRUE(contradiction.contradicted);
  EXPECT_THAT(contradiction.message,
              HasSubstr("what the original itself leaves in out depends on the order"));
  const Difference wrong = compare(summed);
  EXPECT_FALSE(wrong.right);
  EXPECT_FALSE(wrong.contradicted);
}

TEST(Compare, bytes_that_hold_nothing_are_not_compared) {
  const TracedLaunch launch = pointing({{.parameter = 0, .buffer = 0}});
  KernelView view = two_kernels().at("ns::rank");
  view.elements[0] = Element::bytes;
  view.paddings = {{.stride = 4, .ranges = {{1, 3}}}};
  const std::vector<unsigned char> original{1, 0, 0, 2, 3, 0, 0, 4};
  const std::vector<unsigned char> padded{1, 9, 9, 2, 3, 8, 8, 4}, wrong{1, 9, 9, 2, 5, 8, 8, 4};
  EXPECT_TRUE(
      compare_buffer(view, {.launch = &launch, .original = bytes(original), .port = bytes(padded)})
          .right);
  EXPECT_THAT(
      compare_buffer(view, {.launch = &launch, .original = bytes(original), .port = bytes(wrong)})
          .message,
      HasSubstr("byte 4 of"));
}

TEST(Compare, a_buffer_of_unknown_type_is_compared_by_bytes) {
  const TracedLaunch launch = pointing({{.parameter = 1, .buffer = 0}});
  const std::vector<unsigned char> original{1, 2, 3, 4, 5}, port{1, 2, 3, 0x40, 5};
  const auto view = two_kernels().at("ns::rank");
  const Difference difference =
      compare_buffer(view, {.launch = &launch, .original = bytes(original), .port = bytes(port)});
  EXPECT_THAT(difference.message, HasSubstr("byte 3 of box is 0x40, the original has 0x04"));
  const std::vector<unsigned char> longer(6);
  EXPECT_THAT(
      compare_buffer(view, {.launch = &launch, .original = bytes(original), .port = bytes(longer)})
          .message,
      HasSubstr("has 6 bytes, the original's has 5"));
}

TEST(Trace, the_base_name_of_a_kernel_leaves_parameters_out) {
  EXPECT_EQ(kernel_base_name("add(float const*, int)"), "add");
  EXPECT_EQ(kernel_base_name("void scale<float, 256>(float*, int)"), "scale<float, 256>");
  EXPECT_EQ(kernel_base_name("(anonymous namespace)::pool(float*)"), "(anonymous namespace)::pool");
  EXPECT_EQ(kernel_base_name("void apply<f(int)>(int)"), "apply<f(int)>");
}

}  // namespace
}  // namespace ambidex
