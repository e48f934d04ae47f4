// SPDX-License-Identifier: Apache-2.0
// Files and checkpoints that are there whole or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "scratch.h"
#include "train/files.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Files of this process end at `num_bytes` while the object lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t num_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{num_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

void save(const std::string& folder, int64_t step, const std::string& text) {
  FolderDraft draft(checkpoint_folder(folder, step));
  write_file(draft.file("weights"), text);
  draft.commit();
}

std::string saved(const std::string& folder, int64_t step) {
  return text_of_file(checkpoint_folder(folder, step) + "/weights");
}

TEST(FileWriter, writes_from_front_to_back_or_behind_what_is_there) {
  const ScratchFolder folder;
  const std::string path = folder.path("a");
  FileWriter first(path);
  first.write("one ");
  first.write("two", 3);
  first.close();
  FileWriter(path, FileWriter::Mode::append).write(" three");
  EXPECT_EQ(text_of_file(path), "one two three");
  FileWriter moved = FileWriter(path);
  moved.write("new");
  first = std::move(moved);
  first.write("er");
  EXPECT_EQ(text_of_file(path), "newer");
}

TEST(FileWriter, every_refusal_names_the_file_and_the_remedy) {
  const ScratchFolder folder;
  const auto error_of = [](const std::string& path, const std::string& text) {
    return error_text(ErrorKind::bad_input, [&] { FileWriter(path).write(text); });
  };
  EXPECT_THAT(error_of("/dev/full", "a"),
              HasSubstr("/dev/full: cannot write: No space left on device; free some space, or "
                        "name a place on another disk"));
  EXPECT_THAT(error_of(folder.path("no/a"), "a"),
              HasSubstr("no/a: cannot write: No such file or directory; name a file in a folder "
                        "that exists and that you may write to"));
  EXPECT_THAT(error_of(folder.path(), "a"), HasSubstr("cannot write: Is a directory"));
  const FileSizeLimit limit(10);
  EXPECT_THAT(error_of(folder.path("a"), std::string(11, 'a')),
              HasSubstr("a: cannot write: File too large; raise the limit on file sizes"));
}

TEST(FileWriter, other_errors_have_remedies_too) {
  const auto text_of = [](int error) {
    return error_text(ErrorKind::bad_input, [&] { fail_file("a", "write", error); });
  };
  EXPECT_THAT(text_of(EIO), HasSubstr("; check the disk that it is on"));
  EXPECT_THAT(text_of(EDQUOT), HasSubstr("; free some space, or name"));
  EXPECT_THAT(text_of(EMFILE), HasSubstr("; raise the limit on open files (ulimit -n)"));
}

TEST(WriteFile, the_file_is_the_old_or_the_new_one) {
  const ScratchFolder folder;
  const std::string path = folder.path("a");
  write_file(path, "old");
  write_file(path, "newer");
  EXPECT_EQ(text_of_file(path), "newer");
  {
    const FileSizeLimit limit(10);
    EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { write_file(path, std::string(11, 'a')); }),
                HasSubstr("/a: cannot write: File too large"));
  }
  EXPECT_EQ(text_of_file(path), "newer");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(WriteFile, a_draft_that_cannot_be_made_is_named_by_the_file) {
  const ScratchFolder folder;
  fs::create_directories(folder.path(fmt::format("a.part-{}", getpid())));
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { write_file(folder.path("a"), "x"); }),
              HasSubstr("/a: cannot write: Is a directory"));
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { write_file(folder.path("no/"), "x"); }),
              HasSubstr("no/: cannot write: No such file or directory"));
}

TEST(WriteFile, what_is_no_regular_file_is_written_as_it_is) {
  write_file("/dev/null", "gone");
  EXPECT_THAT(error_text(ErrorKind::bad_input, [] { write_file("/dev/full", "x"); }),
              HasSubstr("/dev/full: cannot write: No space left on device"));
  EXPECT_FALSE(fs::exists(fmt::format("/dev/full.part-{}", getpid())));
}

