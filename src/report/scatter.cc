// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/axis.h"
#include "report/html.h"

namespace ambidex {
namespace {

constexpr Frame kFrame{.left = 78, .top = 12, .width = 560, .height = 560};
constexpr double kWidth = 860;
constexpr double kHeight = 636;
constexpr int64_t kFewPoints = 1500;  // drawn larger

bool is_drawn(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.x > 0 && point.y > 0;
}

/// The one range of both axes.
struct LogRange {
  double low = 1;
  double high = 10;

  double place(double value) const { return std::log(value / low) / std::log(high / low); }
  double x(double value) const { return kFrame.left + kFrame.width * place(value); }
  double y(double value) const { return kFrame.bottom() - kFrame.height * place(value); }
};

LogRange range_of(const ScatterPlot& plot) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (!is_drawn(point)) continue;
      low = std::min({low, point.x, point.y});
      high = std::max({high, point.x, point.y});
    }
  }
  if (high == 0) return {};
  return {.low = low / 1.15, .high = high * 1.15};
}

std::string axes(const LogRange& range) {
  std::string out;
  for (const double tick : log_ticks(range.low, range.high)) {
    const double x = range.x(tick);
    const double y = range.y(tick);
    out += svg_line(x, kFrame.top, x, kFrame.bottom(), "grid");
    out += svg_line(kFrame.left, y, kFrame.right(), y, "grid");
    out += svg_text(x, kFrame.bottom() + 18, log_tick_text(tick), {.anchor = "middle"});
    out += svg_text(kFrame.left - 8, y + 4, log_tick_text(tick), {.anchor = "end"});
  }
  return out;
}

/// The band of `ratio` about the diagonal, and the diagonal.
std::string diagonal(const LogRange& range, double ratio) {
  const double up = 1 + ratio;
  const double down = 1 - ratio;
  std::string out = fmt::format(
      "<polygon clip-path=\"url(#area)\" class=\"band\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} "
      "{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
      range.x(range.low), range.y(range.low * up), range.x(range.high), range.y(range.high * up),
      range.x(range.high), range.y(range.high * down), range.x(range.low),
      range.y(range.low * down));
  return out + svg_line(kFrame.left, kFrame.bottom(), kFrame.right(), kFrame.top, "diagonal");
}

/// Every point is a line of no length with round ends: eleven bytes instead of a circle's forty.
std::string dots(const Series& series, const LogRange& range, std::string_view colour,
                 int64_t num_in_all) {
  const double share = num_in_all <= kMaxPoints ? 1 : static_cast<double>(kMaxPoints) / num_in_all;
  std::string path;
  double due = 0.5;
  for (const Point& point : series.points) {
    if (!is_drawn(point)) continue;
    due += share;
    if (due < 1) continue;
    due -= 1;
    path += fmt::format("M{:.1f} {:.1f}h0", range.x(point.x), range.y(point.y));
  }
  return fmt::format("<path class=\"dots{}\" stroke=\"{}\" d=\"{}\"/>\n",
                     num_in_all <= kFewPoints ? " few" : "", colour, path);
}

std::string rings(const Series& series, const LogRange& range) {
  std::string out = "<g class=\"ring\">\n";
  for (const Point& point : series.points) {
    if (!is_drawn(point)) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\"/>\n", range.x(point.x),
                       range.y(point.y));
  }
  return out + "</g>\n";
}

std::vector<LegendEntry> entries_of(const ScatterPlot& plot) {
  std::vector<LegendEntry> entries;
  size_t colour = 0;
  for (const Series& series : plot.series) {
    std::string mark = "<g class=\"ring\"><circle r=\"4\"/></g>";
    if (!series.is_emphasised) {
      mark = fmt::format("<circle r=\"5\" fill=\"{}\"/>", series_colour(colour++));
    }
    if (series.points.empty()) continue;
    entries.push_back(
        {fmt::format("{} ({})", series.name, with_commas(std::ssize(series.points))), mark});
  }
  entries.push_back(
      {"predicted = measured", "<line x1=\"-8\" x2=\"8\" y1=\"0\" y2=\"0\" class=\"diagonal\"/>"});
  entries.push_back({fmt::format("within {:.0f} %", plot.band_ratio * 100),
                     "<rect x=\"-8\" y=\"-6\" width=\"16\" height=\"12\" class=\"band\"/>"});
  return entries;
}

int64_t num_dots(const ScatterPlot& plot) {
  int64_t count = 0;
  for (const Series& series : plot.series) {
    if (series.is_emphasised) continue;
    count += std::count_if(series.points.begin(), series.points.end(), is_drawn);
  }
  return count;
}

}  // namespace

std::string html_of(const ScatterPlot& plot) {
  const LogRange range = range_of(plot);
  const int64_t count = num_dots(plot);
  std::string drawing = fmt::format(
      "<clipPath id=\"area\"><rect x=\"{0:g}\" y=\"{1:g}\" width=\"{2:g}\" height=\"{3:g}\"/>"
      "</clipPath>\n",
      kFrame.left, kFrame.top, kFrame.width, kFrame.height);
  drawing += axes(range) + diagonal(range, plot.band_ratio);
  size_t colour = 0;
  std::string on_top;
  for (const Series& series : plot.series) {
    if (series.is_emphasised) {
      on_top += rings(series, range);
    } else {
      drawing += dots(series, range, series_colour(colour++), count);
    }
  }
  drawing += on_top;
  drawing +=
      fmt::format("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" class=\"frame\"/>\n",
                  kFrame.left, kFrame.top, kFrame.width, kFrame.height);
  drawing += axis_labels(kFrame, plot.x_label, plot.y_label);
  drawing += legend(kFrame.right() + 24, kFrame.top + 12, entries_of(plot));
  std::string caption = plot.caption;
  if (count > kMaxPoints) {
    caption += fmt::format(" {} of {} points are drawn, evenly taken in the order of the data.",
                           with_commas(kMaxPoints), with_commas(count));
  }
  return figure(plot.title, kWidth, kHeight, drawing, caption);
}

}  // namespace ambidex
