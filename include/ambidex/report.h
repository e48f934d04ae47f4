// SPDX-License-Identifier: Apache-2.0
// Tables and plots as plain data, to text and to one HTML file that needs nothing else: inline
// SVG, no scripts, no fonts or images from elsewhere.
//
//   using namespace ambidex;
//   Page page{.title = "H200", .facts = {"measured 2026-11-30"}};
//   page.parts.push_back(Table{.columns = {{"shape"}, {"us", true}}, .rows = {{"64", "1.5"}}});
//   std::string html = html_of(page);
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ambidex {

struct Column {
  std::string name;
  bool is_number = false;  // aligned to the right
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a missing cell is empty
  std::string caption;
};

struct Point {
  double x = 0;
  double y = 0;
};

/// Points of one colour, up to four of them; emphasised ones are rings of their own colour.
struct Series {
  std::string name;
  std::vector<Point> points;  // > 0; others are left out
  bool is_emphasised = false;
};

/// Both axes logarithmic and of one range, with the diagonal and a band around it.
struct ScatterPlot {
  std::string title;
  std::string x_label;  // with unit
  std::string y_label;
  std::vector<Series> series;
  double band_ratio = 0.2;  // the band reaches from 1 - ratio to 1 + ratio
  std::string caption;
};

/// Most points of plain series that a plot shows; of more it draws an even share and says so.
inline constexpr int64_t kMaxPoints = 5000;

struct Bar {
  std::string label;
  double value = 0;    // >= 0
  int32_t series = 0;  // index into BarPlot::series
};

/// One bar beside the other, highest first, the first few labelled.
struct BarPlot {
  std::string title;
  std::string x_label;
  std::string y_label;  // with unit
  std::vector<std::string> series;
  std::vector<Bar> bars;
  int64_t num_labels = 10;
  std::string caption;
};

/// Values over the steps of something. A point that is not finite, or not > 0 on a logarithmic
/// axis, is a gap in its line.
struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;         // with unit
  std::vector<Series> series;  // x ascending; emphasised ones have a mark at every point
  bool log_y = false;
  bool from_zero = false;  // the linear y axis begins at 0
  std::string caption;
};

/// Most points of a line that are drawn; of more, the lowest and highest of each stretch.
inline constexpr int64_t kMaxLinePoints = 2000;

struct Page {
  std::string title;
  std::vector<std::string> facts;  // what, where from, when: one line each
  std::vector<std::variant<Table, ScatterPlot, BarPlot, LinePlot>> parts;
};

/// What ran when, on which thread.
struct Timeline {
  struct Span {
    std::string name;
    std::string category;
    double start_seconds = 0;  // >= 0
    double duration_seconds = 0;
    int64_t thread = 0;
  };
  std::string process;
  std::vector<Span> spans;
};

/// Title, header and rows in columns of equal width; the caption below.
std::string text_of(const Table& table);

/// A whole document.
std::string html_of(const Page& page);

/// As Chrome's trace format, which Perfetto and chrome://tracing open.
std::string trace_json(const Timeline& timeline);

}  // namespace ambidex
