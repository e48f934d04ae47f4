// SPDX-License-Identifier: Apache-2.0
// What goes wrong in loaded code: found, at its line, and held to the sandbox.
#include <set>

#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

// The first problem, which is expected to be of `kind` and at the line of `// HERE`.
nlohmann::json only_problem(const std::string& source, const std::string& kind,
                            nlohmann::json request = nlohmann::json::object()) {
  TestProgram program(source);
  const nlohmann::json answer = program.run(std::move(request));
  EXPECT_GE(answer["problems"].size(), 1) << answer.dump(1);
  if (answer["problems"].empty()) return nullptr;
  nlohmann::json problem = answer["problems"][0];
  problem["status"] = answer["status"];
  EXPECT_EQ(problem["kind"], kind) << problems_of(answer);
  if (source.find("// HERE") != std::string::npos) {
    EXPECT_EQ(problem["line"], line_of(source, "// HERE")) << problems_of(answer);
    EXPECT_EQ(problem["file"], program.asked.files[0]);
  }
  return problem;
}

TEST(RunnerProblems, a_write_behind_a_buffer_is_found_at_its_line) {
  const nlohmann::json problem = only_problem(R"(
__global__ void fill(int* out) {
  int i = threadIdx.x;
  out[i] = i;  // HERE
}
int main() {
  int* out;
  cudaMalloc(&out, 60 * 4);
  fill<<<1, 64>>>(out);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;
}
)",
                                              "out_of_bounds");
  EXPECT_EQ(problem["kernel"], "fill(int*)");
  EXPECT_EQ(problem["thread"], nlohmann::json({60, 0, 0}));
}

TEST(RunnerProblems, memory_that_was_freed_is_not_touched_unseen) {
  only_problem(R"(
__global__ void fill(int* out) {
  out[threadIdx.x] = 1;  // HERE
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * 4);
  cudaFree(out);
  fill<<<1, 32>>>(out);
}
)",
               "out_of_bounds");
}

TEST(RunnerProblems, a_race_in_shared_memory_names_both_lines) {
  const std::string source = R"(
__global__ void race(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;  // FIRST
  out[threadIdx.x] = tile[63 - threadIdx.x];  // HERE
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * 4);
  race<<<1, 64>>>(out);
}
)";
  TestProgram program(source);
  const nlohmann::json answer = program.run();
  std::set<int64_t> lines;  // of the first race: which of its accesses comes first may differ
  for (const nlohmann::json& problem : answer["problems"]) {
    if (problem["kind"] != "shared_race" || !lines.empty()) continue;
    lines = {problem["line"], problem["other_line"]};
  }
  const std::set<int64_t> expected{line_of(source, "// FIRST"), line_of(source, "// HERE")};
  EXPECT_EQ(lines, expected) << problems_of(answer);
}

TEST(RunnerProblems, a_crash_in_a_kernel_names_the_kernel) {
  const nlohmann::json problem = only_problem(R"(
__global__ void deep(int* out, int n) {
  volatile char local[1 << 20];
  for (int i = 0; i < n; i += 4096) local[(1 << 20) - 1 - i] = i;
  *out = local[threadIdx.x];
}
int main() {
  int* out;
  cudaMalloc(&out, 4);
  deep<<<1, 1>>>(out, 1 << 20);
}
)",
                                              "crash", {{"checked", false}});
  EXPECT_EQ(problem["status"], "crash");
  EXPECT_EQ(problem["kernel"], "deep(int*, int)");
  EXPECT_THAT(problem["message"].get<std::string>(),
              HasSubstr("the kernel crashed: its stack is full"));
}

TEST(RunnerProblems, a_crash_on_the_host_is_told_with_its_line) {
  const nlohmann::json problem = only_problem(R"(
int* volatile nowhere = nullptr;
int main() {
  return *nowhere;  // HERE
}
)",
                                              "crash");
  EXPECT_THAT(problem["message"].get<std::string>(), HasSubstr("the host's code crashed"));
}

TEST(RunnerProblems, a_recursion_without_end_is_told_as_one_at_its_line) {
  const std::string on_device = R"(
__device__ int deeper(int n) {
  volatile int big[100]; big[n % 100] = n; return n < 0 ? 0 : deeper(n + 1) + big[n % 7];  // HERE
}
__global__ void k(int* x) { x[0] = deeper(1); }
int main() {
  int* x;
  cudaMalloc(&x, 4);
  k<<<1, 1>>>(x);
  return cudaDeviceSynchronize();
}
)";
  std::string on_host = on_device;
  on_host.replace(on_host.find("__device__"), 10, "");
  on_host.replace(on_host.find("= deeper(1)"), 11, "= 1");
  on_host.replace(on_host.find("return cudaD"), 7, "return deeper(1) +");
  for (const std::string& source : {on_device, on_host}) {
    const nlohmann::json problem = only_problem(source, "crash");
    EXPECT_THAT(problem["message"].get<std::string>(), HasSubstr("its stack is full: a recursion"));
  }
}