TEST(WriteFile, a_link_stays_one) {
  const ScratchFolder folder;
  write_file(folder.path("a"), "old");
  fs::create_symlink("a", folder.path("link"));
  write_file(folder.path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(text_of_file(folder.path("a")), "new");
}

TEST(FolderDraft, appears_when_it_is_committed_and_not_before) {
  const ScratchFolder folder;
  const std::string path = folder.path("run/final");
  {
    FolderDraft draft(path);
    write_file(draft.file("a"), "text");
    EXPECT_FALSE(fs::exists(path));
    draft.commit();
  }
  EXPECT_EQ(text_of_file(path + "/a"), "text");
  EXPECT_THAT(names_in(folder.path("run")), ElementsAre("final"));
}

TEST(FolderDraft, goes_if_it_is_not_committed) {
  const ScratchFolder folder;
  {
    const FolderDraft draft(folder.path("final"));
    write_file(draft.file("a"), "text");
  }
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(FolderDraft, replaces_an_older_folder_whole) {
  const ScratchFolder folder;
  const std::string path = folder.path("final");
  fs::create_directories(path);
  write_file(path + "/old", "text");
  {
    FolderDraft draft(path);
    write_file(draft.file("new"), "text");
    draft.commit();
  }
  EXPECT_THAT(names_in(path), ElementsAre("new"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("final"));
}

TEST(FolderDraft, a_file_in_its_place_is_kept_and_named) {
  const ScratchFolder folder;
  write_file(folder.path("final"), "mine");
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { FolderDraft(folder.path("final")).commit(); }),
              HasSubstr("final: cannot write: Not a directory"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("final"));
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { FolderDraft(folder.path("final/sub")); }),
              HasSubstr("cannot make the folder: Not a directory; name"));
}

TEST(FolderDraft, a_full_disk_costs_no_older_checkpoint) {
  const ScratchFolder folder;
  save(folder.path(), 1, "good");
  {
    const FileSizeLimit limit(10);
    EXPECT_THAT(
        error_text(ErrorKind::bad_input, [&] { save(folder.path(), 2, std::string(11, 'a')); }),
        HasSubstr("File too large"));
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("step-000000000001"));
  EXPECT_EQ(saved(folder.path(), 1), "good");
}

/// Runs `work` in a process that is then killed, without a chance to tidy up. Returns while it
/// still lives; `end()` kills it.
class DoomedProcess {
 public:
  template <class Work>
  explicit DoomedProcess(Work work) {
    int ready[2];
    if (pipe(ready) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      work([&] {
        const bool is_told = ::write(ready[1], "x", 1) == 1;
        while (is_told) pause();
      });
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~DoomedProcess() { end(); }
  void end() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  pid_t child_ = -1;
};

TEST(DeadDrafts, are_removed_and_those_of_the_living_kept) {
  const ScratchFolder folder;
  remove_dead_drafts(folder.path("none"));
  DoomedProcess process([&](auto wait) {
    const FolderDraft draft(checkpoint_folder(folder.path(), 7));
    write_file(draft.file("a"), "text");
    wait();
  });
  fs::create_directories(folder.path("mine.tmp-x"));
  write_file(folder.path("file.tmp-1"), "mine");
  remove_dead_drafts(folder.path());
  EXPECT_EQ(names_in(folder.path()).size(), 3u);
  process.end();
  remove_dead_drafts(folder.path());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file.tmp-1", "mine.tmp-x"));
}

TEST(DeadDrafts, of_a_process_that_had_our_number_are_no_obstacle) {
  const ScratchFolder folder;
  const std::string left = folder.path(fmt::format("final.tmp-{}", getpid()));
  fs::create_directories(left);
  write_file(left + "/stale", "text");
  FolderDraft draft(folder.path("final"));
  draft.commit();
  EXPECT_THAT(names_in(folder.path("final")), IsEmpty());
}

TEST(Checkpoints, are_listed_by_step_and_only_when_complete) {
  const ScratchFolder folder;
  EXPECT_TRUE(list_checkpoints(folder.path("none")).empty());
  for (const int64_t step : {20, 3, 100000}) save(folder.path(), step, fmt::format("{}", step));
  for (const char* other : {"step-000000000009.tmp-1", "step-12", "step-00000000001x", "best"}) {
    fs::create_directories(folder.path(other));
  }
  write_file(folder.path("step-000000000555"), "a file");
  const std::vector<Checkpoint> found = list_checkpoints(folder.path());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].step, 3);
  EXPECT_EQ(found[1].step, 20);
  EXPECT_EQ(found[2].step, 100000);
  EXPECT_EQ(found[2].path, folder.path("step-000000100000"));
  EXPECT_THAT(
      error_text(ErrorKind::bad_input, [&] { list_checkpoints(folder.path("step-000000000555")); }),
      HasSubstr("step-000000000555: cannot read: Not a directory"));
}

TEST(Checkpoints, all_but_the_newest_are_pruned) {
  const ScratchFolder folder;
  for (const int64_t step : {1, 2, 3, 4}) save(folder.path(), step, fmt::format("{}", step));
  prune_checkpoints(folder.path(), 4);
  EXPECT_EQ(list_checkpoints(folder.path()).size(), 4u);
  prune_checkpoints(folder.path(), 2);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("step-000000000003", "step-000000000004"));
  EXPECT_EQ(saved(folder.path(), 4), "4");
  EXPECT_THROW(prune_checkpoints(folder.path(), 0), Error);
}

}  // namespace
}  // namespace ambidex
