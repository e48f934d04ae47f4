// SPDX-License-Identifier: Apache-2.0
// Every name that our CUDA headers declare has a fate: our HIP headers declare it, or what the
// table of names makes of it, or the table leaves it out or refuses it. tests/data/cuda_names.txt
// lists the names; the oracle is the compiler.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"
#include "port/api_table.h"
#include "port/frontend.h"
#include "port/missing_name.h"
#include "scratch.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

std::vector<std::string> listed_names() {
  std::istringstream lines(read_file(AMBIDEX_SOURCE_DIR "/tests/data/cuda_names.txt", 1 << 20));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') names.push_back(line);
  }
  return names;
}

std::string cuda_header(const std::string& name) {
  return read_file(AMBIDEX_SOURCE_DIR "/data/cuda/" + name, 1 << 20);
}

// Words for nvcc's preprocessor, which HIP's compiler takes for undefined, and what clang's <<<>>>
// calls.
bool is_left_out(const std::string& name) {
  static const std::regex kOthers(
      "__CUDACC\\w*|__NVCC__|__cuda(Push|Pop)CallConfiguration|"
      "(CUDA|CUDART|__CUDART_API)_VERSION");
  return std::regex_match(name, kOthers);
}

// A source that fails to compile at each of `words` that is neither declared nor a macro.
std::string uses_of(const std::set<std::string>& words) {
  std::string text = "namespace uses {\n";
  for (const std::string& word : words) {
    const bool is_plain = word.find("::") == std::string::npos;
    if (is_plain) text += "#ifndef " + word + "\n";
    text += "using ::" + word + ";\n";
    if (is_plain) text += "#endif\n";
  }
  return text + "}\n";
}

std::vector<std::string> errors_of(const std::string& dialect, const std::string& text) {
  const ScratchFolder scratch;
  const std::string source = scratch.path() + (dialect == "hip" ? "/uses.hip" : "/uses.cu");
  write_file(source, text + "__global__ void kernel() {}\n");
  const Json answer = ask_frontend("module", {{"files", {source}},
                                              {"dialect", dialect},
                                              {"arguments", {"-ferror-limit=0"}},
                                              {"checked", false},
                                              {"output", scratch.path() + "/uses.so"}});
  std::vector<std::string> errors;
  for (const Json& row : answer.at("diagnostics")) {
    const auto severity = row.at("severity").get<std::string>();
    if (severity == "error" || severity == "fatal") {
      errors.push_back(row.at("message").get<std::string>());
    }
  }
  return errors;
}

TEST(HeaderNames, the_list_is_what_cuda_s_headers_declare) {
  std::set<std::string> words;
  for (const std::string& name : listed_names()) words.insert(name);
  EXPECT_GT(words.size(), 1500U);
  const std::string includes =
      "#include <cuda.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n"
      "#include <cuComplex.h>\n#include <math_constants.h>\n#include <library_types.h>\n"
      "#include <cuda_profiler_api.h>\n#include <cuda_pipeline.h>\n";
  EXPECT_THAT(errors_of("cuda", includes + uses_of(words)), ::testing::IsEmpty());
}

// What a header spells out; those that macros put together are in the list alone.
TEST(HeaderNames, no_name_of_the_runtime_is_missing_from_the_list) {
  const std::vector<std::string> names = listed_names();
  const std::set<std::string> listed(names.begin(), names.end());
  static const std::regex kWord("\\b(cuda[A-Z]\\w+|cu[A-Z]\\w+|make_cuda\\w+)\\b");
  for (const char* header :
       {"cuda.h", "cuComplex.h", "cuda_runtime_api.h", "driver_types.h", "texture_types.h",
        "ambidex_cuda/device_properties.h", "ambidex_cuda/errors.h", "ambidex_cuda/occupancy.h"}) {
    const std::string text = cuda_header(header);
    for (std::sregex_iterator it(text.begin(), text.end(), kWord), end; it != end; ++it) {
      const std::string name = it->str(1);
      const bool is_pasted = name.starts_with("cuC") && !listed.contains(name);
      EXPECT_TRUE(is_pasted || listed.contains(name)) << header << ": " << name;
    }
  }
}

TEST(HeaderNames, every_name_of_cuda_is_in_hip_or_refused_by_name) {
  std::set<std::string> words;
  for (const std::string& name : listed_names()) {
    if (is_left_out(name)) continue;
    const ApiEntry* entry = api_table().find(name);
    std::string hip = entry != nullptr ? entry->hip : name;
    if (hip.empty()) {
      EXPECT_FALSE(entry->note.empty()) << name;
      continue;
    }
    hip = hip.substr(0, hip.find('('));  // ambidex_port::half_bits(0x7C00)
    const bool is_name = std::regex_match(hip, std::regex("[A-Za-z_][\\w:]*"));
    if (is_name && !hip.starts_with("static_cast")) words.insert(hip);
  }
  EXPECT_GT(words.size(), 1000U);
  const std::string includes =
      "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_bf16.h>\n"
      "#include <hip/hip_complex.h>\n#include <hip/hip_math_constants.h>\n"
      "#include <hip/library_types.h>\n#include \"ambidex_port.h\"\n"
      "#include \"ambidex_port/complex.h\"\n#include \"ambidex_port/fp8_raw.h\"\n"
      "#include \"ambidex_port/halves.h\"\n";
  EXPECT_THAT(errors_of("hip", includes + uses_of(words)), ::testing::IsEmpty());
}

// A switch over errors must stay one, and a number that is stored must stay the same.
TEST(HeaderNames, errors_keep_their_numbers) {
  const std::string text = cuda_header("ambidex_cuda/errors.h");
  const std::regex enumerator("(cudaError\\w+) = (\\d+),");
  std::string source = "#include <hip/hip_runtime.h>\n";
  int64_t count = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), enumerator), end; it != end; ++it) {
    const ApiEntry* entry = api_table().find(it->str(1));
    ASSERT_NE(entry, nullptr) << it->str(1);
    if (entry->hip.empty() || is_left_out(it->str(1))) continue;
    source += "static_assert(" + entry->hip + " == " + it->str(2) + ");\n";
    ++count;
  }
  EXPECT_GT(count, 90);
  EXPECT_THAT(errors_of("hip", source), ::testing::IsEmpty());
}

TEST(HeaderNames, a_name_that_the_headers_lack_is_said_to_be_lacking) {
  EXPECT_EQ(with_missing_name("unknown type name 'hipSomething'"),
            "unknown type name 'hipSomething': the headers of this tool do not have hipSomething, "
            "so that nothing is said of the program; the vendor's own may have it");
  EXPECT_THAT(with_missing_name("use of undeclared identifier 'cudaSomething'; did you mean 'x'?"),
              ::testing::HasSubstr("do not have cudaSomething"));
  EXPECT_EQ(with_missing_name("use of undeclared identifier 'hipster'"),
            "use of undeclared identifier 'hipster'");
  EXPECT_EQ(with_missing_name("expected ';' after expression"), "expected ';' after expression");
}

}  // namespace
}  // namespace ambidex
