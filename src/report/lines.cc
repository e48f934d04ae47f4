// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/axis.h"
#include "report/html.h"

namespace ambidex {
namespace {

constexpr Frame kWideFrame{.left = 92, .top = 12, .width = 746, .height = 300};
constexpr double kLegendWidth = 150;
constexpr double kWidth = 860;
constexpr double kHeight = 372;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Beyond, and closer to 0, there are no ticks to compute.
constexpr double kLargest = 1e100;
constexpr double kSmallest = 1e-100;

bool is_drawn(const Point& point, bool log_y) {
  return std::abs(point.x) < kLargest && std::abs(point.y) < kLargest &&
         (!log_y || point.y > kSmallest);
}

/// Values of one axis.
struct Range {
  double low = kInfinity;
  double high = -kInfinity;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Never empty, also where there was one value or none.
  void widen() {
    if (low > high) *this = {0, 1};
    if (low == high) *this = {low - std::abs(low) / 10, high + std::abs(high) / 10};
    if (high - low < kSmallest) *this = {0, 1};
  }
};

struct LineScale {
  Frame frame;
  Range x_range;
  Range y_range;
  bool log_y = false;

  double x(double value) const {
    return frame.left + frame.width * (value - x_range.low) / (x_range.high - x_range.low);
  }
  double y(double value) const {
    const double share = log_y
                             ? std::log(value / y_range.low) / std::log(y_range.high / y_range.low)
                             : (value - y_range.low) / (y_range.high - y_range.low);
    return frame.bottom() - frame.height * share;
  }
};

/// The data in a frame with some air above and below; an axis that begins near 0 begins there.
LineScale scale_of(const LinePlot& plot, const Frame& frame) {
  LineScale scale{.frame = frame, .log_y = plot.log_y};
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (!is_drawn(point, plot.log_y)) continue;
      scale.x_range.include(point.x);
      scale.y_range.include(point.y);
    }
  }
  Range& x = scale.x_range;
  Range& y = scale.y_range;
  if (x.low > 0 && x.low < x.high / 4) x.low = 0;
  x.widen();
  if (plot.log_y) {
    if (y.low > y.high) y = {1, 10};
    y = {y.low / 1.1, y.high * 1.1};
    return scale;
  }
  if (plot.from_zero) y.include(0);
  y.widen();
  const double air = (y.high - y.low) * 0.05;
  y.high += air;
  if (y.low != 0) y.low -= air;
  return scale;
}

std::string y_axis(const LineScale& scale) {
  const Range& range = scale.y_range;
  std::vector<double> ticks;
  if (scale.log_y) ticks = log_ticks(range.low, range.high);
  const bool is_log = ticks.size() >= 3;  // less is no guide to the eye
  if (!is_log) ticks = linear_ticks(range.low, range.high);
  const double step = tick_step(range.high - range.low);
  std::string out;
  for (const double tick : ticks) {
    const double y = scale.y(tick);
    out += svg_line(scale.frame.left, y, scale.frame.right(), y, "grid");
    out += svg_text(scale.frame.left - 8, y + 4,
                    is_log ? log_tick_text(tick) : linear_tick_text(tick, step), {.anchor = "end"});
  }
  return out;
}

std::string x_axis(const LineScale& scale) {
  const Range& range = scale.x_range;
  const double bottom = scale.frame.bottom();
  const double step = tick_step(range.high - range.low);
  std::string out = svg_line(scale.frame.left, bottom, scale.frame.right(), bottom, "base");
  for (const double tick : linear_ticks(range.low, range.high)) {
    const double x = scale.x(tick);
    out += svg_line(x, bottom, x, bottom + 5, "base");
    out += svg_text(x, bottom + 19, linear_tick_text(tick, step), {.anchor = "middle"});
  }
  return out;
}

