// SPDX-License-Identifier: Apache-2.0
// Pieces that tables and plots are drawn with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/report.h"

namespace ambidex {

/// Safe as text and as an attribute's value; bytes that HTML forbids are dropped.
std::string escape_html(std::string_view text);

/// Columns of `text` in a terminal: UTF-8 letters, not bytes.
int64_t display_width(std::string_view text);

/// 12,345
std::string with_commas(int64_t count);

// Okabe and Ito's colours, told apart by colour-blind readers too.
inline constexpr std::array<std::string_view, 4> kSeriesColours{"#0072b2", "#d55e00", "#009e73",
                                                                "#cc79a7"};
std::string_view series_colour(size_t series);

/// The area inside the axes, in SVG units; y points down.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct TextStyle {
  std::string_view anchor = "start";
  std::string_view css_class = "tick";
  double degrees = 0;
};
std::string svg_text(double x, double y, std::string_view text, const TextStyle& style = {});
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class);

/// Titles of both axes.
std::string axis_labels(const Frame& frame, std::string_view x_label, std::string_view y_label);

struct LegendEntry {
  std::string name;
  std::string mark;  // SVG drawn around (0, 0)
};
/// One entry below the other.
std::string legend(double x, double y, const std::vector<LegendEntry>& entries);

/// <figure> with heading, drawing and caption.
std::string figure(std::string_view title, double width, double height, std::string_view drawing,
                   std::string_view caption);

std::string html_of(const Table& table);
std::string html_of(const ScatterPlot& plot);
std::string html_of(const BarPlot& plot);
std::string html_of(const LinePlot& plot);

}  // namespace ambidex
