// SPDX-License-Identifier: Apache-2.0
#include "ambidex/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/html.h"

namespace ambidex {
namespace {

using testing::HasSubstr;
using testing::Not;

int64_t count_of(std::string_view text, std::string_view word) {
  int64_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

ScatterPlot scatter(int64_t num_points) {
  Series series{.name = "memory"};
  for (int64_t i = 0; i < num_points; ++i) {
    series.points.push_back({10.0 + static_cast<double>(i), 12.0 + static_cast<double>(i)});
  }
  return {.title = "Times",
          .x_label = "measured (us)",
          .y_label = "predicted (us)",
          .series = {series}};
}

/// Every tag that is opened is closed, in order.
void expect_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (tag[0] == '!' || tag.back() == '/' || name == "meta") continue;
    if (tag[0] != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    EXPECT_EQ("/" + open.back(), tag);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(Table, text_stands_in_columns) {
  const Table table{.title = "Two",
                    .columns = {{"name"}, {"us", true}},
                    .rows = {{"a", "1.5"}, {"größer", "12.25"}, {"c"}},
                    .caption = "end"};
  EXPECT_EQ(text_of(table),
            "Two\n"
            "name       us\n"
            "a         1.5\n"
            "größer  12.25\n"
            "c\n"
            "end\n");
}

TEST(Html, foreign_text_cannot_break_out) {
  const std::string html = html_of(
      Page{.title = "<script>\"&", .facts = {"<b>"}, .parts = {Table{.columns = {{"<i>"}}}}});
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;&quot;&amp;"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_EQ(escape_html("a\x01\x1b b"), "a b");
}

TEST(Html, a_page_needs_nothing_but_itself) {
  Page page{.title = "All", .facts = {"one", "two"}};
  page.parts.emplace_back(Table{.columns = {{"a"}}, .rows = {{"1"}}});
  page.parts.emplace_back(scatter(10));
  page.parts.emplace_back(BarPlot{.series = {"k"}, .bars = {{"x", 3, 0}}});
  const std::string html = html_of(page);
  EXPECT_THAT(html, testing::StartsWith("<!DOCTYPE html>"));
  for (const char* outside : {"http:", "https:", "<script", "<img", "<link", "@import", "url(h"}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  expect_balanced(html);
}

TEST(Scatter, few_points_are_all_drawn) {
  const std::string html = html_of(scatter(kMaxPoints));
  EXPECT_EQ(count_of(html, "h0"), kMaxPoints);
  EXPECT_THAT(html, Not(HasSubstr("points are drawn")));
  EXPECT_THAT(html, HasSubstr("measured (us)"));
}

TEST(Scatter, of_many_points_an_even_share_is_drawn_and_the_caption_says_so) {
  ScatterPlot plot = scatter(400000);
  Series best{.name = "best", .is_emphasised = true};
  for (int i = 1; i <= 120; ++i) best.points.push_back({1.0 * i, 1.0 * i});
  plot.series.push_back(best);
  const std::string html = html_of(plot);
  EXPECT_NEAR(static_cast<double>(count_of(html, "h0")), kMaxPoints, 2);
  EXPECT_GE(count_of(html, "<circle"), 120);
  EXPECT_THAT(html, HasSubstr("5,000 of 400,000 points are drawn"));
  EXPECT_LT(html.size(), 200000u);
  EXPECT_EQ(html, html_of(plot));
}

TEST(Scatter, points_without_a_logarithm_are_left_out) {
  ScatterPlot plot = scatter(2);
  plot.series[0].points.push_back({0, 5});
  plot.series[0].points.push_back({5, -1});
  plot.series[0].points.push_back({std::numeric_limits<double>::infinity(), 5});
  plot.series[0].points.push_back({std::numeric_limits<double>::quiet_NaN(), 5});
  const std::string html = html_of(plot);
  EXPECT_EQ(count_of(html, "h0"), 2);
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, Not(HasSubstr("inf")));
}

TEST(Scatter, a_series_keeps_its_colour_when_one_before_it_is_empty) {
  ScatterPlot plot = scatter(3);
  plot.series.insert(plot.series.begin(), Series{.name = "nobody"});
  const std::string html = html_of(plot);
  const std::string colour(series_colour(1));
  EXPECT_THAT(html, HasSubstr("stroke=\"" + colour + "\" d=\"M"));
  EXPECT_THAT(html, HasSubstr("fill=\"" + colour + "\""));
  EXPECT_THAT(html, Not(HasSubstr("nobody")));
}

TEST(Scatter, an_empty_plot_is_still_a_plot) {
  const std::string html = html_of(ScatterPlot{.title = "None"});
  expect_balanced(html);
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

TEST(Bars, the_highest_come_first_and_carry_labels) {
  BarPlot plot{.title = "Regret", .x_label = "shapes", .y_label = "%", .series = {"memory", "k"}};
  for (int i = 0; i < 50; ++i) {
    const double value = i < 40 ? 0.1 * i : 1.0 * i;  // low enough for labels above them
    plot.bars.push_back({fmt::format("shape{}", i), value, i % 2});
  }
  const std::string html = html_of(plot);
  expect_balanced(html);
  EXPECT_LT(html.find("shape49"), html.find("shape48"));
  EXPECT_THAT(html, HasSubstr(">49.0  shape49</text>"));
  EXPECT_THAT(html, HasSubstr(">40.0  shape40</text>"));
  EXPECT_THAT(html, Not(HasSubstr("  shape39</text>")));
}

TEST(Bars, the_legend_has_the_series_that_are_there) {
  const std::string html = html_of(BarPlot{.series = {"memory", "k"}, .bars = {{"x", 3, 1}}});
  EXPECT_THAT(html, Not(HasSubstr("memory")));
  EXPECT_THAT(html, HasSubstr(">k</text>"));
}

TEST(Bars, labels_do_not_run_into_bars) {
  BarPlot plot;
  for (int i = 0; i < 100; ++i) plot.bars.push_back({"level", 10.0, 0});
  EXPECT_LE(count_of(html_of(plot), ">10.0  level</text>"), 2);  // above them is room for two
}

TEST(Bars, too_many_are_cut_and_the_caption_says_so) {
  BarPlot plot;
  for (int i = 0; i < 1234; ++i) plot.bars.push_back({"x", 1.0, 0});
  EXPECT_THAT(html_of(plot), HasSubstr("The highest 400 of 1,234 are drawn."));
}

TEST(Bars, all_zero_or_none_is_no_division_by_zero) {
  for (const BarPlot& plot : {BarPlot{}, BarPlot{.bars = {{"x", 0, 0}, {"y", 0, 0}}}}) {
    EXPECT_THAT(html_of(plot), Not(HasSubstr("nan")));
    EXPECT_THAT(html_of(plot), Not(HasSubstr("inf")));
  }
}

TEST(Numbers, thousands_are_set_apart) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-1234567), "-1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
}

}  // namespace
}  // namespace ambidex