TEST(RunnerProblems, endless_code_ends_at_the_deadline) {
  const nlohmann::json host = only_problem("int main() { for (volatile int i = 0;; i = 1) {} }",
                                           "deadline", {{"max_seconds", 0.3}});
  EXPECT_EQ(host["status"], "deadline");
  EXPECT_NE(host.dump().find("longer than its 0.3 s"), std::string::npos) << host.dump();
  const nlohmann::json kernel = only_problem(R"(
__global__ void endless(int* out) {
  for (int i = 0;; ++i) out[i & 1] = i;
}
int main() {
  int* out;
  cudaMalloc(&out, 8);
  endless<<<1, 1>>>(out);
}
)",
                                             "deadline", {{"max_seconds", 0.5}});
  EXPECT_EQ(kernel["kernel"], "endless(int*)");
}

// What a program tries, and the system call that ends it.
void expect_forbidden(const std::string& body, const std::string& call) {
  TestProgram program(
      "#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n#include <sys/mman.h>\n"
      "#include <sys/socket.h>\n#include <unistd.h>\n"
      "int main() {\n" +
      body + "\nputs(\"done\"); }\n");
  const nlohmann::json answer = program.run();
  EXPECT_EQ(answer["status"], "sandbox") << answer.dump(1);
  EXPECT_THAT(answer["problems"][0]["message"].get<std::string>(), HasSubstr("called " + call));
  EXPECT_THAT(answer["stdout"].get<std::string>(), Not(HasSubstr("done")));
}

TEST(RunnerSandbox, files_sockets_programs_and_processes_are_out_of_reach) {
  expect_forbidden("open(\"/etc/passwd\", O_RDONLY);", "openat");
  expect_forbidden("fopen(\"stolen\", \"w\");", "openat");
  expect_forbidden("socket(AF_INET, SOCK_STREAM, 0);", "socket");
  expect_forbidden("execl(\"/bin/true\", \"true\", nullptr);", "execve");
  expect_forbidden("fork();", "clone");
  expect_forbidden("kill(1, 0);", "kill");
  expect_forbidden("unlink(\"anything\");", "unlink");
}

// The C library makes these calls with all signals blocked.
TEST(RunnerSandbox, the_call_that_starts_another_program_is_named) {
  TestProgram program(R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <unistd.h>
int main(int, char** argv) {
  if (!strcmp(argv[1], "system")) return system("true");
  if (!strcmp(argv[1], "popen")) return popen("true", "r") == nullptr;
  if (!strcmp(argv[1], "posix_spawnp")) {
    return posix_spawnp(nullptr, "true", nullptr, nullptr, argv, nullptr);
  }
  return chdir("/");
}
)");
  for (const std::string call : {"system", "popen", "posix_spawnp", "chdir"}) {
    const auto answer = program.run({{"program", {{"arguments", {call}}}}});
    EXPECT_EQ(answer["status"], "sandbox") << answer.dump(1);
    EXPECT_EQ(answer["problems"][0]["message"],
              "the program called " + call + ", which it may not");
  }
}

TEST(RunnerSandbox, no_code_is_made_at_run_time) {
  TestProgram program(R"(
#include <stdio.h>
#include <sys/mman.h>
int main() {
  mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  puts("done");
}
)");
  EXPECT_EQ(program.run()["status"], "sandbox");
}

TEST(RunnerSandbox, constructors_run_inside) {
  TestProgram program(R"(
#include <fcntl.h>
#include <stdio.h>
__attribute__((constructor)) void early() { open("/etc/passwd", O_RDONLY); }
int main() { puts("done"); }
)");
  const nlohmann::json answer = program.run();
  EXPECT_EQ(answer["status"], "sandbox") << answer.dump(1);
}

TEST(RunnerSandbox, a_module_that_would_run_code_when_it_is_loaded_is_refused) {
  TestProgram array(R"(
void early() {}
__attribute__((section(".init_array"), used)) void (*entry)() = early;
int main() {}
)");
  EXPECT_THAT(error_text(ErrorKind::unsupported, [&] { array.run(); }),
              HasSubstr("it has a constructor that runs when it is loaded, and that would happen "
                        "outside of the sandbox"));
  TestProgram assembly(R"(
asm(".pushsection .init_array,\"aw\"\n.quad early\n.popsection");
extern "C" void early() {}
int main() {}
)");
  EXPECT_THAT(error_text(ErrorKind::unsupported, [&] { assembly.run(); }),
              HasSubstr("it has a constructor that runs when it is loaded"));
}

TEST(RunnerSandbox, what_is_no_module_is_refused) {
  ScratchFolder folder;
  write_file(folder.path("text.so"), "hello");
  EXPECT_THAT(error_text(ErrorKind::bad_input,
                         [&] {
                           run_module({{"module", folder.path("text.so")}}, 5);
                         }),
              HasSubstr("text.so: not a shared object; build one with ambidex-clang module"));
  EXPECT_THAT(error_text(ErrorKind::bad_input,
                         [&] {
                           run_module({{"module", folder.path("text.so")}, {"sandbox", false}}, 5);
                         }),
              HasSubstr("sandbox: false needs trusted: true"));
}

TEST(RunnerSandbox, code_that_is_trusted_may_run_without) {
  TestProgram program(R"(
#include <fcntl.h>
#include <stdio.h>
int main() { puts(open("/dev/null", O_RDONLY) >= 0 ? "open" : "closed"); }
)");
  const nlohmann::json answer = program.run({{"trusted", true}, {"sandbox", false}});
  EXPECT_EQ(answer["stdout"], "open\n") << answer.dump(1);
}

}  // namespace
}  // namespace ambidex
