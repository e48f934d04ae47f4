// SPDX-License-Identifier: Apache-2.0
// What a user may name by mistake, given to every stage of `ambidex port` from the front door: one
// clear error with the exit code of CONTRIBUTING.md, at once, and nothing half done.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "port/process.h"
#include "port/source_file.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kGood = R"(#include <cuda_runtime.h>
__global__ void add(float* x) { x[threadIdx.x] += 1; }
int main() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  add<<<1, 64>>>(x);
  return cudaDeviceSynchronize();
}
)";

ProcessResult ambidex(const std::vector<std::string>& words, double max_seconds = 60) {
  std::vector<std::string> all{AMBIDEX_BINARY_DIR "/ambidex", "port"};
  all.insert(all.end(), words.begin(), words.end());
  return run_process(all, "", max_seconds);
}

// Every stage that takes a source, with `path` as that source.
std::vector<std::vector<std::string>> stages(const std::string& path, const ScratchFolder& out) {
  return {{"scan", path},
          {"translate", path},
          {"compile", path, "-o", out.path("objects")},
          {"verify", path, path},
          {"estimate", path},
          {"run", path, "-o", out.path("port")},
          {"repair", path, "-o", out.path("port")}};
}

void expect_refused(const std::string& path, int exit_code, const std::string& message) {
  const ScratchFolder out;
  for (const auto& words : stages(path, out)) {
    const ProcessResult result = ambidex(words, 20);
    EXPECT_FALSE(result.timed_out) << words[0] << " " << path;
    EXPECT_EQ(result.exit_code, exit_code) << words[0] << ": " << result.err << result.out;
    EXPECT_EQ(result.out, "") << words[0];
    EXPECT_THAT(result.err, HasSubstr(message)) << words[0];
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(out.path("port"))) << words[0];
  }
}

std::string utf16(std::string_view text, bool with_mark) {
  std::string bytes = with_mark ? "\xff\xfe" : "";
  for (const char letter : text) bytes += {letter, '\0'};
  return bytes;
}

TEST(PortSources, what_is_not_there_is_not_found_by_any_stage) {
  const ScratchFolder scratch;
  fs::create_symlink("missing.cu", scratch.path("dangling.cu"));
  expect_refused(scratch.path("none.cu"), 3, "not_found: \"");
  expect_refused(scratch.path("dangling.cu"), 3, "no such file or folder");
}

TEST(PortSources, what_is_no_file_is_not_waited_for) {
  const ScratchFolder scratch;
  ASSERT_EQ(mkfifo(scratch.path("fifo.cu").c_str(), 0600), 0);
  fs::create_symlink("loop.cu", scratch.path("loop.cu"));
  expect_refused(scratch.path("fifo.cu"), 2, "is a FIFO; name a source file");
  expect_refused("/dev/zero", 2, "is a device; name a source file");
  expect_refused(scratch.path("loop.cu"), 2, "its links lead in a circle");
}

TEST(PortSources, what_is_no_text_is_said_to_be_none) {
  const ScratchFolder scratch;
  write_file(scratch.path("marked.cu"), utf16(kGood, true));
  write_file(scratch.path("plain.cu"), utf16(kGood, false));
  write_file(scratch.path("nul.cu"), std::string("int x;\nint \0y;\n", 15));
  expect_refused(scratch.path("marked.cu"), 2, "is UTF-16 text; make it UTF-8: iconv");
  expect_refused(scratch.path("plain.cu"), 2, "line 1 holds a NUL byte");
  expect_refused(scratch.path("nul.cu"), 2, "line 2 holds a NUL byte");
}

TEST(PortSources, what_cannot_be_read_is_named) {
  const ScratchFolder scratch;
  expect_refused("/proc/self/mem", 2, "/proc/self/mem: cannot read: Input/output error");
  write_file(scratch.path("large.cu"), "");
  fs::resize_file(scratch.path("large.cu"), kMaxSourceBytes + 1);
  expect_refused(scratch.path("large.cu"), 2, "larger than 67108864 bytes");
  if (geteuid() == 0) return;  // who may read everything
  write_file(scratch.path("secret.cu"), kGood);
  fs::permissions(scratch.path("secret.cu"), fs::perms::none);
  expect_refused(scratch.path("secret.cu"), 2, "not a file that can be read");
}

TEST(PortSources, a_source_without_a_kernel_is_no_port_that_passes) {
  const ScratchFolder scratch;
  for (const auto& [text, message] :
       {std::pair<const char*, const char*>{"", "no kernel in it"},
        {"int main() { return 0; }\n", "no kernel in it"},
        {"This is a letter.\n", "no kernel in it, so there is nothing to port; clang says: "}}) {
    write_file(scratch.path("a.cu"), text);
    const ProcessResult result = ambidex({"run", scratch.path("a.cu"), "-o", scratch.path("port")});
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(scratch.path("port")));
  }
  write_file(scratch.path("notes.txt"), kGood);
  EXPECT_THAT(ambidex({"run", scratch.path("notes.txt")}).err, HasSubstr("is no .cu source"));
}

