// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "ambidex/base.h"

extern "C" {
void omp_set_num_threads(int num_threads);
int omp_get_max_threads();
}

namespace ambidex {
namespace {

TEST(Workers, run_every_task_once) {
  for (const int num_threads : {1, 2, 3, 8}) {
    Workers workers(num_threads);
    EXPECT_EQ(workers.size(), num_threads);
    for (const int64_t num_tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> counts(static_cast<size_t>(num_tasks));
      workers.run(num_tasks, [&](int64_t i) { ++counts[static_cast<size_t>(i)]; });
      for (const auto& count : counts) ASSERT_EQ(count, 1);
    }
  }
}

TEST(Workers, keep_loops_apart_that_follow_at_once) {
  Workers workers(4);
  std::vector<int64_t> values(64);
  for (int64_t loop = 0; loop < 3000; ++loop) {
    // Every task reads what the loop before it wrote.
    workers.run(64, [&](int64_t i) {
      auto& value = values[static_cast<size_t>(i)];
      if (value == loop) value = loop + 1;
    });
  }
  EXPECT_THAT(values, testing::Each(3000));
}

TEST(Workers, wake_up_after_a_rest) {
  Workers workers(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> num_inside{0};
    // Neither task ends before both have begun, so that two threads must take part.
    workers.run(2, [&](int64_t) {
      ++num_inside;
      while (num_inside < 2) std::this_thread::yield();
    });
    EXPECT_EQ(num_inside, 2);
  }
}

TEST(Workers, throw_the_exception_of_the_first_task_after_all_have_ended) {
  for (const int num_threads : {1, 3}) {
    Workers workers(num_threads);
    std::atomic<int> count{0};
    const auto task = [&](int64_t i) {
      ++count;
      if (i % 10 == 4) throw Error(ErrorKind::bad_input, "task " + std::to_string(i));
    };
    EXPECT_THAT([&] { workers.run(50, task); }, testing::ThrowsMessage<Error>("task 4"));
    EXPECT_EQ(count, 50);
    workers.run(50, [&](int64_t) { ++count; });  // the error is forgotten
    EXPECT_EQ(count, 100);
  }
}

TEST(Workers, refuse_a_loop_within_a_task) {
  Workers workers(2);
  const auto nested = [&](int64_t) { workers.run(2, [](int64_t) {}); };
  EXPECT_THAT([&] { workers.run(2, nested); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("no loop from within a task")));
  EXPECT_THAT([&] { workers.run(INT64_MAX, [](int64_t) {}); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("at most 2^31 - 1 tasks")));
  EXPECT_THAT([] { Workers(-1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("threads from 0 to 1024")));
}

TEST(Workers, keep_openmp_to_one_thread_within_tasks) {
  omp_set_num_threads(5);
  Workers workers(2);
  std::atomic<int> most{0};
  for (const int64_t num_tasks : {1, 20}) {
    workers.run(num_tasks, [&](int64_t) {
      if (omp_get_max_threads() > 1) most = omp_get_max_threads();
    });
  }
  EXPECT_EQ(most, 0);
  EXPECT_EQ(omp_get_max_threads(), 5);
}

TEST(Workers, are_as_many_as_processors_by_default) {
  EXPECT_GE(Workers().size(), 1);
  EXPECT_LE(Workers().size(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace ambidex
