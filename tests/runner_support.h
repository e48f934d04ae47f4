// SPDX-License-Identifier: Apache-2.0
// What tests of modules share: sources to a module, a module to an answer.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/files.h"
#include "port/modules.h"
#include "scratch.h"

namespace ambidex {

/// A program of one or more sources, in a folder of its own.
class TestProgram {
 public:
  using Source = std::pair<std::string, std::string>;  // name, text

  explicit TestProgram(const std::string& text, const std::string& dialect = "cuda")
      : TestProgram({{dialect == "hip" ? "program.hip" : "program.cu", text}}, dialect) {}
  TestProgram(std::initializer_list<Source> sources, const std::string& dialect = "cuda") {
    asked.dialect = dialect;
    asked.folder = folder_.path("cache");
    for (const auto& [name, text] : sources) {
      write_file(folder_.path(name), text);
      if (!name.ends_with(".h")) asked.files.push_back(folder_.path(name));
    }
  }

  const Module& module() {
    if (!built_.ok) {
      built_ = build_module(asked);
      for (const CompilerMessage& message : built_.messages) {
        EXPECT_NE(message.severity, "error")
            << message.file << ":" << message.line << ": " << message.message;
      }
      EXPECT_TRUE(built_.ok);
    }
    return built_;
  }

  /// After a change of what is asked for.
  void forget() { built_ = {}; }

  /// `request` without the module and the folder.
  nlohmann::json run(nlohmann::json request = nlohmann::json::object()) {
    request["module"] = module().path;
    request["folder"] = folder_.path("contents");
    return run_module(request, request.value("max_seconds", 30.0));
  }

  std::string path(const std::string& name) const { return folder_.path(name); }

  ModuleSources asked;

 private:
  ScratchFolder folder_;
  Module built_;
};

/// Line, from 1, of the first occurrence of `mark`.
inline int64_t line_of(const std::string& text, const std::string& mark) {
  const size_t at = text.find(mark);
  EXPECT_NE(at, std::string::npos) << mark;
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

inline std::string problems_of(const nlohmann::json& answer) { return answer["problems"].dump(1); }

/// Of a program that judges itself: exit code 0, and "right" as its last word.
inline void expect_right(TestProgram& program, nlohmann::json request = nlohmann::json::object()) {
  const nlohmann::json answer = program.run(std::move(request));
  EXPECT_EQ(answer["status"], "ended") << answer.dump(1);
  EXPECT_EQ(answer["exit_code"], 0) << answer.dump(1);
  EXPECT_EQ(answer["stdout"], "right\n") << answer["stderr"];
  EXPECT_EQ(answer["problems"].size(), 0) << problems_of(answer);
}

}  // namespace ambidex
