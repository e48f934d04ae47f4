// SPDX-License-Identifier: Apache-2.0
// What is in the folder of a port belongs to the run that made it, or to the user: no run removes
// what it cannot tell to be the former.
#include "port/port_folder.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "caught.h"
#include "port/sha256.h"
#include "port/source_file.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class PortFolders : public testing::Test {
 protected:
  PortFolders() { write_file(scratch_.path("a.cu"), "__global__ void k() {}\n"); }

  std::string folder() const { return scratch_.path("out"); }
  std::string file(const std::string& name) const { return folder() + "/" + name; }
  PortRunOptions options() const {
    return {.path = scratch_.path("a.cu"), .folder = folder(), .arguments = {}};
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(file(name)).parent_path());
    write_file(file(name), text);
  }
  // A run that is killed after it has noted what it made, and made `more`.
  void run_and_be_killed(const std::vector<std::string>& more = {}) const {
    const pid_t child = fork();
    if (child == 0) {
      PortFolder made(options());
      put("original/a.cu", "cuda");
      put("hip/a.hip", "hip");
      made.note();
      for (const std::string& name : more) put(name, "more");
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  // A run that has come to its end, with a bundle.json of those files.
  void finish(const std::vector<std::string>& names) const {
    nlohmann::json files = nlohmann::json::object();
    PortFolder made(options());
    for (const std::string& name : names) {
      put(name, "text of " + name);
      files[name] = sha256("text of " + name);
    }
    put("bundle.json", nlohmann::json{{"files", files}}.dump());
    made.finish();
  }
  std::string next_run() const {
    return caught([&] { const PortFolder next(options()); }).message;
  }

  ScratchFolder scratch_;
};

TEST_F(PortFolders, what_a_killed_run_has_left_is_cleared_by_the_next) {
  run_and_be_killed({"objects/a-gfx942.co", "work/a/x.so", "hip.part-7/a.hip"});
  EXPECT_EQ(next_run(), "no error");
  EXPECT_TRUE(fs::is_empty(folder())) << fs::directory_iterator(folder())->path();
}

TEST_F(PortFolders, edits_after_a_killed_run_are_kept) {
  for (const char* name :
       {"hip/a.hip", "hip/new.txt", "original/a.cu", "original/new.cuh", "patches/mine.patch",
        "native/n.hip", "contracts/a/k.json", "repair-1.patch", "transcript.jsonl"}) {
    fs::remove_all(folder());
    run_and_be_killed();
    put(name, "mine");
    EXPECT_THAT(next_run(), AllOf(HasSubstr("changed since it was written"), HasSubstr(name)));
    EXPECT_EQ(read_file(file(name), 100), "mine");
    EXPECT_EQ(read_file(file("original/a.cu"), 100).empty(), false);
  }
}

TEST_F(PortFolders, edits_of_any_part_of_a_finished_port_are_kept) {
  const std::vector<std::string> names{"original/a.cu", "hip/a.hip",   "contracts/a/k.json",
                                       "REPORT.md",     "port.patch",  "patches/0001-x.patch",
                                       "native/a.hip",  "objects/a.co"};
  for (const std::string& name : names) {
    fs::remove_all(folder());
    finish(names);
    const std::string text = read_file(file(name), 100);
    put(name, text + "mine");
    EXPECT_THAT(next_run(), HasSubstr(name));
    EXPECT_EQ(read_file(file(name), 100), text + "mine");
    put(name, text);
    const std::string added = fs::path(name).has_parent_path() ? name + ".orig" : "patches/more";
    put(added, "mine");
    EXPECT_THAT(next_run(), HasSubstr(added));
    fs::remove(file(added));
    EXPECT_EQ(next_run(), "no error");
  }
}

TEST_F(PortFolders, a_port_that_nothing_vouches_for_is_kept) {
  for (const char* record : {"", "{", "[]", "{\"files\": 3}", "{\"files\": {}}"}) {
    fs::remove_all(folder());
    finish({"hip/a.hip"});
    put("bundle.json", record);
    EXPECT_THAT(next_run(), HasSubstr("hip/a.hip")) << record;
    fs::remove(file("bundle.json"));
    EXPECT_THAT(next_run(), HasSubstr("hip/a.hip")) << record;
    EXPECT_TRUE(fs::exists(file("hip/a.hip"))) << record;
  }
}

TEST_F(PortFolders, what_no_run_makes_stays) {
  finish({"hip/a.hip"});
  put("notes.txt", "mine");
  put("build/CMakeCache.txt", "mine");
  EXPECT_EQ(next_run(), "no error");
  EXPECT_FALSE(fs::exists(file("hip")));
  EXPECT_EQ(read_file(file("notes.txt"), 100), "mine");
  EXPECT_EQ(read_file(file("build/CMakeCache.txt"), 100), "mine");
}

TEST_F(PortFolders, a_run_that_fails_leaves_nothing) {
  for (const bool notes : {false, true}) {
    try {
      PortFolder made(options());
      put("original/a.cu", "cuda");
      if (notes) made.note();
      throw Error(ErrorKind::bad_input, "no kernel in it");
    } catch (const Error&) {
    }
    EXPECT_FALSE(fs::exists(folder())) << notes;
  }
  fs::create_directory(folder());
  EXPECT_EQ(next_run(), "no error");
  EXPECT_TRUE(fs::exists(folder()));
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(PortFolders, a_run_that_fails_leaves_what_was_edited_meanwhile) {
  try {
    PortFolder made(options());
    put("hip/a.hip", "hip");
    made.note();
    put("hip/a.hip", "mine");
    throw Error(ErrorKind::bad_input, "no sandbox");
  } catch (const Error&) {
  }
  EXPECT_EQ(read_file(file("hip/a.hip"), 100), "mine");
}

TEST_F(PortFolders, a_port_is_not_made_within_another) {
  finish({"hip/a.hip"});
  PortRunOptions inner = options();
  inner.folder = file("work/more");
  EXPECT_THAT(caught([&] { const PortFolder next(inner); }).message,
              HasSubstr("is within the port in"));
}

TEST_F(PortFolders, two_runs_do_not_work_in_one_folder) {
  const PortFolder first(options());
  put("original/a.cu", "cuda");
  EXPECT_THAT(next_run(), HasSubstr("another run works in this folder; wait for it, or name"));
  EXPECT_TRUE(fs::exists(file("original/a.cu")));
}

TEST_F(PortFolders, walks_through_sources_leave_ports_alone) {
  finish({"hip/a.hip"});
  write_file(scratch_.path("b.h"), "");
  copy_sources(scratch_.path(), scratch_.path() + "-copy");
  const fs::path copy = scratch_.path() + "-copy";
  EXPECT_TRUE(fs::exists(copy / "b.h"));
  EXPECT_FALSE(fs::exists(copy / "out"));
  fs::remove_all(copy);
}

}  // namespace
}  // namespace ambidex
