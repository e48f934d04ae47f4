// SPDX-License-Identifier: Apache-2.0
// Files of a port that a person may have changed: contracts, and JSON of any kind. Messages of MCP
// clients are read by the same parser.
#include <string>

#include "base/json_depth.h"
#include "fuzz/fuzz.h"
#include "port/contract.h"
#include "port/source_file.h"

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  why_no_source(text);
  const auto json = parse_foreign_json(text);
  if (json.is_discarded()) return;
  check(json_depth(text) <= kMaxJsonDepth, "deep documents are discarded");
  const nlohmann::json copy = json;
  static_cast<void>(copy.dump());
  const Contract contract = read_contract(json, "fuzz.json");
  check(contract_hash(read_contract(to_json(contract), "again")) == contract_hash(contract),
        "a contract that was read is written and read as it is");
}
