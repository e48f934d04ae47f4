// SPDX-License-Identifier: Apache-2.0
// Lines of program counters, in a module whose #line directives say what is right.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ambidex/base.h"
#include "caught.h"
#include "port/symbolize.h"

namespace ambidex {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::string kModule = AMBIDEX_BINARY_DIR "/tests/libport_symbolize_module.so";

// What `function` of the module returns, counted from the module's begin.
uint64_t address_from(const char* function) {
  void* module = dlopen(kModule.c_str(), RTLD_NOW);
  if (module == nullptr) return 0;
  const auto call = reinterpret_cast<void* (*)(int*)>(dlsym(module, function));
  int count = 0;
  void* here = call(&count);
  Dl_info info{};
  dladdr(here, &info);
  return reinterpret_cast<uintptr_t>(here) - reinterpret_cast<uintptr_t>(info.dli_fbase);
}

TEST(PortSymbolize, a_return_address_belongs_to_the_line_of_the_call) {
  const std::vector<uint64_t> addresses{address_from("ambidex_direct")};
  const auto places = symbolize(kModule, addresses);
  ASSERT_EQ(places.size(), 1u);
  ASSERT_TRUE(places[0]);
  EXPECT_EQ(places[0]->line, 208);
  EXPECT_GT(places[0]->column, 0);
  EXPECT_EQ(places[0]->function, "ambidex_direct");
  EXPECT_THAT(places[0]->file, EndsWith("user.cu"));
}

TEST(PortSymbolize, frames_of_our_own_headers_give_way_to_the_users_inlined_or_not) {
  const std::vector<uint64_t> addresses{address_from("ambidex_direct"),
                                        address_from("ambidex_inlined")};
  const auto places = symbolize(kModule, addresses);
  ASSERT_EQ(places.size(), 2u);
  ASSERT_TRUE(places[0] && places[1]);
  EXPECT_EQ(places[0]->line, 208);
  EXPECT_EQ(places[1]->line, 203);
  EXPECT_THAT(places[1]->function, HasSubstr("user::inner"));
}

TEST(PortSymbolize, an_address_that_no_line_has_is_empty) {
  const std::vector<uint64_t> addresses{8, uint64_t{1} << 40};
  const auto places = symbolize(kModule, addresses);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_FALSE(places[0]);
  EXPECT_FALSE(places[1]);
  EXPECT_TRUE(symbolize(kModule, {}).empty());
}

TEST(PortSymbolize, a_module_that_is_none_is_refused) {
  const std::vector<uint64_t> addresses{8};
  const Caught error = caught([&] { symbolize("no/such/module.so", addresses); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("no/such/module.so: "));
  EXPECT_THAT(error.message, EndsWith("; give a module that can be read"));
}

}  // namespace
}  // namespace ambidex
