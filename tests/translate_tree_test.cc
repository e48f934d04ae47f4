// SPDX-License-Identifier: Apache-2.0
// Trees of CUDA sources to HIP: what is written, and what is never written over.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "caught.h"
#include "port/patch_series.h"
#include "port/translate.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(TranslateTree, a_tree_goes_to_a_folder_with_what_it_needs) {
  const ScratchFolder scratch;
  const std::string in = scratch.path() + "/in";
  fs::create_directories(in + "/src");
  write_file(in + "/src/k.cu", "__device__ int f() { return warpSize; }\n");
  write_file(in + "/main.cu", "#include \"src/k.cu\"\nint main() { cudaFree(0); }\n");
  write_file(in + "/README", "cudaMalloc\n");
  fs::create_symlink("src/k.cu", in + "/link.cu");
  const TranslatedTree tree = translate_tree(in, {});
  const std::string out = scratch.path() + "/out";
  write_tree(tree, out);
  EXPECT_EQ(read_file(out + "/README", 1000), "cudaMalloc\n");
  EXPECT_EQ(read_file(out + "/src/k.hip", 1000),
            "#include <hip/hip_runtime.h>\n#include \"../ambidex_port.h\"\n"
            "__device__ int f() { return ambidex_port::warp_size; }\n");
  EXPECT_THAT(read_file(out + "/main.hip", 1000), HasSubstr("#include \"src/k.hip\"\n"));
  EXPECT_EQ(fs::read_symlink(out + "/link.hip"), "src/k.hip");
  EXPECT_TRUE(fs::exists(out + "/ambidex_port/warp.h"));
  EXPECT_THAT(read_file(out + "/edits.json", 1 << 20), HasSubstr("warp.size"));
  write_tree(tree, out);  // of our making: replaced
  for (const TranslatedFile& file : translate_tree(out, {}).files) {
    EXPECT_TRUE(file.edits.empty()) << file.name;
    EXPECT_EQ(file.new_name, file.name);
  }
}

TEST(TranslateTree, a_folder_of_somebody_elses_is_not_overwritten) {
  const ScratchFolder scratch;
  write_file(scratch.path() + "/a.cu", "int f() { return cudaFree(0); }\n");
  fs::create_directories(scratch.path() + "/out");
  write_file(scratch.path() + "/out/mine", "1");
  const TranslatedTree tree = translate_tree(scratch.path() + "/a.cu", {});
  EXPECT_THAT(caught([&] { write_tree(tree, scratch.path() + "/out"); }).message,
              HasSubstr("is there already and was not made by"));
  EXPECT_EQ(read_file(scratch.path() + "/out/mine", 10), "1");
}

TEST(TranslateTree, what_a_user_has_changed_in_an_earlier_output_is_kept) {
  const ScratchFolder scratch;
  write_file(scratch.path("a.cu"), "int f() { return cudaFree(0); }\n");
  const TranslatedTree tree = translate_tree(scratch.path("a.cu"), {});
  const std::string out = scratch.path("out");
  write_tree(tree, out);
  const std::string made = read_file(out + "/a.hip", 1000);
  write_file(out + "/a.hip", made + "// mine\n");
  EXPECT_THAT(caught([&] { write_tree(tree, out); }).message,
              HasSubstr("out: changed since it was written: \"a.hip\"; move the folder away"));
  EXPECT_EQ(read_file(out + "/a.hip", 1000), made + "// mine\n");
  write_file(out + "/a.hip", made);
  fs::create_directory(out + "/build");
  write_file(out + "/build/added", "1");
  EXPECT_THAT(caught([&] { write_tree(tree, out); }).message, HasSubstr("\"build/added\""));
  fs::remove_all(out + "/build");
  write_tree(tree, out);
  for (const char* record :
       {"{\"made_by\": 7}", "[]", "{", "{\"made_by\": \"ambidex port translate\"}"}) {
    write_file(out + "/edits.json", record);
    EXPECT_THAT(caught([&] { write_tree(tree, out); }).message, HasSubstr("was not made by"));
  }
}

