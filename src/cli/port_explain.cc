// SPDX-License-Identifier: Apache-2.0
// ambidex port explain: the help page of a hazard, or the whole catalogue.
#include <fmt/format.h>

#include <memory>

#include "ambidex/port.h"
#include "cli/json.h"
#include "cli/port.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  std::string id;
  bool json = false;
};

std::string_view meaning_of(Severity severity) {
  switch (severity) {
    case Severity::s0:
      return "silent wrong result or hang";
    case Severity::s1:
      return "run-time error";
    case Severity::s2:
      return "compile error";
    case Severity::s3:
      return "slow only";
  }
  return "";
}

std::string_view meaning_of(FixKind fix) {
  switch (fix) {
    case FixKind::rule:
      return "by a rule that is safe by construction";
    case FixKind::rule_if_proved:
      return "by a rule, where its condition is proved";
    case FixKind::library:
      return "by a function of the port's header";
    case FixKind::agent:
      return "by an agent or a person";
    case FixKind::none:
      return "diagnosed, not rewritten";
  }
  return "";
}

Json json_of(const Hazard& row, bool with_page) {
  Json out{{"id", row.id},
           {"title", row.title},
           {"severity", name_of(row.severity)},
           {"fix", name_of(row.fix)}};
  if (with_page) out["page"] = row.page;
  return out;
}

std::string page_of(const Hazard& row) {
  return fmt::format("# {} {}\n\nAt worst {}, {}. Fixed {}.\n\n{}", row.id, row.title,
                     name_of(row.severity), meaning_of(row.severity), meaning_of(row.fix),
                     row.page);
}

std::string listing(bool json) {
  if (json) {
    Json list = Json::array();
    for (const Hazard& row : hazards()) list.push_back(json_of(row, false));
    return dumped(Json{{"hazards", list}});
  }
  std::string out = fmt::format("{:<4} {:<5} {:<15} {}\n", "id", "worst", "fix", "title");
  for (const Hazard& row : hazards()) {
    out += fmt::format("{:<4} {:<5} {:<15} {}\n", row.id, name_of(row.severity), name_of(row.fix),
                       row.title);
  }
  std::string fixes;
  for (const FixKind fix :
       {FixKind::rule, FixKind::rule_if_proved, FixKind::library, FixKind::agent, FixKind::none}) {
    fixes += fmt::format("{:<6} {:<15} {}\n", fixes.empty() ? "fix:" : "", name_of(fix),
                         meaning_of(fix));
  }
  return out +
         "worst: S0 silent wrong result or hang, S1 run-time error, S2 compile error, S3 slow "
         "only\n" +
         fixes;
}

}  // namespace

void add_port_explain(CLI::App& port, Console& console) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* explain = port.add_subcommand("explain", "The help page of a hazard; all, without ID");
  const CLI::Option* id =
      explain->add_option("ID", options->id, "W01 to W18, S01 to S10, R01 to R13, N01 to N24");
  explain->add_flag("--json", options->json, "One JSON document");
  explain->callback([options, id, &console] {
    if (id->count() == 0) {
      console.out = listing(options->json);
      return;
    }
    const Hazard& row = hazard(options->id);
    console.out = options->json ? dumped(json_of(row, true)) : page_of(row);
  });
}

}  // namespace ambidex
