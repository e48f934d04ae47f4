// SPDX-License-Identifier: Apache-2.0
// The evidence of a port: it comes out again, and what was touched is noticed.
#include "port/bundle.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"
#include "caught.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProgram = R"(
#include <cstdio>
#include <cuda_runtime.h>

__global__ void last_of_warp(const int* x, int* y) {
  y[threadIdx.x] = __shfl_sync(0xffffffffu, x[threadIdx.x], 31);
}

int main() {
  int *x, *y, host[64];
  for (int i = 0; i < 64; ++i) host[i] = i * i;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&y, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  last_of_warp<<<1, 64>>>(x, y);
  cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[0], host[63]);
  return 0;
}
)";

// A port in a folder of its own. One run serves all tests: it takes seconds.
class Bundle : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchFolder;
    write_file(scratch_->path() + "/last.cu", kProgram);
    const PortRun run =
        run_port({.path = scratch_->path() + "/last.cu", .folder = folder(), .arguments = {}});
    ASSERT_EQ(run.kernels.size(), 1U);
    EXPECT_EQ(run.kernels[0].verdict, PortVerdict::pass_unmeasured) << run.kernels[0].reason;
  }
  static void TearDownTestSuite() { delete scratch_; }

  static std::string folder() { return scratch_->path() + "/port"; }
  static std::string message_of_check() {
    return caught([] { check_bundle(folder(), scratch_->path() + "/again", 1, false); }).message;
  }

  static ScratchFolder* scratch_;
};
ScratchFolder* Bundle::scratch_ = nullptr;

TEST_F(Bundle, everything_comes_out_again_elsewhere_from_the_original_alone) {
  const BundleCheck check = check_bundle(folder(), scratch_->path() + "/again", 1, false);
  EXPECT_THAT(check.differences, ElementsAre());
  EXPECT_GT(check.num_files, 12);
  EXPECT_EQ(check.run.count(PortVerdict::pass_unmeasured), 1);
}

TEST_F(Bundle, no_file_names_a_folder_of_the_machine) {
  for (const auto& entry : fs::recursive_directory_iterator(folder())) {
    const std::string name = entry.path().lexically_relative(folder()).string();
    if (!entry.is_regular_file() || name.starts_with("work/")) continue;
    EXPECT_EQ(read_file(entry.path().string(), 1 << 24).find(scratch_->path()), std::string::npos)
        << name;
  }
}

TEST_F(Bundle, a_file_that_was_touched_is_named) {
  const std::string port = folder() + "/hip/last.hip", text = read_file(port, 1 << 20);
  write_file(port, text + " ");
  EXPECT_THAT(message_of_check(), HasSubstr("last.hip\": was changed since the bundle was made"));
  write_file(port, text);
  fs::rename(folder() + "/port.patch", scratch_->path() + "/port.patch");
  EXPECT_THAT(message_of_check(), HasSubstr("port.patch\": is gone since the bundle was made"));
  fs::rename(scratch_->path() + "/port.patch", folder() + "/port.patch");
  write_file(folder() + "/objects/other.co", "x");
  EXPECT_THAT(message_of_check(), HasSubstr("other.co\": is not in the manifest"));
  fs::remove(folder() + "/objects/other.co");
}

TEST_F(Bundle, links_and_what_is_no_file_are_noticed) {
  const std::string link = folder() + "/hip/more.hip", port = folder() + "/hip/last.hip";
  fs::create_symlink("/etc/hostname", link);
  EXPECT_THAT(message_of_check(), HasSubstr("more.hip\": is not in the manifest"));
  fs::remove(link);
  ASSERT_EQ(mkfifo(link.c_str(), 0600), 0);
  EXPECT_THAT(message_of_check(), HasSubstr("more.hip\": is not in the manifest"));
  fs::remove(link);
  fs::rename(port, scratch_->path("last.hip"));
  fs::create_symlink(scratch_->path("last.hip"), port);  // the same bytes, outside
  EXPECT_THAT(message_of_check(), HasSubstr("last.hip\": was changed since the bundle was made"));
  fs::remove(port);
  fs::rename(scratch_->path("last.hip"), port);
}

