// SPDX-License-Identifier: Apache-2.0
#include "ambidex/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <random>
#include <thread>
#include <utility>

namespace {
thread_local int64_t num_allocations = 0;
}  // namespace

// Counts what the thread allocates; see hot_path_does_not_allocate. Inlined, they would look like
// a mismatch of new and free to the compiler.
[[gnu::noinline]] void* operator new(size_t size) {
  ++num_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++num_allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace ambidex {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Layers of recommenders and corners: narrow, short, long, misaligned.
const GemmOp kOps[] = {
    {.m = 8192, .n = 1024, .k = 512},
    {.m = 8192, .n = 512, .k = 3456, .layout = Layout::nt},
    {.m = 512, .n = 3456, .k = 8192, .out_dtype = DType::f32, .layout = Layout::tn},
    {.m = 8192, .n = 1, .k = 256, .layout = Layout::nt},
    {.m = 1, .n = 1, .k = 1},
    {.m = 1000, .n = 367, .k = 479, .layout = Layout::tt, .cold = true},
    {.m = 64, .n = 64, .k = 100000},
    {.m = 128, .n = 256, .k = 64, .batch = 100, .epilogue = {.bias = true, .relu = true}},
};

GemmSelector selector_of(const std::string& device,
                         KernelTemplate kernel_template = KernelTemplate::triton,
                         const SelectorSetup& setup = {}) {
  return {load_device(device), kernel_template, setup};
}

template <class Call>
std::string error_text(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(name_of(error.kind), name_of(kind));
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// All legal candidates with their times, fastest first, ties in order: the plain way.
std::vector<Ranked> plain_ranking(const GemmSelector& selector, const GemmOp& op,
                                  int64_t num_units = 0) {
  std::vector<Ranked> ranked;
  for (const GemmConfig& config : enumerate(selector.model(), op)) {
    ranked.push_back({config, gemm_estimate(selector.model(), op, config, num_units).seconds});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.seconds < b.seconds; });
  return ranked;
}

TEST(Selector, agrees_with_the_plain_loop) {
  const std::pair<const char*, KernelTemplate> kinds[] = {{"h200", KernelTemplate::triton},
                                                          {"mi350x", KernelTemplate::triton},
                                                          {"mi350x", KernelTemplate::tensile}};
  for (const auto& [device, kernel_template] : kinds) {
    const GemmSelector selector = selector_of(device, kernel_template);
    for (const GemmOp& op : kOps) {
      const SelectOptions options{.allow_library = false};
      const std::vector<Ranked> plain = plain_ranking(selector, op);
      const std::vector<Ranked> top = selector.top_k(op, 10000, options);
      ASSERT_EQ(top.size(), plain.size()) << device << " " << op.m;
      for (size_t i = 0; i < plain.size(); ++i) {
        EXPECT_TRUE(top[i].config == plain[i].config) << i << config_text(plain[i].config);
        EXPECT_EQ(top[i].seconds, plain[i].seconds);
      }
      const Selection selection = selector.select(op, options);
      EXPECT_TRUE(selection.config == plain[0].config);
      EXPECT_EQ(selection.estimate.seconds, plain[0].seconds);
      EXPECT_EQ(selection.num_candidates, static_cast<int64_t>(plain.size()));
      ASSERT_GT(plain.size(), 1u);
      EXPECT_EQ(selection.runner_up->seconds, plain[1].seconds);
    }
  }
}

TEST(Selector, does_not_care_about_the_order_of_candidates) {
  std::mt19937 random(1);
  const GemmModel model = make_gemm_model(load_device("mi350x"), KernelTemplate::triton);
  for (const GemmOp& op : kOps) {
    std::vector<GemmConfig> candidates = enumerate(model, op);
    const double best = selector_of("mi350x").select(op, {.allow_library = false}).estimate.seconds;
    std::shuffle(candidates.begin(), candidates.end(), random);
    const GemmSelector shuffled =
        selector_of("mi350x", KernelTemplate::triton, {.candidates = candidates});
    EXPECT_EQ(shuffled.select(op, {.allow_library = false}).estimate.seconds, best);
  }
}

TEST(Selector, orders_equals_as_the_candidates_are) {
  const GemmConfig config{.tile = {128, 128, 64}, .num_warps = 8, .num_stages = 3};
  std::vector<GemmConfig> twins(3, config);
  const GemmSelector selector = selector_of("h200", KernelTemplate::triton, {.candidates = twins});
  const std::vector<Ranked> top = selector.top_k(kOps[0], 3, {.allow_library = false});
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].seconds, top[2].seconds);
  EXPECT_EQ(selector.select(kOps[0], {.allow_library = false}).runner_up->seconds, top[0].seconds);
}