/// Of each of so many stretches the lowest and the highest point, in their order; a stretch without
/// one that can be drawn becomes a gap.
std::vector<Point> thinned(const std::vector<Point>& points, bool log_y) {
  if (std::ssize(points) <= kMaxLinePoints) return points;
  constexpr size_t kNumStretches = kMaxLinePoints / 2;
  std::vector<Point> out;
  for (size_t i = 0; i < kNumStretches; ++i) {
    const auto begin = points.begin() + static_cast<int64_t>(points.size() * i / kNumStretches);
    const auto end = points.begin() + static_cast<int64_t>(points.size() * (i + 1) / kNumStretches);
    auto low = end;
    auto high = end;
    for (auto at = begin; at != end; ++at) {
      if (!is_drawn(*at, log_y)) continue;
      if (low == end || at->y < low->y) low = at;
      if (high == end || at->y > high->y) high = at;
    }
    if (low == end) {
      out.push_back(*begin);  // the gap
      continue;
    }
    out.push_back(*std::min(low, high));
    if (low != high) out.push_back(*std::max(low, high));
  }
  return out;
}

/// A point between two gaps is a line of no length: a dot.
std::string path_of(const std::vector<Point>& points, const LineScale& scale) {
  std::string path;
  bool is_pen_down = false;
  bool is_alone = false;
  for (const Point& point : points) {
    const bool is_gap = !is_drawn(point, scale.log_y);
    if (is_gap && is_alone) path += "h0";
    is_alone = !is_gap && !is_pen_down;
    if (!is_gap) {
      path += fmt::format("{}{:.1f} {:.1f}", is_pen_down ? "L" : "M", scale.x(point.x),
                          scale.y(point.y));
    }
    is_pen_down = !is_gap;
  }
  return path + (is_alone ? "h0" : "");
}

std::string marks_of(const std::vector<Point>& points, const LineScale& scale,
                     std::string_view colour) {
  std::string out = fmt::format("<g fill=\"{}\">\n", colour);
  for (const Point& point : points) {
    if (!is_drawn(point, scale.log_y)) continue;
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\"><title>{:.6g}: {:.6g}</title></circle>\n",
        scale.x(point.x), scale.y(point.y), point.x, point.y);
  }
  return out + "</g>\n";
}

std::string line_of(const Series& series, const LineScale& scale, std::string_view colour) {
  const std::vector<Point> points = thinned(series.points, scale.log_y);
  const bool is_dense = std::ssize(series.points) > kMaxLinePoints;
  std::string out = fmt::format("<path class=\"line{}\" stroke=\"{}\" d=\"{}\"/>\n",
                                is_dense ? " dense" : "", colour, path_of(points, scale));
  return series.is_emphasised ? out + marks_of(points, scale, colour) : out;
}

std::vector<LegendEntry> entries_of(const LinePlot& plot) {
  std::vector<LegendEntry> entries;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.points.empty()) continue;
    const std::string_view colour = series_colour(i);
    std::string mark = fmt::format("<path class=\"line\" stroke=\"{}\" d=\"M-10 0H8\"/>", colour);
    if (series.is_emphasised)
      mark += fmt::format("<circle cx=\"-1\" r=\"3.4\" fill=\"{}\"/>", colour);
    entries.push_back({series.name, mark});
  }
  return entries;
}

}  // namespace

std::string html_of(const LinePlot& plot) {
  const std::vector<LegendEntry> entries = entries_of(plot);
  Frame frame = kWideFrame;
  if (entries.size() > 1) frame.width -= kLegendWidth;
  const LineScale scale = scale_of(plot, frame);
  std::string drawing = y_axis(scale) + x_axis(scale);
  bool is_thinned = false;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    if (plot.series[i].points.empty()) continue;
    is_thinned |= std::ssize(plot.series[i].points) > kMaxLinePoints;
    drawing += line_of(plot.series[i], scale, series_colour(i));
  }
  drawing += axis_labels(frame, plot.x_label, plot.y_label);
  if (entries.size() > 1) drawing += legend(frame.right() + 44, frame.top + 12, entries);
  std::string caption = plot.caption;
  if (is_thinned) {
    caption += fmt::format(
        " A long line is drawn by the lowest and the highest point of each of {} stretches.",
        with_commas(kMaxLinePoints / 2));
  }
  return figure(plot.title, kWidth, kHeight, drawing, caption);
}

}  // namespace ambidex