TEST_F(Bundle, a_port_that_was_edited_is_not_lost_to_another_run) {
  const std::string port = folder() + "/hip/last.hip", text = read_file(port, 1 << 20);
  const auto run_again = [] {
    return caught([] {
             run_port({.path = scratch_->path() + "/last.cu", .folder = folder(), .arguments = {}});
           })
        .message;
  };
  write_file(port, text + "// mine\n");
  EXPECT_THAT(run_again(), HasSubstr("changed since it was written: \"hip/last.hip\"; move"));
  EXPECT_EQ(read_file(port, 1 << 20), text + "// mine\n");
  write_file(port, text);
  write_file(folder() + "/hip/mine.h", "");
  EXPECT_THAT(run_again(), HasSubstr("\"hip/mine.h\""));
  fs::remove(folder() + "/hip/mine.h");
}

// Every byte of the manifest counts: a damaged one is refused, or something comes out differently.
TEST_F(Bundle, a_damaged_manifest_is_never_good) {
  const std::string path = folder() + "/bundle.json", text = read_file(path, 1 << 20);
  const auto bundle = nlohmann::ordered_json::parse(text);
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  std::vector<std::string> damaged{text.substr(0, text.size() / 2), deep,
                                   "{\"made_by\": " + deep + "}", text + "x",
                                   std::string("\xff\xfe") + text};
  for (const auto& [key, value] : bundle.items()) {
    for (const auto& odd : {nlohmann::ordered_json(), nlohmann::ordered_json(-1),
                            nlohmann::ordered_json{{"a", 1}}, nlohmann::ordered_json{{1}}}) {
      if (key == "kernels" && odd.is_array()) continue;  // of verdicts, as the next test has it
      auto other = bundle;
      other[key] = odd;
      damaged.push_back(other.dump());
    }
    auto without = bundle;
    without.erase(key);
    damaged.push_back(without.dump());
  }
  for (const char* name : {"../port.patch", "/etc/hostname", "hip/../port.patch", ""}) {
    auto other = bundle;
    other["files"][name] = bundle["files"]["port.patch"];
    damaged.push_back(other.dump());
  }
  for (const std::string& manifest : damaged) {
    write_file(path, manifest);
    const std::string again = scratch_->path() + "/damaged";
    const Caught error = caught([&] { check_bundle(folder(), again, 1, false); });
    EXPECT_EQ(error.kind, ErrorKind::bad_input) << manifest.substr(0, 300);
    EXPECT_FALSE(fs::exists(again)) << manifest.substr(0, 300);
  }
  write_file(path, text);
}

// A manifest that claims more than comes out: hashes that fit, and a verdict that does not.
TEST_F(Bundle, a_verdict_that_was_embellished_does_not_come_out) {
  const std::string path = folder() + "/bundle.json", text = read_file(path, 1 << 20);
  auto bundle = nlohmann::ordered_json::parse(text);
  bundle["kernels"][0]["num_cases"] = 1000;
  write_file(path, bundle.dump());
  const BundleCheck check = check_bundle(folder(), scratch_->path() + "/again", 1, false);
  EXPECT_THAT(check.differences, ElementsAre("the verdicts came out differently"));
  write_file(path, text);
}

TEST_F(Bundle, a_manifest_that_is_none_is_refused) {
  const std::string path = folder() + "/bundle.json", text = read_file(path, 1 << 20);
  for (const char* odd : {"", "{", "[]", "null", "{\"made_by\": 3}", "{\"made_by\": \"me\"}",
                          "{\"made_by\": \"ambidex port run\"}"}) {
    write_file(path, odd);
    EXPECT_THAT(message_of_check(), HasSubstr("make it with `ambidex port run`")) << odd;
  }
  auto bundle = nlohmann::ordered_json::parse(text);
  bundle["source"] = "../../last.cu";
  write_file(path, bundle.dump());
  EXPECT_THAT(message_of_check(), HasSubstr("\"source\" is not a name in original/"));
  bundle["version"] = "0.0.1";
  write_file(path, bundle.dump());
  EXPECT_THAT(message_of_check(), HasSubstr("made by ambidex \"0.0.1\""));
  fs::remove(path);
  EXPECT_EQ(caught([] { check_bundle(folder(), scratch_->path() + "/again", 1, false); }).kind,
            ErrorKind::not_found);
  write_file(path, text);
}

}  // namespace
}  // namespace ambidex
