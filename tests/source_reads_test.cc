// SPDX-License-Identifier: Apache-2.0
// What a source may have the compiler read: what comes with it, and no other file of its reader.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "port/frontend.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "int hunter2";  // the file's text; valid C++ up to the name

// tree/app/a.cu beside tree/common/b.h, and secret.txt above all.
class SourceReads : public testing::Test {
 protected:
  SourceReads() {
    for (const char* folder : {"tree/app", "tree/common", "tree/inc", "elsewhere"}) {
      fs::create_directories(scratch_.path(folder));
    }
    write_file(scratch_.path("secret.txt"), kSecret + std::string(";\n"));
    write_file(scratch_.path("elsewhere/own.h"), "int own;\n");
    write_file(scratch_.path("tree/common/b.h"), "int common;\n");
    write_file(scratch_.path("tree/app/table.txt"), "1, 2, 3\n");
    write_file(scratch_.path("tree/inc/values.dat"), "4, 5\n");
    fs::create_symlink(scratch_.path("secret.txt"), scratch_.path("tree/app/link.h"));
  }

  std::string source(const std::string& text) const {
    write_file(scratch_.path("tree/app/a.cu"), text);
    return scratch_.path("tree/app/a.cu");
  }
  // The diagnostics of a compilation; "" if there are none.
  std::string errors_of(const std::string& text) const {
    const nlohmann::json answer =
        ask_frontend("module", {{"files", {source(text)}},
                                {"dialect", "cuda"},
                                {"arguments", {"-I" + scratch_.path("tree/inc")}},
                                {"checked", true},
                                {"counted", false},
                                {"arch", "gfx942"},
                                {"output", scratch_.path("a.so")}});
    return answer.at("ok").get<bool>() ? "" : answer.at("diagnostics").dump();
  }

  ScratchFolder scratch_;
};

constexpr const char* kMain = "int main() { return 0; }\n";

TEST_F(SourceReads, what_comes_with_a_source_is_read) {
  for (const char* text :
       {"#include \"../common/b.h\"\nint x = common;\n", "#include <cstdio>\n#include <vector>\n",
        "int x[] = {\n#include \"table.txt\"\n};\n", "int x[] = {\n#include <values.dat>\n};\n",
        "const char x[] = {\n#embed \"table.txt\"\n};\n"}) {
    EXPECT_EQ(errors_of(text + std::string(kMain)), "") << text;
  }
}

TEST_F(SourceReads, a_file_of_somebody_else_is_not_read) {
  const std::string secret = scratch_.path("secret.txt");
  for (const std::string& text :
       {"#include \"" + secret + "\"\n", "#include <" + secret + ">\n",
        std::string("#include \"../../secret.txt\"\n"), std::string("#include \"link.h\"\n"),
        std::string("#define F \"../../secret.txt\"\n#include F\n"),
        std::string("#include \"/proc/self/environ\"\n"), std::string("#include \"/etc/passwd\"\n"),
        std::string("#include \"/dev/zero\"\n")}) {
    const std::string errors = errors_of(text + kMain);
    EXPECT_THAT(errors, HasSubstr("it is not read, for it is outside of the source's folder"))
        << text;
    EXPECT_THAT(errors, Not(HasSubstr(kSecret))) << text;
  }
  EXPECT_NE(errors_of("const char x[] = {\n#embed \"../../secret.txt\"\n};\n" + std::string(kMain)),
            "");
  EXPECT_NE(errors_of("const char x[] = {\n#embed \"" + secret + "\"\n};\n" + kMain), "");
}

TEST_F(SourceReads, no_stage_reads_it) {
  const std::string file = source("#include \"../../secret.txt\"\n__global__ void k() {}\n");
  const nlohmann::json arguments = nlohmann::json::array();
  for (const auto& [command, request] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"facts", {{"file", file}, {"dialect", "cuda"}, {"arguments", arguments}}},
           {"scan", {{"files", {file}}, {"dialect", "cuda"}, {"arguments", arguments}}},
           {"translate",
            {{"files", {file}},
             {"rename", true},
             {"arguments", arguments},
             {"ways", {{file, ""}}}}}}) {
    EXPECT_THAT(ask_frontend(command, request).dump(), Not(HasSubstr("hunter2"))) << command;
  }
}

// Each would put the file into the program, whose output comes back.
TEST_F(SourceReads, assembly_that_reads_files_is_refused) {
  const std::string secret = scratch_.path("secret.txt");
  const auto plain = [&](const std::string& words) {
    return "asm(" + words + ");\n" + std::string(kMain);
  };
  const auto within = [&](const std::string& statement) {
    return "void bin() {}\nint main() { asm volatile(" + statement + "); return 0; }\n";
  };
  const std::string name = fmt::format(" \\\"{}\\\"", secret);
  for (const std::string& text : {
           plain("\".incbin" + name + "\""),
           plain("\".INCBIN" + name + "\""),
           plain("\"x: /* */ .in\" \"cbin" + name + "\""),
           plain("\".include" + name + "\""),
           plain("\".macro m a\\n.inc\\\\a" + name + "\\n.endm\\nm bin\""),
           plain("\".irp a, bin\\n.inc\\\\a" + name + "\\n.endr\""),
           within("\".incbin" + name + "\""),
           within("\".in{c|x}bin" + name + "\" ::\"r\"(1)"),
           within("\".inc%c0" + name + "\" ::\"i\"(bin)"),
           within("\"nop; /* */ .%c0" + name + "\" ::\"i\"(bin)"),
           within("\"%c0" + name + "\" ::\"i\"(bin)"),
           "template <int N> void f() { asm volatile(\".incbin" + name +
               "\"); }\nint main() { f<1>(); return 0; }\n",
       }) {
    EXPECT_THAT(errors_of(text), HasSubstr("this asm is not assembled")) << text;
  }
}

TEST_F(SourceReads, other_assembly_is_none_of_its_business) {
  for (const char* statement :
       {R"("nop")", R"("1: nop\n\tjmp 2f\n2:")", R"("L%=: nop\n\tjne L%=" ::: "cc")",
        R"("mov{l %1, %0| %0, %1}" : "=r"(y) : "r"(1))", R"(".ascii \"x\"" ::: "memory")"}) {
    const std::string text =
        fmt::format("int main() {{ int y = 0; if (y) asm volatile({}); return y; }}\n", statement);
    EXPECT_EQ(errors_of(text), "") << statement;
  }
}

TEST_F(SourceReads, code_of_the_gpu_reads_no_files_either) {
  const std::string text = fmt::format(
      "#include <hip/hip_runtime.h>\n__global__ void k() {{ asm volatile(\".incbin \\\"{}\\\"\"); "
      "}}\n",
      scratch_.path("secret.txt"));
  write_file(scratch_.path("tree/app/a.hip"), text);
  const nlohmann::json answer = ask_frontend("object", {{"file", scratch_.path("tree/app/a.hip")},
                                                        {"archs", {"gfx942"}},
                                                        {"arguments", nlohmann::json::array()},
                                                        {"instantiations", nlohmann::json::array()},
                                                        {"touched", nlohmann::json::object()},
                                                        {"output", scratch_.path("a")}});
  EXPECT_FALSE(answer.at("ok").get<bool>());
  EXPECT_THAT(answer.at("diagnostics").dump(), HasSubstr("this asm is not assembled"));
}

}  // namespace
}  // namespace ambidex
