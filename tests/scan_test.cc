// SPDX-License-Identifier: Apache-2.0
// The scan against what the probes of tests/hazards say of their own lines.
#include "port/scan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "caught.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path kProbes = AMBIDEX_SOURCE_DIR "/tests/hazards";

class Scan : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / fmt::format("ambidex_scan_{}_{}", test->name(), getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  fs::path folder_;
};

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Expectation {
  int64_t line = 0;
  std::string id;
  std::string severity;  // "" if any will do
};

// `// expect: W01 S0, W02 S2`, in the body of a macro `/* expect: W01 S0 */`
std::vector<Expectation> expectations_of(const fs::path& path) {
  std::vector<Expectation> all;
  std::istringstream lines(contents(path));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const size_t at = line.find(" expect: ");
    if (at == std::string::npos) continue;
    std::istringstream parts(line.substr(at + 9));
    for (std::string part; std::getline(parts, part, ',');) {
      std::istringstream words(part);
      Expectation one{.line = number};
      words >> one.id >> one.severity;
      all.push_back(one);
    }
  }
  return all;
}

std::string shown(const Finding& finding) {
  return fmt::format("{}:{}: {} {}", fs::path(finding.file).filename().string(), finding.line,
                     finding.id, name_of(finding.severity));
}

bool is_met(const Expectation& expected, const Finding& finding) {
  return finding.line == expected.line && finding.id == expected.id &&
         (expected.severity.empty() || expected.severity == name_of(finding.severity));
}

std::vector<fs::path> probes(const fs::path& folder, std::string_view letters) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cu") && letters.find(name[0]) != std::string_view::npos) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::map<std::string, std::vector<Finding>> by_file(const std::vector<Finding>& findings) {
  std::map<std::string, std::vector<Finding>> files;
  for (const Finding& finding : findings) files[finding.file].push_back(finding);
  return files;
}

ScanResult scan_files(const std::vector<fs::path>& paths) {
  ScanOptions options;
  for (const fs::path& path : paths) options.paths.push_back(path.string());
  return scan(options);
}

TEST(Probes, each_hazard_is_found_on_its_lines_and_nowhere_else) {
  const std::vector<fs::path> paths = probes(kProbes, "WSRN");
  ASSERT_EQ(paths.size(), 64u);  // N12 is about build files: build_flags_test
  const auto files = by_file(scan_files(paths).findings);
  for (const fs::path& path : paths) {
    const std::string id = path.stem().string();
    const std::vector<Expectation> expected = expectations_of(path);
    const auto found = files.find(path.string());
    ASSERT_NE(found, files.end()) << path;
    int variants = 0;
    for (const Expectation& one : expected) {
      variants += one.id == id;
      EXPECT_TRUE(std::any_of(found->second.begin(), found->second.end(),
                              [&](const Finding& finding) { return is_met(one, finding); }))
          << path.filename() << ":" << one.line << ": missed " << one.id << " " << one.severity;
    }
    EXPECT_GE(variants, 2) << path;
    for (const Finding& finding : found->second) {
      if (finding.id != id) continue;
      EXPECT_TRUE(std::any_of(expected.begin(), expected.end(),
                              [&](const Expectation& one) { return is_met(one, finding); }))
          << "not expected: " << shown(finding);
    }
  }
}

TEST(Probes, controls_raise_no_s0) {
  const std::vector<fs::path> paths = probes(kProbes / "controls", "abcdefghijklmnopqrstuvwxyz");
  ASSERT_GE(paths.size(), 5u);
  const ScanResult result = scan_files(paths);
  EXPECT_EQ(result.files.size(), paths.size());
  for (const Finding& finding : result.findings) {
    EXPECT_NE(finding.severity, Severity::s0) << shown(finding) << ": " << finding.message;
  }
}

TEST(Probes, findings_say_what_and_show_their_line) {
  const fs::path path = kProbes / "W03.cu";
  const ScanResult result = scan_files({path});
  ASSERT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) {
    EXPECT_EQ(finding.file, path.string());
    EXPECT_GE(finding.message.size(), 40u);
    EXPECT_THAT(contents(path), HasSubstr(finding.evidence));
    EXPECT_GT(finding.column, 0);
    EXPECT_EQ(hazard(finding.id).id, finding.id);
  }
}

constexpr std::string_view kKernel =
    "__global__ void __launch_bounds__(64) k(int* p, int n) {\n"
    "  if (threadIdx.x >= n) return;\n"
    "  __syncthreads();\n"
    "}\n";