TEST(PortSources, a_folder_is_taken_without_what_is_no_source_in_it) {
  const ScratchFolder scratch;
  const std::string tree = scratch.path("tree");
  fs::create_directory(tree);
  write_file(tree + "/a.cu", kGood);
  write_file(tree + "/resource.h", utf16("#define X 1\n", true));
  ASSERT_EQ(mkfifo((tree + "/pipe.cu").c_str(), 0600), 0);
  fs::create_symlink("..", tree + "/up");
  fs::create_symlink("self.cu", tree + "/self.cu");
  const ProcessResult run = ambidex({"run", tree, "-o", scratch.path("port")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("PASS-UNMEASURED  add")) << run.out;
  EXPECT_EQ(read_file(scratch.path("port/original/resource.h"), 100), utf16("#define X 1\n", true));
  // One that is no text is a note of a scan, and an error of what has to be whole.
  write_file(tree + "/b.cu", utf16(kGood, true));
  const ProcessResult scan = ambidex({"scan", tree});
  EXPECT_EQ(scan.exit_code, 0) << scan.err;
  EXPECT_THAT(scan.err, HasSubstr("b.cu: clang: was not looked at: is UTF-16 text"));
  for (const char* stage : {"translate", "run", "estimate"}) {
    const ProcessResult result = ambidex({stage, tree});
    EXPECT_EQ(result.exit_code, 2) << stage;
    EXPECT_THAT(result.err, HasSubstr("b.cu\": is UTF-16 text")) << stage;
  }
  fs::create_directory(scratch.path("empty"));
  EXPECT_THAT(ambidex({"translate", scratch.path("empty")}).err, HasSubstr("no source"));
}

TEST(PortSources, a_name_does_not_reach_the_terminal_as_it_is) {
  const ScratchFolder scratch;
  const std::string name = scratch.path("a\x1b[31m\nfake: b'\"%20 $x;.cu");
  write_file(name, kGood);
  for (const auto& words : stages(name, scratch)) {
    if (words[0] == "repair") continue;  // asks no model here, and is the run before
    const ProcessResult result = ambidex(words);
    const std::string all = result.out + result.err;
    EXPECT_EQ(all.find('\x1b'), std::string::npos) << words[0] << ": " << all;
    EXPECT_EQ(all.find("\nfake"), std::string::npos) << words[0] << ": " << all;
    const bool is_hip = words[0] == "compile" || words[0] == "verify";  // of a CUDA source
    if (is_hip) continue;
    EXPECT_EQ(result.exit_code, 0) << words[0] << ": " << all;
  }
}

TEST(PortSources, code_that_nests_deeply_is_taken) {
  const ScratchFolder scratch;
  std::string sum = "0";
  for (int i = 0; i < 20000; ++i) sum += " + x[0]";
  write_file(scratch.path("deep.cu"),
             "__global__ void k(int* x) { x[1] = " + sum +
                 "; }\n"
                 "int main() { int* x; cudaMalloc(&x, 8); cudaMemset(x, 0, 8); k<<<1, 1>>>(x);\n"
                 "  return cudaDeviceSynchronize(); }\n");
  const ProcessResult scan = ambidex({"scan", scratch.path("deep.cu")});
  EXPECT_EQ(scan.exit_code, 0);
  EXPECT_EQ(scan.err, "");
  const ProcessResult estimate = ambidex({"estimate", scratch.path("deep.cu"), "--device", "h200"});
  EXPECT_EQ(estimate.exit_code, 0) << estimate.err << estimate.out;
}

TEST(PortSources, an_instantiation_that_is_none_is_blamed_itself) {
  const ScratchFolder scratch;
  write_file(scratch.path("a.hip"),
             "#include <hip/hip_runtime.h>\n"
             "template <class T> __global__ void scale(T* x) { x[0] *= 2; }\n");
  const auto compile = [&](const std::string& words) {
    return ambidex({"compile", scratch.path("a.hip"), "-o", scratch.path("objects"), "--arch",
                    "gfx942", "--instantiate", words});
  };
  EXPECT_EQ(compile("scale<float>").exit_code, 0);
  const ProcessResult broken = compile("scale<");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.out, StartsWith("--instantiate scale<:1:")) << broken.out;
  EXPECT_THAT(compile("scale<int>); int evil = (1;").err,
              HasSubstr("expected a kernel with its template arguments"));
}

// Another header comes first on the path; modules of another port, or none, lie in the folder.
TEST(PortSources, a_work_folder_of_an_earlier_run_vouches_for_nothing) {
  const ScratchFolder scratch;
  for (const char* folder : {"x", "y"}) fs::create_directory(scratch.path(folder));
  std::string text = kGood;
  text.replace(text.find("+= 1"), 4, "STEP");
  write_file(scratch.path("a.cu"), "#include \"step.h\"\n" + text);
  for (size_t at = 0; (at = text.find("cuda", at)) != std::string::npos;)
    text.replace(at, 4, "hip");
  text.replace(text.find("hip_runtime.h"), 13, "hip/hip_runtime.h");
  write_file(scratch.path("a.hip"), "#include \"step.h\"\n" + text);
  write_file(scratch.path("y/step.h"), "#define STEP += 1\n");
  const auto verify = [&] {
    return ambidex({"verify", scratch.path("a.cu"), scratch.path("a.hip"), "-I", scratch.path("x"),
                    "-I", scratch.path("y"), "--work", scratch.path("work")});
  };
  const ProcessResult first = verify();
  EXPECT_EQ(first.exit_code, 0) << first.err << first.out;
  write_file(scratch.path("x/step.h"),
             "#ifdef __HIP__\n#define STEP += 2\n#else\n#define STEP += 1\n#endif\n");
  const ProcessResult wrong = verify();
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err << wrong.out;
  fs::remove(scratch.path("x/step.h"));
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path("work"))) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  const ProcessResult cut = verify();
  EXPECT_EQ(cut.exit_code, 0) << cut.err << cut.out;
}

}  // namespace
}  // namespace ambidex
