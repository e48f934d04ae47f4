// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <fmt/format.h>

namespace ambidex {

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (byte >= 0x20 && byte != 0x7f) out += letter;
    }
  }
  return out;
}

int64_t display_width(std::string_view text) {
  int64_t width = 0;
  for (const char letter : text) {
    width += (static_cast<unsigned char>(letter) & 0xc0) != 0x80;  // no continuation byte
  }
  return width;
}

std::string with_commas(int64_t count) {
  std::string out = std::to_string(count);
  const int first = count < 0 ? 1 : 0;
  for (int place = static_cast<int>(out.size()) - 3; place > first; place -= 3) {
    out.insert(static_cast<size_t>(place), 1, ',');
  }
  return out;
}

std::string_view series_colour(size_t series) {
  return kSeriesColours[series % kSeriesColours.size()];
}

std::string svg_text(double x, double y, std::string_view text, const TextStyle& style) {
  const std::string turn =
      style.degrees == 0
          ? ""
          : fmt::format(" transform=\"rotate({:g} {:.1f} {:.1f})\"", style.degrees, x, y);
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\"{}>{}</text>\n", x, y,
      style.anchor, style.css_class, turn, escape_html(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, css_class);
}

std::string axis_labels(const Frame& frame, std::string_view x_label, std::string_view y_label) {
  const double middle = frame.top + frame.height / 2;
  return svg_text(frame.left + frame.width / 2, frame.bottom() + 44, x_label,
                  {.anchor = "middle", .css_class = "axis"}) +
         svg_text(18, middle, y_label, {.anchor = "middle", .css_class = "axis", .degrees = -90});
}

std::string legend(double x, double y, const std::vector<LegendEntry>& entries) {
  constexpr double kStep = 22;
  std::string out;
  for (const LegendEntry& entry : entries) {
    out += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}", x, y, entry.mark);
    out += svg_text(16, 4, entry.name, {.css_class = "legend"}) + "</g>\n";
    y += kStep;
  }
  return out;
}

std::string figure(std::string_view title, double width, double height, std::string_view drawing,
                   std::string_view caption) {
  return fmt::format(
      "<figure>\n<h2>{0}</h2>\n<svg viewBox=\"0 0 {1:g} {2:g}\" style=\"max-width: {1:g}px\" "
      "role=\"img\" aria-label=\"{0}\">\n{3}</svg>\n<figcaption>{4}</figcaption>\n</figure>\n",
      escape_html(title), width, height, drawing, escape_html(caption));
}

}  // namespace ambidex