TEST_F(Scan, goes_on_after_errors_of_the_source_and_reports_them) {
  const std::string path = write("broken.cu", "nosuchtype x = 1;\n" + std::string(kKernel) +
                                                  "void f( { }} ] ;\n__device__ void q() {");
  const ScanResult result = scan({.paths = {path}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "S01");
  EXPECT_EQ(result.findings[0].line, 3);
  ASSERT_FALSE(result.parse_errors.empty());
  EXPECT_EQ(result.parse_errors[0].file, path);
  EXPECT_EQ(result.parse_errors[0].line, 1);
  EXPECT_THAT(result.parse_errors[0].text, HasSubstr("nosuchtype"));
}

TEST_F(Scan, reports_unknown_includes_with_their_place_and_takes_them_as_empty) {
  const std::string path =
      write("a.cu", "#include <their/library.h>\n#include \"gone.h\"\n" + std::string(kKernel));
  const ScanResult result = scan({.paths = {path}});
  const std::vector<ScanNote> expected{{path, 1, "their/library.h"}, {path, 2, "gone.h"}};
  EXPECT_EQ(result.unknown_includes, expected);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, 4);
}

TEST_F(Scan, looks_at_a_header_once_through_its_includers_or_on_its_own) {
  write("kernels/shared.cuh", kKernel.data());
  write("kernels/alone.cuh", kKernel.data());
  write("a.cu", "#include \"kernels/shared.cuh\"\n");
  write("b.cu", "#include \"kernels/../kernels/shared.cuh\"\n");
  write("plain.cpp", "int main() { return 0; }\n");
  write("text.txt", kKernel.data());
  const ScanResult result = scan({.paths = {folder_.string()}});
  std::vector<std::string> files;
  for (const Finding& finding : result.findings) files.push_back(finding.file);
  const std::vector<std::string> expected{(folder_ / "kernels/alone.cuh").string(),
                                          (folder_ / "kernels/shared.cuh").string()};
  EXPECT_EQ(files, expected);
  EXPECT_EQ(result.files.size(), 4u);
  EXPECT_THAT(result.unknown_includes, IsEmpty());
}

TEST_F(Scan, passes_include_folders_and_definitions_on) {
  write("include/k.cuh", kKernel.data());
  const std::string path = write("a.cu", "#if WITH == 2\n#include <k.cuh>\n#endif\n");
  const ScanResult result =
      scan({.paths = {path}, .arguments = {"-DWITH=2", "-I" + (folder_ / "include").string()}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].file, (folder_ / "include/k.cuh").string());
}

TEST_F(Scan, calls_files_as_the_user_does) {
  write("a.cu", kKernel.data());
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const ScanResult named = scan({.paths = {"./a.cu"}});
  const ScanResult walked = scan({.paths = {"."}});
  fs::current_path(before);
  ASSERT_EQ(named.findings.size(), 1u);
  EXPECT_EQ(named.findings[0].file, "./a.cu");
  ASSERT_EQ(walked.findings.size(), 1u);
  EXPECT_EQ(walked.findings[0].file, "./a.cu");
}

TEST_F(Scan, skips_what_hip_alone_compiles_and_what_nothing_compiles) {
  const std::string vote = "__device__ int f(int x) { return __any_sync(0xffffffffull, x); }\n";
  const std::string path =
      write("a.cu", "#ifdef __HIP_PLATFORM_AMD__\n" + vote + "#endif\n#if 0\n" + vote +
                        "#endif\n#ifdef NEVER_SET\n" + vote + "#endif\n");
  std::vector<int64_t> lines;
  for (const Finding& finding : scan({.paths = {path}}).findings) {
    if (finding.id == "W05") lines.push_back(finding.line);
  }
  EXPECT_EQ(lines, std::vector<int64_t>{8});
}

TEST_F(Scan, refuses_paths_that_are_not_there_or_hold_nothing) {
  const auto message = [](const std::string& path) {
    const Caught error = caught([&] { scan({.paths = {path}}); });
    const bool is_there = path != "/nonexistent/x.cu";
    EXPECT_EQ(error.kind, is_there ? ErrorKind::bad_input : ErrorKind::not_found);
    return error.message;
  };
  EXPECT_EQ(message("/nonexistent/x.cu"), "\"/nonexistent/x.cu\": no such file or folder");
  EXPECT_THAT(message(folder_.string()), HasSubstr("no CUDA source in the folder; expected *.cu"));
  EXPECT_EQ(message("/dev/null"), "\"/dev/null\": is a device; name a source file, or a folder");
}

