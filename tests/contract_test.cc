// SPDX-License-Identifier: Apache-2.0
// Contracts as documents and as sources of launches; what the original says to them is in
// verify_contract_test.
#include "port/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "ambidex/base.h"
#include "base/files.h"
#include "caught.h"
#include "port/sha256.h"
#include "scratch.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

nlohmann::json facts() {
  return nlohmann::json::parse(R"({"kernels": [{"name": "gather", "kernel": "_Z6gather",
    "reorders": false, "approximates": false, "max_threads": 128, "parameters": [
      {"name": "out", "type": "float *", "kind": "pointer", "element": "f32", "constant": false},
      {"name": "in", "type": "const float *", "kind": "pointer", "element": "f32",
       "constant": true},
      {"name": "ids", "type": "const int *", "kind": "pointer", "element": "i32",
       "constant": true},
      {"name": "scale", "type": "float", "kind": "scalar", "element": "f32", "constant": true},
      {"name": "rows", "type": "int", "kind": "scalar", "element": "i32", "constant": true},
      {"name": "n", "type": "int", "kind": "scalar", "element": "i32", "constant": true}]}],
    "launches": [{"kernel": "_Z6gather", "grid": ["(n + 63) / 64", "1", "1"],
      "block": ["64", "1", "1"], "dynamic_shared_bytes": "0",
      "buffer_bytes": {"out": "n * sizeof_is_no_formula", "in": "2000", "ids": null}}]})");
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// gather<<<2, 64>>> of 100 of 500 rows, with ids from 3 to 42.
TracedLaunch recorded() {
  TracedLaunch launch;
  launch.kernel = "gather";
  launch.grid = {2, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {std::string(8, '\0'), std::string(8, '\0'), std::string(8, '\0'),
                      bytes_of(2.0f),       bytes_of(500),        bytes_of(100)};
  launch.buffers.resize(3);
  launch.buffers[0].before.resize(400);
  launch.buffers[0].unwritten = {{0, static_cast<int64_t>(launch.buffers[0].before.size())}};
  launch.buffers[1].before.resize(2000);
  for (int i = 0; i < 100; ++i) launch.buffers[2].before += bytes_of(3 + i % 40);
  for (int64_t i = 0; i < 3; ++i) launch.pointers.push_back({.parameter = i, .buffer = i});
  return launch;
}

TEST(Contract, a_recorded_launch_and_its_source_suggest_one) {
  const Contract contract = propose_contract(facts(), recorded());
  EXPECT_EQ(contract.kernel, "gather");
  ASSERT_EQ(contract.parameters.size(), 6u);
  EXPECT_EQ(contract.parameters[0].bytes, "n * 4");
  EXPECT_EQ(contract.parameters[1].bytes, "rows * 4");
  EXPECT_EQ(contract.parameters[0].role, Role::inout);
  EXPECT_EQ(contract.parameters[1].role, Role::in);
  EXPECT_EQ(contract.parameters[2].range, (std::array<std::string, 2>{"3", "43"}));
  EXPECT_EQ(contract.launches[0].formulas.grid->at(0), "(n + 63) / 64");
  EXPECT_EQ(contract.launches[0].sizes, (Variables{{"n", 100}, {"rows", 500}}));
  EXPECT_TRUE(contract.aliases.empty());
}

TEST(Contract, pointers_into_one_allocation_are_aliases) {
  TracedLaunch launch = recorded();
  launch.pointers[1].buffer = 0;
  EXPECT_EQ(propose_contract(facts(), launch).aliases,
            (std::vector<std::array<std::string, 2>>{{"out", "in"}}));
}

TEST(Contract, it_is_read_as_it_was_written) {
  const nlohmann::json written = to_json(propose_contract(facts(), recorded()));
  const Contract read = read_contract(written, "a.json");
  EXPECT_EQ(to_json(read), written);
  EXPECT_EQ(contract_hash(read), written.at("hash").get<std::string>());
}

// The hash is one that anybody can compute: of the text without spaces, keys in order.
TEST(Contract, the_hash_is_of_the_canonical_text) {
  nlohmann::json json = to_json(propose_contract(facts(), recorded()));
  const std::string hash = json.at("hash");
  json.erase("hash");
  EXPECT_EQ(sha256(json.dump()), hash);
}

TEST(Contract, a_changed_one_is_refused) {
  nlohmann::json json = to_json(propose_contract(facts(), recorded()));
  json["class"] = "approximate";
  const Caught error = caught([&] { read_contract(json, "a.json"); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("a.json: its content has changed since it was frozen"));
  json.erase("hash");  // then it is a proposal
  EXPECT_EQ(read_contract(json, "a.json").error_class, ErrorClass::approximate);
}

TEST(Contract, what_is_no_contract_is_refused_with_its_place) {
  nlohmann::json json = to_json(propose_contract(facts(), recorded()));
  json.erase("hash");
  const auto message = [&](const char* path, const nlohmann::json& value) {
    nlohmann::json changed = json;
    changed[nlohmann::json::json_pointer(path)] = value;
    return caught([&] { read_contract(changed, "a.json"); }).message;
  };
  EXPECT_THAT(message("/version", 2), HasSubstr("a.json: expected version 1, got 2"));
  EXPECT_THAT(message("/class", "exakt"), HasSubstr("exact"));
  EXPECT_THAT(message("/parameters/0/role", "inn"), HasSubstr("in"));
  EXPECT_THAT(message("/parameters/0/bytes", "n *"), HasSubstr("formula"));
  EXPECT_THAT(message("/launches", 7), HasSubstr("not a contract"));
  EXPECT_THAT(caught([] { read_contract(nlohmann::json(), "a.json"); }).message,
              HasSubstr("a.json: expected a contract"));
}

TEST(Contract, a_folder_holds_many_and_an_empty_one_none) {
  const ScratchFolder scratch;
  EXPECT_THAT(caught([&] { read_contracts(scratch.path()); }).message, HasSubstr("no contract"));
  const Contract contract = propose_contract(facts(), recorded());
  write_file(scratch.path(contract_file_name(contract)), to_json(contract).dump());
  ASSERT_EQ(read_contracts(scratch.path()).size(), 1u);
  EXPECT_EQ(read_contracts(scratch.path("gather.json"))[0].kernel, "gather");
}

TEST(Contract, a_kernel_of_other_parameters_does_not_fit) {
  const Contract contract = propose_contract(facts(), recorded());
  check_fit(contract, facts());
  nlohmann::json other = facts();
  other["kernels"][0]["parameters"][1]["element"] = "f64";
  EXPECT_THAT(
      caught([&] { check_fit(contract, other); }).message,
      HasSubstr("element of parameter 1 is \"f64\" in the source, \"f32\" in the contract"));
  other["kernels"][0]["parameters"].erase(0);
  EXPECT_THAT(caught([&] { check_fit(contract, other); }).message,
              HasSubstr("the kernel has 5 parameters, the contract 6"));
  other["kernels"][0]["name"] = "gathers";
  EXPECT_THAT(caught([&] { check_fit(contract, other); }).message, HasSubstr("nearest: gathers"));
}

TEST(Contract, launches_are_made_by_its_formulas) {
  Contract contract = propose_contract(facts(), recorded());
  contract.parameters[0].role = Role::out;
  const TracedLaunch made =
      generate_launch(contract, contract.launches[0], {{"n", 300}, {"rows", 7}}, 1);
  EXPECT_EQ(made.grid, (std::array<uint32_t, 3>{5, 1, 1}));
  ASSERT_EQ(made.buffers.size(), 3u);
  EXPECT_EQ(made.buffers[0].before.size(), 1200u);
  EXPECT_EQ(made.buffers[0].unwritten, (std::vector<ByteRange>{{0, 1200}}));
  EXPECT_EQ(made.buffers[1].before.size(), 28u);
  std::set<int> ids;
  for (size_t i = 0; i < 300; ++i) {
    int id = 0;
    std::memcpy(&id, made.buffers[2].before.data() + 4 * i, 4);
    ids.insert(id);
  }
  EXPECT_GE(*ids.begin(), 3);
  EXPECT_LT(*ids.rbegin(), 43);
  EXPECT_GT(ids.size(), 30u);
  EXPECT_EQ(made.arguments[3], bytes_of(0.5f));
  EXPECT_EQ(made.arguments[5], bytes_of(300));
}

TEST(Contract, launches_that_it_does_not_describe_are_refused) {
  Contract contract = propose_contract(facts(), recorded());
  const auto message = [&](const Variables& sizes) {
    return caught([&] { generate_launch(contract, contract.launches[0], sizes, 1); }).message;
  };
  EXPECT_THAT(message({{"rows", 7}}), HasSubstr("nothing is called \"n\""));
  EXPECT_THAT(message({{"rows", 7}, {"n", 0}}), HasSubstr("\"out\" would have 0 bytes"));
  EXPECT_THAT(message({{"rows", 7}, {"n", 300'000'000}}), HasSubstr("1073741824"));
  contract.launches[0].formulas.grid = {"n - 9", "1", "1"};
  EXPECT_THAT(message({{"rows", 7}, {"n", 9}}), HasSubstr("no device can launch"));
  contract.parameters[3].kind = "struct";
  EXPECT_THAT(message({{"rows", 7}, {"n", 9}}), HasSubstr("a launch cannot be made for"));
}

TEST(Contract, a_signature_suggests_a_thread_for_each_element_or_a_block_for_each_row) {
  const std::vector<Contract> proposals = propose_contracts(facts()["kernels"][0]);
  ASSERT_EQ(proposals.size(), 2u);
  EXPECT_EQ(proposals[0].parameters[0].bytes, "rows * n * 4");
  EXPECT_EQ(proposals[0].launches[0].formulas.grid->at(0), "(rows * n + 127) / 128");
  EXPECT_EQ(proposals[1].launches[0].formulas.grid->at(0), "rows");
  nlohmann::json kernel = facts()["kernels"][0];
  kernel["parameters"][3]["kind"] = "struct";
  EXPECT_TRUE(propose_contracts(kernel).empty());
}

TEST(Contract, the_simplest_formula_of_a_size_comes_first) {
  const Variables sizes{{"k", 1}, {"m", 8}, {"n", 6}};
  EXPECT_EQ(propose_size(32, 4, sizes), "m * 4");
  EXPECT_EQ(propose_size(192, 4, sizes), "m * n * 4");
  EXPECT_EQ(propose_size(144, 4, sizes), "n * n * 4");
  EXPECT_EQ(propose_size(100, 4, sizes), "100");
}

}  // namespace
}  // namespace ambidex
