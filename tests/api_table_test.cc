// SPDX-License-Identifier: Apache-2.0
// The table of CUDA's names: how its files are read, and what is in it.
#include "port/api_table.h"

#include <gmock/gmock.h>

#include <set>

#include "base/files.h"
#include "caught.h"
#include "port/frontend.h"
#include "scratch.h"

namespace ambidex {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead = "library: x\nsource: here\nsince: \"6.2\"\nprefixes: []\n";

ApiTable table_of(const std::string& text) {
  const EmbeddedFile file{"x.yaml", text};
  return read_api_table({&file, 1});
}

std::string refusal_of(const std::string& text) {
  return caught([&] { table_of(text); }).message;
}

TEST(ApiTable, a_name_alone_or_a_map_says_what_hip_calls_it) {
  const ApiTable table = table_of(std::string(kHead) +
                                  "functions:\n  f: g\n"
                                  "types: {t: {hip: u, since: \"7.0\", hazard: N21, note: odd}}\n");
  EXPECT_EQ(table.find("f")->hip, "g");
  EXPECT_EQ(table.find("f")->since, "6.2");
  EXPECT_EQ(table.find("f")->rule, "api.rename");
  EXPECT_EQ(table.find("t")->hip, "u");
  EXPECT_EQ(table.find("t")->since, "7.0");
  EXPECT_EQ(table.find("t")->kind, ApiKind::type);
  EXPECT_EQ(table.find("t")->hazard, "N21");
  EXPECT_EQ(table.find("g"), nullptr);
}

TEST(ApiTable, a_refusal_has_no_name_and_a_reason) {
  const ApiTable table =
      table_of(std::string(kHead) + "refused:\n  f: {hazard: N16, reason: no images}\n");
  EXPECT_TRUE(table.find("f")->hip.empty());
  EXPECT_EQ(table.find("f")->note, "no images");
  EXPECT_THAT(refusal_of(std::string(kHead) + "refused:\n  f: {hazard: N16}\n"),
              HasSubstr("x.yaml:6: refused.f.reason"));
}

TEST(ApiTable, a_hint_is_left_out_and_says_why) {
  const ApiTable table = table_of(std::string(kHead) + "dropped:\n  f: {note: empty}\n");
  EXPECT_EQ(table.find("f")->kind, ApiKind::dropped);
  EXPECT_EQ(table.find("f")->rule, "api.drop");
  EXPECT_EQ(table.find("f")->note, "empty");
  EXPECT_THAT(refusal_of(std::string(kHead) + "dropped:\n  f: {}\n"),
              HasSubstr("x.yaml:6: dropped.f.note"));
}

TEST(ApiTable, overloads_are_names_that_stay) {
  const ApiTable table = table_of(std::string(kHead) + "overloads: [f, g]\n");
  EXPECT_TRUE(table.overloads.contains("g"));
  EXPECT_EQ(table.find("g"), nullptr);
}

TEST(ApiTable, a_name_given_twice_is_an_error) {
  EXPECT_THAT(refusal_of(std::string(kHead) + "functions: {f: g}\ntypes: {f: h}\n"),
              HasSubstr("types.f: given twice, the first time for x; keep one"));
}

TEST(ApiTable, an_unknown_key_is_an_error_with_the_nearest) {
  EXPECT_THAT(refusal_of(std::string(kHead) + "function: {f: g}\n"), HasSubstr("functions"));
  EXPECT_THAT(refusal_of(std::string(kHead) + "functions: {f: {hip: g, sinc: \"6.2\"}}\n"),
              HasSubstr("since"));
}

TEST(ApiTable, a_version_is_two_numbers) {
  EXPECT_THAT(refusal_of(std::string(kHead) + "functions: {f: {hip: g, since: new}}\n"),
              HasSubstr("functions.f.since: expected a ROCm version like \"6.2\", got \"new\""));
}

TEST(ApiTable, the_tables_hold_what_programs_use_most) {
  const ApiTable& table = api_table();
  EXPECT_GT(table.names.size(), 1500U);
  EXPECT_EQ(table.find("cudaMalloc")->hip, "hipMalloc");
  EXPECT_EQ(table.find("cudaHostAlloc")->hip, "hipHostMalloc");
  EXPECT_EQ(table.find("cudaDeviceProp")->hip, "hipDeviceProp_t");
  EXPECT_EQ(table.find("__shfl_down_sync")->hip, "ambidex_port::shfl_down_sync");
  EXPECT_EQ(table.find("cublasSgemm")->hip, "hipblasSgemm");
  EXPECT_EQ(table.find("curandState")->hip, "ambidex_port::curandState");
  EXPECT_EQ(table.find("cuLaunchKernel")->hip, "hipModuleLaunchKernel");
  EXPECT_EQ(table.find("cufftPlan1d")->hip, "hipfftPlan1d");
  EXPECT_EQ(table.find("cusparseSpMV")->hip, "hipsparseSpMV");
  EXPECT_TRUE(table.find("cudnnCreate")->hip.empty());
  EXPECT_EQ(table.find_header("nccl.h")->hip, "rccl/rccl.h");
  EXPECT_EQ(table.find_header("cub/cub.cuh")->hip, "hipcub/hipcub.hpp");
  EXPECT_EQ(table.find("ncclAllReduce"), nullptr);  // RCCL has NCCL's names
}

// A law: translating twice is translating once, so that no name of HIP may be a name of CUDA.
TEST(ApiTable, what_hip_calls_a_name_is_no_name_of_cuda) {
  for (const auto& [name, entry] : api_table().names) {
    EXPECT_EQ(api_table().find(entry.hip), nullptr) << name;
  }
  for (const auto& [name, entry] : api_table().headers) {
    EXPECT_EQ(api_table().find_header(entry.hip), nullptr) << name;
  }
}

// What the table sends calls to is in the port's headers; the oracle is the compiler.
TEST(ApiTable, every_word_of_the_port_is_in_its_headers) {
  std::string text =
      "#include <hip/hip_runtime.h>\n#include \"ambidex_port.h\"\n"
      "#include \"ambidex_port/fp8.h\"\n#include \"ambidex_port/memory.h\"\n"
      "#include \"ambidex_port/random.h\"\n#include \"ambidex_port/halves.h\"\n"
      "#include \"ambidex_port/complex.h\"\n#include \"ambidex_port/fp8_raw.h\"\n";
  std::set<std::string> used;
  for (const auto& [name, entry] : api_table().names) {
    if (entry.hip.starts_with("ambidex_port::"))
      used.insert(entry.hip.substr(0, entry.hip.find('(')));
  }
  EXPECT_GT(used.size(), 150U);
  text += "namespace words {\n";
  for (const std::string& word : used) text += "using " + word + ";\n";
  text += "}\n";
  const ScratchFolder scratch;
  write_file(scratch.path() + "/words.hip", text);
  const nlohmann::json answer = ask_frontend("object", {{"file", scratch.path() + "/words.hip"},
                                                        {"archs", {"gfx950"}},
                                                        {"arguments", nlohmann::json::array()},
                                                        {"instantiations", nlohmann::json::array()},
                                                        {"touched", nlohmann::json::object()},
                                                        {"output", scratch.path() + "/words"}});
  EXPECT_TRUE(answer.at("ok").get<bool>()) << answer.at("diagnostics").dump(1);
}

}  // namespace
}  // namespace ambidex
