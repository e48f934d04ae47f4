// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/html.h"

namespace ambidex {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: #1f2328;
  background: #fff; max-width: 1000px; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .6rem; }
h2 { font-size: 1.1rem; margin: 0 0 .6rem; }
ul.facts { list-style: none; margin: 0 0 2rem; padding: 0; color: #57606a; }
figure { margin: 0 0 2.5rem; }
figcaption { color: #57606a; font-size: .87rem; margin-top: .5rem; max-width: 46rem; }
table { border-collapse: collapse; font-size: .87rem; width: 100%; }
th { border-bottom: 2px solid #d0d7de; text-align: left; }
td { border-bottom: 1px solid #eaeef2; }
th, td { padding: .28rem .5rem; vertical-align: bottom; }
td:first-child, td.number { white-space: nowrap; }
.wide { overflow-x: auto; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: #e6e9ed; stroke-width: 1; }
.base, .frame { stroke: #8c959f; stroke-width: 1; fill: none; }
.band { fill: #8c959f; fill-opacity: .16; }
.diagonal { stroke: #57606a; stroke-width: 1.2; }
.dots { fill: none; stroke-width: 3.2; stroke-linecap: round; stroke-opacity: .45; }
.line { fill: none; stroke-width: 1.7; stroke-linejoin: round; stroke-linecap: round; }
.dense { stroke-width: 1; stroke-opacity: .65; }
.few { stroke-width: 5; stroke-opacity: .7; }
.ring { fill: none; stroke: #1f2328; stroke-width: 1.3; }
.leader { fill: none; stroke: #afb8c1; stroke-width: .8; }
text { fill: #1f2328; }
.tick { font-size: 12px; fill: #57606a; }
.axis { font-size: 13px; }
.legend { font-size: 12.5px; white-space: pre; }
@media print { body { margin: 0; max-width: none; } figure { break-inside: avoid; } }
)";

}  // namespace

std::string html_of(const Page& page) {
  const std::string title = escape_html(page.title);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      title, kStyle);
  out += "<ul class=\"facts\">\n";
  for (const std::string& fact : page.facts) {
    out += fmt::format("<li>{}</li>\n", escape_html(fact));
  }
  out += "</ul>\n";
  for (const auto& part : page.parts) {
    out += std::visit([](const auto& it) { return html_of(it); }, part);
  }
  return out + "</body>\n</html>\n";
}

}  // namespace ambidex