TEST_F(Scan, takes_the_odd_file) {
  std::string line = "__global__ void k(int* p) { p[0] = 0";
  for (int i = 0; i < 40000; ++i) line += "+p[" + std::to_string(i) + "]";
  write("long.cu", line + "; }\n" + std::string(kKernel));
  write("empty.cu", "");
  write("zero.cu", std::string("int x;\0\0\n", 9) + std::string(kKernel));
  write("latin.cu", "// \xe4\xf6\xfc \xff\n" + std::string(kKernel));
  write("crlf.cu", "int y;\r\n" + std::string(kKernel));
  write("self.cu", "#include \"self.cu\"\n" + std::string(kKernel));
  write("nested.cu", "__device__ int f(int x) { return " + std::string(3000, '(') + "x" +
                         std::string(3000, ')') + "; }\n" + std::string(kKernel));
  const ScanResult result = scan({.paths = {folder_.string()}});
  std::map<std::string, int64_t> lines;
  for (const Finding& finding : result.findings) {
    if (finding.id == "S01") lines[fs::path(finding.file).filename().string()] = finding.line;
  }
  const std::map<std::string, int64_t> expected{{"crlf.cu", 3},   {"latin.cu", 3}, {"long.cu", 3},
                                                {"nested.cu", 3}, {"self.cu", 3},  {"zero.cu", 3}};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(result.files.size(), 7u);
}

// Deletes, repeats and overwrites pieces of a probe.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  for (int change = 0; change < 6; ++change) {
    const size_t at = below(text.size());
    const size_t length = below(60);
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(below(text.size()), text.substr(at, length * 4));
        break;
      case 2:
        text.insert(at, 1, "(){}[]<>#\"'\\;\0\xff/*"[below(17)]);
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random());
    }
  }
  return text;
}

TEST_F(Scan, survives_damaged_sources) {
  std::mt19937 random(20261130);
  int num = 0;
  for (const fs::path& path : probes(kProbes, "WS")) {
    for (int i = 0; i < 4; ++i) {
      write(fmt::format("{:03}.cu", num++), mutated(contents(path), random));
    }
  }
  const ScanResult result = scan({.paths = {folder_.string()}});
  EXPECT_EQ(result.files.size(), static_cast<size_t>(num));
  EXPECT_GE(result.findings.size(), static_cast<size_t>(num));
  for (const ScanNote& note : result.parse_errors) {
    EXPECT_NE(note.line, 0) << note.file << ": " << note.text;  // clang, or we, gave up
  }
}

TEST_F(Scan, digraphs_are_the_brackets_that_they_stand_for) {
  const std::string text =
      "%:include <cuda_runtime.h>\n__global__ void k(int* x) <%\n"
      "  x<:threadIdx.x:> = __shfl_down_sync(0xffffffffu, x<:0:>, 1);\n%>\n";
  std::string plain = text;
  for (const auto& [digraph, sign] : std::map<std::string, std::string>{
           {"%:", "#"}, {"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}}) {
    for (size_t at = 0; (at = plain.find(digraph, at)) != std::string::npos;)
      plain.replace(at, 2, sign);
  }
  const auto places = [&](const std::string& name, const std::string& source) {
    std::vector<std::pair<std::string, int64_t>> found;
    for (const Finding& one : scan({.paths = {write(name, source)}}).findings) {
      found.emplace_back(one.id, one.line);
    }
    return found;
  };
  const auto expected = places("plain.cu", plain);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(places("digraphs.cu", text), expected);
}

TEST_F(Scan, a_width_that_is_64_for_amd_alone_is_named) {
  const auto text = [](const std::string& wide, const std::string& body) {
    return "#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)\n#define WARP_SIZE " + wide +
           "\n#else\n#define WARP_SIZE 32\n#endif\n__global__ void k(float* x) {\n  " + body +
           "\n}\n";
  };
  const auto at_macro = [&](const std::string& source) {
    std::string seen;
    for (const Finding& one : scan({.paths = {write("a.cu", source)}}).findings) {
      if (one.line == 2) seen += one.id + " " + std::string(name_of(one.severity)) + " ";
    }
    return seen;
  };
  const std::string by_lane = "if (threadIdx.x % 32 == 0) x[threadIdx.x / WARP_SIZE] = 1;";
  EXPECT_EQ(at_macro(text("64", by_lane)), "W07 S0 ");
  EXPECT_EQ(at_macro(text("64", "x[threadIdx.x / WARP_SIZE] = 1;")), "W07 S2 ");
  EXPECT_EQ(at_macro(text("32", by_lane)), "");
}

TEST_F(Scan, a_file_that_grows_without_end_is_read_word_by_word_with_a_note) {
  const std::string path = write("a.cu",
                                 "#if __INCLUDE_LEVEL__ < 150\n#include \"a.cu\"\n"
                                 "#include \"a.cu\"\n#endif\n__global__ void k(int* x) {\n"
                                 "  x[0] = __ballot(1);\n}\n");
  const ScanResult result = scan({.paths = {path}, .max_seconds = 2});
  ASSERT_EQ(result.parse_errors.size(), 1U);
  EXPECT_THAT(result.parse_errors[0].text,
              AllOf(HasSubstr("took longer than 2 s and was ended"),
                    HasSubstr("a source may include itself again and again")));
  EXPECT_FALSE(result.findings.empty());
}

}  // namespace
}  // namespace ambidex
