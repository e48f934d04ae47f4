// SPDX-License-Identifier: Apache-2.0
// Graphs of work: captured from streams or made node by node, and launched as often as wanted.
// Nodes run one after the other, each after those that it waits for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runner/api.h"

namespace ambidex::runner {

/// What a node or a stream is given to do; the status of the runtime.
using Work = std::function<int(Runtime&)>;

/// A launch whose arguments are kept, since the program's may be gone when it runs.
struct KernelNode {
  cudaKernelNodeParams parameters{};
  std::vector<std::string> values;  // of the arguments
  std::vector<void*> arguments;     // to the values
};

}  // namespace ambidex::runner

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  ambidex::runner::Work work;          // may be nothing
  std::vector<CUgraphNode_st*> after;  // of the same graph
  std::shared_ptr<ambidex::runner::KernelNode> kernel;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  // in the order in which they came
};

namespace ambidex::runner {

/// Does work of a stream; where the stream is captured, adds it to the graph instead.
///   kernel  of a launch
int give(Runtime& state, cudaStream_t stream, cudaGraphNodeType type, Work work,
         std::shared_ptr<KernelNode> kernel = nullptr);

bool is_captured(cudaStream_t stream);
cudaStreamCaptureStatus capture_status(cudaStream_t stream);
int begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode);
/// The caller owns `*graph`, which is null where the capture was spoilt.
int end_capture(cudaStream_t stream, cudaGraph_t* graph);

/// Of a call that no captured stream may be in, as one that waits: it also ends what the capture is
/// good for. kSuccess if `stream`, or any where it is `kAnyStream`, is not captured.
int forbid_in_capture(cudaStream_t stream);
inline const cudaStream_t kAnyStream = reinterpret_cast<cudaStream_t>(~uintptr_t{0});

/// Of a call that is not safe while anything is captured, unless it was begun as relaxed.
int forbid_unless_relaxed();

/// A call that the executor does not have there; told as a problem, since a program may ignore it.
int not_in_executor(Runtime& state, const std::string& what);

/// What the stream's next work is to wait for; none if it is not captured.
struct Frontier {
  CUgraph_st* graph = nullptr;
  std::vector<CUgraphNode_st*> nodes;
};
Frontier frontier_of(cudaStream_t stream);

/// `stream` waits for an event that was recorded in a captured stream, and joins that capture.
int join_capture(cudaStream_t stream, const Frontier& event);

/// Null if `function` is no kernel or arguments are missing.
std::shared_ptr<KernelNode> kernel_node(const Runtime& state, const cudaKernelNodeParams& asked);

/// Runs or refuses the launch, with the arguments that the node keeps.
int launch(Runtime& state, const KernelNode& node, bool cooperative);

/// A new node of `graph`, or a status.
struct NodeRequest {
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  size_t num_after;
};
int add_node(const NodeRequest& asked, cudaGraphNodeType type, Work work, cudaGraphNode_t* node);

/// In an order in which each comes after those that it waits for; empty if there is none.
std::vector<CUgraphNode_st*> in_order(const CUgraph_st& graph);

}  // namespace ambidex::runner