TEST(Selector, is_not_held_up_by_busy_units) {
  const GemmSelector selector = selector_of("mi350x");
  const GemmOp op{.m = 8192, .n = 8192, .k = 8192};
  const SelectOptions few{.num_units = 64, .allow_library = false};
  EXPECT_GT(selector.select(op, few).estimate.seconds, 2 * selector.select(op).estimate.seconds);
  EXPECT_EQ(selector.select(op, few).estimate.seconds, plain_ranking(selector, op, 64)[0].seconds);
}

TEST(Selector, deterministic_leaves_atomics_out) {
  const GemmSelector selector = selector_of("h200");
  const GemmOp op{.m = 64, .n = 64, .k = 100000};
  SelectOptions options{.allow_library = false};
  EXPECT_GT(selector.select(op, options).config.split_k, 1);
  options.deterministic = true;
  const std::vector<Ranked> top = selector.top_k(op, 10000, options);
  for (const Ranked& candidate : top) EXPECT_EQ(candidate.config.split_k, 1);
}

TEST(Selector, keeps_to_the_workspace) {
  const GemmSelector selector = selector_of("h200");
  const GemmOp op{.m = 64, .n = 64, .k = 100000};
  const SelectOptions none{.workspace_bytes = 0, .allow_library = false};
  EXPECT_EQ(selector.select(op, none).config.split_k, 1);
  const SelectOptions enough{.workspace_bytes = 64 * 64 * 4, .allow_library = false};
  EXPECT_GT(selector.select(op, enough).config.split_k, 1);
}

TEST(Selector, asks_the_callers_filter) {
  const auto is_small = [](void* limit, const GemmOp&, const GemmConfig& config) {
    return config.tile.m <= *static_cast<int32_t*>(limit);
  };
  int32_t limit = 32;
  const GemmSelector selector = selector_of("h200", KernelTemplate::triton,
                                            {.filter = {.accepts = is_small, .context = &limit}});
  const std::vector<Ranked> top = selector.top_k(kOps[0], 10000, {.allow_library = false});
  EXPECT_GT(top.size(), 10u);
  for (const Ranked& candidate : top) EXPECT_LE(candidate.config.tile.m, 32);
  bool is_named = false;
  for (const Rejected& group : selector.rejected(kOps[0])) {
    is_named |= group.reason == "the caller's filter refuses it";
  }
  EXPECT_TRUE(is_named);
}

TEST(Selector, says_why_nothing_is_legal) {
  const std::vector<GemmConfig> candidates(2, {.tile = {256, 256, 256}, .num_stages = 9});
  const GemmSelector selector =
      selector_of("h200", KernelTemplate::triton, {.candidates = candidates});
  const std::string text = error_text(ErrorKind::unsupported,
                                      [&] { selector.select(kOps[0], {.allow_library = false}); });
  EXPECT_THAT(text, StartsWith("h200: no legal triton candidate for 8192x1024x512 bf16 NN: 2 x "));
}

TEST(Selector, refuses_a_mixture_of_templates) {
  const std::vector<GemmConfig> candidates{{.kernel_template = KernelTemplate::tensile}};
  EXPECT_EQ(
      error_text(ErrorKind::bad_input,
                 [&] { selector_of("h200", KernelTemplate::triton, {.candidates = candidates}); }),
      "candidates: a configuration of tensile for a selector of triton; give each template "
      "a selector of its own");
}

TEST(Selector, refuses_options_that_make_no_sense) {
  const GemmSelector selector = selector_of("h200");
  const auto text = [&](const SelectOptions& options) {
    return error_text(ErrorKind::bad_input, [&] { selector.select(kOps[0], options); });
  };
  EXPECT_EQ(text({.num_units = -1}), "options: num_units: expected a count, or 0 for all, got -1");
  EXPECT_EQ(text({.num_units = 133}), "options: num_units: h200 has 132 compute units, got 133");
  EXPECT_EQ(text({.workspace_bytes = -2}),
            "options: workspace_bytes: expected a count, or -1 for no cap, got -2");
  EXPECT_EQ(text({.close_ratio = -0.5}),
            "options: close_ratio: expected a ratio from 0 to 1, got -0.5");
  EXPECT_EQ(text({.min_confidence = 2}),
            "options: min_confidence: expected a ratio from 0 to 1, got 2");
  EXPECT_THAT(text({.measure_confidence = std::nan("")}), StartsWith("options: measure_conf"));
  EXPECT_THAT(text({.library_slack_ratio = 1.5}), StartsWith("options: library_slack_ratio"));
  EXPECT_EQ(error_text(ErrorKind::bad_input, [&] { selector.top_k(kOps[0], 0); }),
            "top_k: expected a count from 1, got 0");
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { selector.select({}); }),
              HasSubstr("gemm: m: expected a size"));
}