TEST(TranslateTree, ends_of_lines_stay) {
  const ScratchFolder scratch;
  write_file(scratch.path("a.cu"),
             "__global__ void k(int* x) {\r\n  x[0] = __shfl_sync(~0u, x[1], 0);\r\n}\r\n"
             "void f(int* x) { k<<<1, 64>>>(x); cudaDeviceSynchronize(); }\r\n");
  const std::string text = translate_tree(scratch.path("a.cu"), {}).files.at(0).new_text;
  EXPECT_THAT(text, HasSubstr("hipDeviceSynchronize"));
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    EXPECT_EQ(text[at - 1], '\r') << text;
  }
}

TEST(TranslateTree, in_place_the_old_name_goes_last) {
  const ScratchFolder scratch;
  const std::string old = scratch.path() + "/a.cu";
  write_file(old, "int f() { return cudaFree(0); }\n");
  const TranslatedTree tree = translate_tree(scratch.path(), {});
  write_in_place(tree);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_THAT(read_file(scratch.path() + "/a.hip", 1000), HasSubstr("hipFree(0)"));
}

TEST(TranslateTree, in_place_nothing_is_written_over) {
  const ScratchFolder scratch;
  write_file(scratch.path() + "/a.cu", "int f() { return cudaFree(0); }\n");
  const TranslatedTree tree = translate_tree(scratch.path(), {});
  write_file(scratch.path() + "/a.hip", "mine");
  EXPECT_THAT(caught([&] { write_in_place(tree); }).message,
              HasSubstr("is there already; a.cu would become it"));
  EXPECT_THAT(caught([&] { translate_tree(scratch.path(), {}); }).message,
              HasSubstr("would become a.hip, which is there already"));
  fs::remove(scratch.path() + "/a.hip");
  write_file(scratch.path() + "/a.cu", "changed");
  EXPECT_THAT(caught([&] { write_in_place(tree); }).message,
              HasSubstr("changed while it was translated; nothing was written"));
}

TEST(TranslateTree, a_path_that_is_not_there_is_said) {
  EXPECT_THAT(caught([] { translate_tree("no/such/tree", {}); }).message,
              HasSubstr("no/such/tree\": no such file or folder"));
}

// Comments of a source, told by a plain scan that knows of strings only.
std::vector<std::string> comments_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (text.compare(i, 2, "//") == 0) {
      const size_t end = std::min(text.find('\n', i), text.size());
      out.push_back(text.substr(i, end - i));
      i = end;
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = std::min(text.find("*/", i + 2), text.size());
      out.push_back(text.substr(i, end - i));
      i = end + 1;
    }
  }
  return out;
}

// Of the port, without the marks above what was refused.
std::vector<std::string> comments_kept(const std::string& text) {
  std::vector<std::string> comments = comments_of(text);
  std::erase_if(comments, [](const std::string& comment) {
    return comment.starts_with("// ambidex: REFUSED") ||
           comment.starts_with("// It is as it was: ");
  });
  return comments;
}

TEST(TranslateTree, every_probe_keeps_its_comments_and_is_translated_once_and_for_all) {
  const ScratchFolder scratch;
  const std::string probes = AMBIDEX_SOURCE_DIR "/tests/hazards";
  if (!fs::exists(probes)) GTEST_SKIP() << "the probes of the catalogue are not merged yet";
  const TranslatedTree tree = translate_tree(probes, {});
  EXPECT_GT(tree.files.size(), 30U);
  for (const TranslatedFile& file : tree.files) {
    if (file.edits.empty() || !file.name.ends_with(".cu")) continue;
    EXPECT_EQ(comments_of(file.text), comments_kept(file.new_text)) << file.name;
  }
  write_tree(tree, scratch.path() + "/port");
  for (const TranslatedFile& file : translate_tree(scratch.path() + "/port", {}).files) {
    EXPECT_TRUE(file.edits.empty())
        << file.name << ": " << file.edits[0].rule << " at line " << file.edits[0].line;
  }
}

