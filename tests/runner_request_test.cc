// SPDX-License-Identifier: Apache-2.0
// Requests that ambidex-simt and ambidex-clang module refuse, and the words they do it with.
#include <elf.h>

#include <cstring>

#include "port/frontend.h"
#include "port/sha256.h"
#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

std::string refusal(ErrorKind kind, nlohmann::json request) {
  if (!request.contains("module")) request["module"] = "none.so";
  return error_text(kind, [&] { run_module(request, 5); });
}

TEST(RunnerRequest, options_out_of_range_are_named) {
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"wave_width", 48}}),
              HasSubstr("wave_width: expected 32 or 64, got 48"));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"workers", 0}}),
              HasSubstr("workers: expected a number from 1 to 256, got 0"));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"seed", "one"}}),
              HasSubstr("seed: expected a number, got \"one\""));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"convergence", "lock"}}),
              HasSubstr("no convergence \"lock\"; nearest: "));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"mode", 3}}), HasSubstr("mode: expected a word"));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"program", {{"record", "contents"}}}}),
              HasSubstr("folder: expected where to write contents of buffers"));
  EXPECT_THAT(refusal(ErrorKind::not_found, {{"module", "/nonexistent.so"}}),
              HasSubstr("/nonexistent.so"));
}

TEST(RunnerRequest, launches_that_make_no_sense_are_named) {
  const auto refused = [](nlohmann::json launch) {
    launch["kernel"] = "k";
    return refusal(ErrorKind::bad_input,
                   {{"mode", "launch"}, {"folder", "out"}, {"launch", std::move(launch)}});
  };
  EXPECT_THAT(refused({{"grid", {1, 2}}}), HasSubstr("grid: expected three numbers, got [1,2]"));
  EXPECT_THAT(refused({{"block", {1, 2, -3}}}),
              HasSubstr("block: expected three numbers below 2^32"));
  EXPECT_THAT(refused({{"arguments", {{{"hex", "0"}}}}}),
              HasSubstr("hex: expected hexadecimal digits, two a byte"));
  EXPECT_THAT(refused({{"arguments", {{{"hex", "zz"}}}}}),
              HasSubstr("hex: expected hexadecimal digits, two a byte"));
  EXPECT_THAT(refused({{"arguments", {{{"f16", 1}}}}}),
              HasSubstr("expected an object with buffer, hex, f32, f64, i32 or i64"));
  EXPECT_THAT(refused({{"arguments", {{{"buffer", 1}}}}}), HasSubstr("buffer: expected a number"));
  ScratchFolder folder;
  write_file(folder.path("in.bin"), "12345");
  EXPECT_THAT(refused({{"buffers", {{{"bytes", 4}, {"file", folder.path("in.bin")}}}}}),
              HasSubstr("in.bin: 5 bytes do not fit into the 4 of buffer buffer"));
}

// A header alone, with what makes it no module.
std::string header(uint16_t machine, uint16_t type) {
  Elf64_Ehdr elf{};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_ident[EI_CLASS] = ELFCLASS64;
  elf.e_machine = machine;
  elf.e_type = type;
  elf.e_phentsize = sizeof(Elf64_Phdr);
  elf.e_phnum = 1;
  elf.e_phoff = sizeof elf;
  return {reinterpret_cast<const char*>(&elf), sizeof elf};
}

TEST(RunnerRequest, files_that_are_no_modules_are_refused) {
  ScratchFolder folder;
  const std::string path = folder.path("x.so");
  write_file(path, header(EM_AARCH64, ET_DYN));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"module", path}}),
              HasSubstr("not a shared object for x86-64"));
  write_file(path, header(EM_X86_64, ET_DYN));
  EXPECT_THAT(refusal(ErrorKind::bad_input, {{"module", path}}),
              HasSubstr("cut short at byte 64; build it again"));
}

TEST(RunnerRequest, an_unknown_function_of_the_runtime_is_named) {
  TestProgram program(
      "extern \"C\" int cudaFlyToTheMoon();\nint main() { return "
      "cudaFlyToTheMoon(); }\n");
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.run(); }),
              HasSubstr("undefined symbol: cudaFlyToTheMoon; if it is a function of CUDA's"));
}

TEST(RunnerRequest, a_program_without_main_and_functions_that_are_not_there) {
  TestProgram program("extern \"C\" int seven() { return 7; }\n");
  EXPECT_THAT(error_text(ErrorKind::not_found, [&] { program.run(); }),
              HasSubstr("the module has no main"));
  EXPECT_THAT(error_text(ErrorKind::not_found,
                         [&] {
                           program.run({{"program", {{"function", "eight"}}}});
                         }),
              HasSubstr("the module has no host function \"eight\""));
  EXPECT_EQ(program.run({{"program", {{"function", "seven"}}}})["exit_code"], 7);
}

TEST(RunnerRequest, modules_are_asked_for_in_words_that_are_known) {
  EXPECT_THAT(
      error_text(
          ErrorKind::bad_input,
          [] {
            ask_frontend("module", {{"files", {"a.cu"}}, {"dialect", "sycl"}, {"output", "a.so"}});
          }),
      HasSubstr("dialect: expected cuda or hip, got \"sycl\""));
  EXPECT_THAT(error_text(ErrorKind::bad_input,
                         [] {
                           ask_frontend("module", {{"files", nlohmann::json::array()},
                                                   {"dialect", "cuda"},
                                                   {"output", "a.so"}});
                         }),
              HasSubstr("files: expected at least one"));
  ScratchFolder folder;
  EXPECT_THAT(
      error_text(ErrorKind::not_found,
                 [&] { build_module({.files = {"gone.cu"}, .folder = folder.path("cache")}); }),
      HasSubstr("gone.cu: no such file"));
}

// Examples of FIPS 180-4 and of the standard's test vectors.
TEST(RunnerRequest, sha256_is_that_of_the_standard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace ambidex