TEST(Selector, its_key_changes_with_what_it_depends_on) {
  const std::string key = selector_of("mi350x").uuid();
  EXPECT_EQ(key, selector_of("mi350x").uuid());
  EXPECT_NE(key, selector_of("mi355x").uuid());
  EXPECT_NE(key, selector_of("mi350x", KernelTemplate::tensile).uuid());
  std::vector<GemmConfig> candidates{{.tile = {64, 64, 64}}};
  const std::string own =
      selector_of("mi350x", KernelTemplate::triton, {.candidates = candidates}).uuid();
  candidates[0].tile.k = 32;
  EXPECT_NE(key, own);
  EXPECT_NE(own, selector_of("mi350x", KernelTemplate::triton, {.candidates = candidates}).uuid());
  Device device = load_device("mi350x");
  *device.spec.memory.memory_bytes_per_second *= 1.001;
  EXPECT_NE(key, GemmSelector(device, KernelTemplate::triton).uuid());
}

TEST(Selector, explains_itself) {
  const std::string text = selector_of("mi350x").explain(kOps[1]);
  EXPECT_THAT(text, AllOf(StartsWith("mi350x, triton: 8192x512x3456 bf16 NT"), HasSubstr("choice"),
                          HasSubstr("binds"), HasSubstr("confidence"), HasSubstr("rejected")));
}

TEST(Selector, prefers_the_library_where_it_is_predicted_faster) {
  const GemmSelector selector = selector_of("h200");
  int64_t num_library = 0;
  for (const GemmOp& op : kOps) {
    const Selection with = selector.select(op);
    const Selection without = selector.select(op, {.allow_library = false});
    EXPECT_FALSE(without.library_seconds);
    if (!with.library_seconds) continue;
    if (with.config.kernel_template == KernelTemplate::library) {
      ++num_library;
      EXPECT_LE(*with.library_seconds, without.estimate.seconds * 1.05);
    } else {
      EXPECT_LE(without.estimate.seconds, *with.library_seconds);
    }
  }
  EXPECT_GT(num_library, 0);
}

TEST(Selector, abstains_below_the_callers_threshold) {
  const GemmSelector selector = selector_of("mi350x");
  SelectOptions options{.allow_library = false, .min_confidence = 0};
  EXPECT_EQ(selector.select(kOps[0], options).abstained, Abstained::none);
  options.min_confidence = 1;
  const Selection doubtful = selector.select(kOps[0], options);
  EXPECT_EQ(doubtful.abstained, Abstained::measure);
  EXPECT_GT(doubtful.measure_k, 1);
  EXPECT_LT(doubtful.confidence, 1);
}

TEST(Selector, many_threads_get_one_answer) {
  const GemmSelector selector = selector_of("mi350x");
  const GemmSelector fresh = selector_of("mi350x");
  std::atomic<int64_t> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i) {
        GemmOp op = kOps[static_cast<size_t>(i + thread) % std::size(kOps)];
        op.m += i % 50;
        const Selection shared = selector.select(op);
        const Selection alone = fresh.select(op);
        num_wrong +=
            !(shared.config == alone.config) || shared.estimate.seconds != alone.estimate.seconds;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
  const GemmSelector one = selector_of("mi350x");
  for (const GemmOp& op : kOps) EXPECT_TRUE(one.select(op).config == selector.select(op).config);
}

TEST(Selector, hot_path_does_not_allocate) {
  const GemmSelector selector = selector_of("h200");
  std::array<Ranked, 5> ranked;
  for (const GemmOp& op : kOps) selector.select(op);
  selector.rank(kOps[0], ranked);
  const int64_t before = num_allocations;
  for (int64_t i = 0; i < 20; ++i) {
    for (GemmOp op : kOps) {
      op.m += 1024 * i;  // as well aligned, so the prepared candidates serve
      selector.select(op);
      selector.rank(op, ranked, {.num_units = 100});
    }
  }
  EXPECT_EQ(num_allocations, before);
  selector.top_k(kOps[0], 1);
  EXPECT_GT(num_allocations, before);  // the counter counts
}

TEST(Selector, remembers_more_ops_than_it_has_room_for) {
  const GemmSelector selector = selector_of("h200");
  const GemmSelector fresh = selector_of("h200");
  for (int round = 0; round < 2; ++round) {
    for (int64_t m = 64; m < 64 * 1500; m += 64) selector.select({.m = m, .n = 64, .k = 64});
  }
  for (int64_t m = 64; m < 64 * 1500; m += 64 * 97) {
    const GemmOp op{.m = m, .n = 64, .k = 64};
    EXPECT_EQ(selector.select(op).estimate.seconds, fresh.select(op).estimate.seconds);
  }
}

}  // namespace
}  // namespace ambidex