// The oracle is git.
TEST(TranslateTree, the_patch_applied_is_the_tree_translated) {
  const ScratchFolder scratch;
  const std::string in = scratch.path() + "/in";
  fs::create_directories(in);
  std::string text = "#include <cuda_runtime.h>\n";
  for (int i = 0; i < 60; ++i) text += i % 17 == 3 ? "void f() { cudaFree(0); }\n" : "int x;\n";
  text += "__device__ int g() { return warpSize; }";  // no newline at the end
  write_file(in + "/a.cu", text);
  write_file(in + "/b.h", "#pragma once\nint y;\ninline void h() { cudaDeviceSynchronize(); }\n");
  const TranslatedTree tree = translate_tree(in, {});
  write_file(scratch.path() + "/p.patch", patch_of(tree));
  const std::string command =
      "cd " + in + " && git init -q . && git apply --whitespace=nowarn ../p.patch";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const TranslatedFile& file : tree.files) {
    EXPECT_EQ(read_file(in + "/" + file.new_name, 1 << 20), file.new_text) << file.name;
  }
  EXPECT_TRUE(fs::exists(in + "/ambidex_port/warp.h"));
  EXPECT_FALSE(fs::exists(in + "/a.cu"));
}

// The oracle is git.
TEST(TranslateTree, a_patch_of_files_with_odd_names_can_be_applied) {
  const ScratchFolder scratch;
  const std::string in = scratch.path() + "/in";
  fs::create_directories(in + "/a b");
  for (const char* name :
       {"new\nline", "quo\"te", "back\\slash", "esc\x1b[31m", "tab\t", "a b/c d", "\xc3\xa4"}) {
    write_file(in + "/" + name + ".cu", "void f() { cudaFree(0); }\n");
    write_file(in + "/" + name + ".h", "inline void f() { cudaFree(0); }\n");
  }
  const TranslatedTree tree = translate_tree(in, {});
  const std::string patch = patch_of(tree);
  EXPECT_EQ(patch.find('\x1b'), std::string::npos);
  write_file(scratch.path() + "/p.patch", patch);
  const std::string command =
      "cd " + in + " && git init -q . && git apply --whitespace=nowarn ../p.patch";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ASSERT_EQ(tree.files.size(), 14U);
  for (const TranslatedFile& file : tree.files) {
    EXPECT_EQ(read_file(in + "/" + file.new_name, 1 << 20), file.new_text) << file.name;
  }
}

// A maintainer takes the series patch by patch. The oracle is git.
TEST(TranslateTree, the_series_of_patches_applied_is_the_tree_translated) {
  const ScratchFolder scratch;
  const std::string in = scratch.path() + "/in", series_folder = scratch.path() + "/series";
  fs::copy(AMBIDEX_SOURCE_DIR "/tests/hazards", in, fs::copy_options::recursive);
  fs::create_directories(series_folder);
  const TranslatedTree tree = translate_tree(in, {});
  const std::vector<SeriesPatch> series = patch_series(tree);
  ASSERT_GT(series.size(), 10U);
  EXPECT_EQ(series[0].name, "0001-Names-headers-and-build-files.patch");
  for (const SeriesPatch& patch : series) {
    write_file(series_folder + "/" + patch.name, patch.text);
  }
  const std::string command =
      "cd " + in +
      " && git init -q . && git config user.name t && git config user.email t@t"
      " && git config core.autocrlf false && git add -A . && git commit -qm original"
      " && git am -q --keep-cr --whitespace=nowarn ../series/*.patch";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const TranslatedFile& file : tree.files) {
    if (!file.link.empty()) continue;
    EXPECT_EQ(read_file(in + "/" + file.new_name, 1 << 20), file.new_text) << file.name;
  }
}

}  // namespace
}  // namespace ambidex
