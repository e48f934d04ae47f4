// SPDX-License-Identifier: Apache-2.0
#include "ambidex/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/axis.h"
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

LinePlot line_plot(std::vector<Point> points) {
  return {.title = "Loss",
          .x_label = "step",
          .y_label = "nats",
          .series = {{.name = "training", .points = std::move(points)}}};
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
  page.parts.emplace_back(line_plot({{1, 2}, {2, 1}}));
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

/// What stands between the quotes after `d=` of the first path.
std::string path_in(const std::string& html) {
  const size_t begin = html.find(" d=\"") + 4;
  return html.substr(begin, html.find('"', begin) - begin);
}

TEST(Lines, higher_values_are_higher_and_later_steps_further_right) {
  const std::string path = path_in(html_of(line_plot({{0, 1}, {50, 3}, {100, 2}})));
  double x[3];
  double y[3];
  ASSERT_EQ(
      sscanf(path.c_str(), "M%lf %lfL%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]), 6)
      << path;
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
  EXPECT_LT(x[0], x[1]);
  EXPECT_NEAR(y[0] - y[1], 2 * (y[2] - y[1]), 0.21);
  EXPECT_GT(y[0], y[2]);
}

TEST(Lines, equal_ratios_are_equal_heights_on_a_logarithmic_axis) {
  LinePlot plot = line_plot({{0, 1}, {1, 10}, {2, 100}, {3, 0}, {4, -1}});
  plot.log_y = true;
  const std::string path = path_in(html_of(plot));
  double x;
  double y[3];
  ASSERT_EQ(sscanf(path.c_str(), "M%lf %lfL%lf %lfL%lf %lf", &x, &y[0], &x, &y[1], &x, &y[2]), 6);
  EXPECT_NEAR(y[0] - y[1], y[1] - y[2], 0.11);
  EXPECT_EQ(count_of(path, "L"), 2);  // 0 and less have no logarithm
}

TEST(Lines, a_value_that_is_missing_is_a_gap_and_one_alone_a_dot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string path =
      path_in(html_of(line_plot({{0, 1}, {1, 2}, {2, nan}, {3, 1}, {4, nan}, {5, 2}, {6, 1}})));
  EXPECT_EQ(count_of(path, "M"), 3);
  EXPECT_EQ(count_of(path, "L"), 2);
  EXPECT_EQ(count_of(path, "h0"), 1);
  EXPECT_EQ(count_of(path_in(html_of(line_plot({{3, 1}}))), "h0"), 1);
}

TEST(Lines, a_long_line_keeps_its_extremes_and_the_caption_says_so) {
  std::vector<Point> points;
  for (int i = 0; i < 100000; ++i) points.push_back({1.0 * i, std::sin(i * 0.001)});
  points[31234].y = 9;
  points[77777].y = -9;
  LinePlot plot = line_plot(points);
  const std::string html = html_of(plot);
  const std::string path = path_in(html);
  EXPECT_LE(count_of(path, "L"), kMaxLinePoints);
  EXPECT_GE(count_of(path, "L"), kMaxLinePoints / 2);
  EXPECT_THAT(html, HasSubstr("lowest and the highest point of each of 1,000 stretches."));
  // The peaks stand 5 % below the top and above the bottom of the frame, 300 high.
  const double air = 300 * 0.05 / 1.1;
  EXPECT_THAT(path, HasSubstr(fmt::format(" {:.1f}L", 12 + air)));
  EXPECT_THAT(path, HasSubstr(fmt::format(" {:.1f}L", 312 - air)));
}

TEST(Lines, emphasised_points_have_marks_that_tell_their_values) {
  LinePlot plot = line_plot({{0, 1}, {100, 2}});
  plot.series.push_back({.name = "validation", .points = {{50, 1.25}}, .is_emphasised = true});
  const std::string html = html_of(plot);
  expect_balanced(html);
  EXPECT_THAT(html, HasSubstr("<title>50: 1.25</title>"));
  EXPECT_THAT(html, HasSubstr(">validation</text>"));
  EXPECT_EQ(count_of(html, "<title>"), 1);
}

TEST(Lines, none_one_equal_and_monstrous_values_are_no_division_by_zero) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const std::vector<Point>& points : {std::vector<Point>{},
                                           {{5, 0.5}},
                                           {{0, 0}},
                                           {{1, 2}, {2, 2}},
                                           {{0, -huge}, {huge, huge}},
                                           {{0, tiny}, {1, 2 * tiny}},
                                           {{0, 1e99}, {1, -1e99}}}) {
    for (const bool log_y : {false, true}) {
      LinePlot plot = line_plot(points);
      plot.log_y = log_y;
      const std::string html = html_of(plot);
      expect_balanced(html);
      EXPECT_THAT(html, Not(HasSubstr("nan")));
      EXPECT_THAT(html, Not(HasSubstr("inf")));
    }
  }
}

TEST(Axis, ticks_are_round_and_inside) {
  EXPECT_THAT(linear_ticks(0, 1000), testing::ElementsAre(0, 200, 400, 600, 800, 1000));
  EXPECT_THAT(linear_ticks(-0.7, 0.7),
              testing::Pointwise(testing::DoubleNear(1e-12), {-0.5, 0.0, 0.5}));
  for (const double low : {-3e7, -0.1, 0.0, 0.49, 123456.0}) {
    for (const double span : {1e-3, 0.07, 1.0, 42.0, 9e8}) {
      const std::vector<double> ticks = linear_ticks(low, low + span);
      EXPECT_GE(ticks.size(), 2u) << low << " " << span;
      EXPECT_LE(ticks.size(), 7u) << low << " " << span;
    }
  }
  EXPECT_EQ(linear_tick_text(200000, 50000), "200,000");
  EXPECT_EQ(linear_tick_text(0.55, 0.05), "0.55");
  EXPECT_EQ(linear_tick_text(0.5, 0.05), "0.50");
  EXPECT_EQ(linear_tick_text(1e-17, 0.2), "0");
  EXPECT_EQ(linear_tick_text(2e-9, 1e-9), "2e-09");
}

TEST(Trace, spans_become_events_in_microseconds) {
  const Timeline timeline{
      .process = "ambidex \"train\"",
      .spans = {{"embedding.forward", "op", 1.5, 0.25e-3, 0}, {"read\n", "data", 0, 1e-9, 3}}};
  const nlohmann::json trace = nlohmann::json::parse(trace_json(timeline));
  const nlohmann::json& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["args"]["name"], "ambidex \"train\"");
  EXPECT_EQ(events[1], nlohmann::json::parse(R"({"name": "embedding.forward", "cat": "op",
      "ph": "X", "ts": 1500000.0, "dur": 250.0, "pid": 1, "tid": 0})"));
  EXPECT_EQ(events[2]["name"], "read\n");
  EXPECT_EQ(events[2]["dur"], 0.001);
  EXPECT_EQ(events[2]["tid"], 3);
  EXPECT_EQ(nlohmann::json::parse(trace_json({}))["traceEvents"].size(), 1u);
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
