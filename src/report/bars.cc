// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/html.h"

namespace ambidex {
namespace {

constexpr Frame kFrame{.left = 78, .top = 12, .width = 760, .height = 320};
constexpr double kWidth = 860;
constexpr double kHeight = 392;
constexpr int64_t kMaxBars = 400;  // more are thinner than a pixel
constexpr double kLabelStep = 19;

struct BarScale {
  double high = 1;       // of the axis
  double step = 1;       // between ticks
  double bar_width = 1;  // with its gap
  double x(int64_t bar) const { return kFrame.left + bar_width * static_cast<double>(bar); }
  double y(double value) const { return kFrame.bottom() - kFrame.height * value / high; }
};

BarScale scale_of(const std::vector<Bar>& bars) {
  BarScale scale;
  const double highest = bars.empty() ? 0 : bars.front().value;
  if (highest > 0 && std::isfinite(highest)) {
    scale.step = tick_step(highest);
    scale.high = scale.step * std::ceil(highest * 1.02 / scale.step);
  }
  const auto count = static_cast<double>(std::max<int64_t>(std::ssize(bars), 1));
  scale.bar_width = std::min(40.0, kFrame.width / count);
  return scale;
}

std::string axes(const BarScale& scale) {
  std::string out;
  for (int i = 0; i * scale.step <= scale.high * 1.001; ++i) {
    const double y = scale.y(i * scale.step);
    out += svg_line(kFrame.left, y, kFrame.right(), y, i == 0 ? "base" : "grid");
    out += svg_text(kFrame.left - 8, y + 4, fmt::format("{:g}", i * scale.step), {.anchor = "end"});
  }
  return out;
}

std::string bars_of(const std::vector<Bar>& bars, const BarScale& scale) {
  const double gap = scale.bar_width > 3 ? 1 : 0;
  std::string out;
  for (int64_t i = 0; i < std::ssize(bars); ++i) {
    const Bar& bar = bars[static_cast<size_t>(i)];
    const double y = scale.y(bar.value);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
        "<title>{}: {:.3g}</title></rect>\n",
        scale.x(i), y, scale.bar_width - gap, kFrame.bottom() - y,
        series_colour(static_cast<size_t>(bar.series)), escape_html(bar.label), bar.value);
  }
  return out;
}

/// The bars sink to the right, so the upper right is free: the labels of the first bars stand
/// there in a column, each with a line to its bar, as far as they stay above the bars.
std::string labels_of(const std::vector<Bar>& bars, int64_t count, const BarScale& scale) {
  count = std::min(count, std::ssize(bars));
  const double column = std::max(kFrame.left + 0.3 * kFrame.width, scale.x(count) + 24);
  const auto below = static_cast<size_t>((column - 6 - kFrame.left) / scale.bar_width);
  const double lowest = below < bars.size() ? scale.y(bars[below].value) : kFrame.bottom();
  std::string out;
  double y = kFrame.top + 14;
  for (int64_t i = 0; i < count && y + 4 < lowest; ++i, y += kLabelStep) {
    const Bar& bar = bars[static_cast<size_t>(i)];
    if (!(bar.value > 0)) break;
    out += fmt::format("<polyline class=\"leader\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
                       scale.x(i) + scale.bar_width / 2, scale.y(bar.value), column - 6, y - 4);
    out += svg_text(column, y, fmt::format("{:.1f}  {}", bar.value, bar.label),
                    {.css_class = "legend"});
  }
  return out;
}

std::string legend_of(const BarPlot& plot) {
  std::vector<LegendEntry> entries;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const auto is_own = [&](const Bar& bar) { return static_cast<size_t>(bar.series) == i; };
    if (std::none_of(plot.bars.begin(), plot.bars.end(), is_own)) continue;
    entries.push_back(
        {plot.series[i], fmt::format("<rect x=\"-6\" y=\"-6\" width=\"12\" height=\"12\" "
                                     "fill=\"{}\"/>",
                                     series_colour(i))});
  }
  return legend(kFrame.right() - 110, kFrame.top + 14, entries);
}

}  // namespace

std::string html_of(const BarPlot& plot) {
  std::vector<Bar> bars = plot.bars;
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.value > b.value; });
  std::string caption = plot.caption;
  if (std::ssize(bars) > kMaxBars) {
    caption +=
        fmt::format(" The highest {} of {} are drawn.", kMaxBars, with_commas(std::ssize(bars)));
    bars.resize(kMaxBars);
  }
  const BarScale scale = scale_of(bars);
  const std::string drawing =
      axes(scale) + bars_of(bars, scale) + labels_of(bars, plot.num_labels, scale) +
      legend_of(plot) +
      axis_labels({kFrame.left, kFrame.top, kFrame.width, kFrame.height - 14}, plot.x_label,
                  plot.y_label);
  return figure(plot.title, kWidth, kHeight, drawing, caption);
}

}  // namespace ambidex
