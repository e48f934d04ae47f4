// SPDX-License-Identifier: Apache-2.0
// A fixed set of threads that share the tasks of one loop. What a task computes may not depend on
// which thread runs it, nor on how many there are: then the bits of a result do not either.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace ambidex {

class Workers {
 public:
  /// `num_threads` threads, the caller among them; 0: as many as the process may use.
  explicit Workers(int num_threads = 0);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Runs task(0) ... task(num_tasks - 1), each once, in any order, and returns when all are done.
  /// Not from within a task. The first exception of a task is thrown here, after all have ended.
  void run(int64_t num_tasks, const std::function<void(int64_t)>& task);

  int size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ambidex
