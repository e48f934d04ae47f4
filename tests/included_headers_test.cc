// SPDX-License-Identifier: Apache-2.0
// What goes with a single source: headers beside it and in folders of -I, and nothing else.
#include "port/included_headers.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "port/library_calls.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class IncludedHeaders : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(scratch_.path(name)).parent_path());
    write_file(scratch_.path(name), text);
  }
  SourceSet set_of(const std::string& text, const std::vector<std::string>& arguments = {}) const {
    put("app/a.cu", text);
    return included_headers(scratch_.path("app/a.cu"), arguments);
  }
  std::vector<std::string> names(const SourceSet& set) const {
    std::vector<std::string> names;
    for (const fs::path& header : set.headers) {
      names.push_back(header.lexically_relative(scratch_.path()).string());
    }
    return names;
  }
  ScratchFolder scratch_;
};

TEST_F(IncludedHeaders, those_beside_it_and_those_that_they_include) {
  put("app/b.h", "#include \"sub/c.cuh\"\n");
  put("app/sub/c.cuh", "#  include \"../b.h\"\n#include \"a.cu\"\n");
  put("app/other.h", "");
  const SourceSet set = set_of("#include \"b.h\"\n#include <cuda_runtime.h>\n");
  EXPECT_THAT(names(set), ElementsAre("app/b.h", "app/sub/c.cuh"));
  EXPECT_EQ(set.root, fs::path(scratch_.path("app")));
}

TEST_F(IncludedHeaders, those_elsewhere_make_the_folder_that_holds_all) {
  put("common/b.h", "#include <w.h>\n");
  put("inc/w.h", "");
  const std::vector<std::string> arguments{"-DX=1", "-I" + scratch_.path("inc")};
  const SourceSet set = set_of("#include \"../common/b.h\"\n", arguments);
  EXPECT_THAT(names(set), ElementsAre("common/b.h", "inc/w.h"));
  EXPECT_EQ(set.root, fs::path(scratch_.path()));
  const fs::path copy = scratch_.path("copy");
  EXPECT_EQ(copy_with_headers(scratch_.path("app/a.cu"), set, copy), copy);
  EXPECT_EQ(read_file((copy / "common/b.h").string(), 100), "#include <w.h>\n");
  EXPECT_TRUE(fs::exists(copy / "app/a.cu") && fs::exists(copy / "inc/w.h"));
}

TEST_F(IncludedHeaders, an_angled_include_does_not_look_beside_the_file) {
  put("app/b.h", "");
  EXPECT_THAT(names(set_of("#include <b.h>\n")), ElementsAre());
}

TEST_F(IncludedHeaders, neither_comments_nor_what_is_not_there_count) {
  put("app/b.h", "");
  const SourceSet set =
      set_of("// #include \"b.h\"\n/*\n#include \"b.h\"\n*/\n#include \"no.h\"\n");
  EXPECT_THAT(names(set), ElementsAre());
  const fs::path copy = scratch_.path("copy");
  EXPECT_EQ(copy_with_headers(scratch_.path("app/a.cu"), set, copy), copy / "a.cu");
}

// As parts of a tree they would be compiled twice.
TEST_F(IncludedHeaders, a_source_that_includes_another_goes_alone) {
  put("app/b.h", "#include \"kernels.cu\"\n");
  put("app/kernels.cu", "");
  EXPECT_THAT(names(set_of("#include \"b.h\"\n")), ElementsAre());
}

TEST(LibraryCalls, are_told_by_name_where_there_are_edits) {
  TranslatedTree tree;
  TranslatedFile file;
  file.text =
      "// cublasDgemm(h)\n#include <thrust/reduce.h>\n"
      "cublasCreate(&h); cublasSgemm (h, 1); thrust::device_vector<int> v;\n"
      "thrust::reduce(v.begin()); thrust::raw_pointer_cast(p); thrust::plus<int>();\n"
      "cub::DeviceScan::ExclusiveSum(t); cub::BlockReduce<int, 3> r; my_cublasSaxpy(1);\n"
      "curandGenerateUniform(g, x, 4); curand_uniform(&s);\n";
  tree.files.push_back(file);
  EXPECT_THAT(library_calls(tree), ElementsAre());
  tree.files[0].edits.push_back({.line = 3});
  EXPECT_THAT(library_calls(tree), ElementsAre("cub::DeviceScan", "cublasSgemm",
                                               "curandGenerateUniform", "thrust::reduce"));
}

}  // namespace
}  // namespace ambidex
