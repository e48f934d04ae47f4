// SPDX-License-Identifier: Apache-2.0
// Capture of streams, and graphs.
#include <algorithm>
#include <cstring>

#include "runner/graph.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st* node;  // of the graph that it was made of
    cudaGraphNodeType type;
    Work work;
    const void* kernel;
  };
  std::vector<Step> steps;
};

namespace {

std::vector<CUgraphExec_st::Step> steps_of(const CUgraph_st& graph) {
  std::vector<CUgraphExec_st::Step> steps;
  for (const CUgraphNode_st* node : in_order(graph)) {
    const void* kernel = node->kernel == nullptr ? nullptr : node->kernel->parameters.func;
    steps.push_back({node, node->type, node->work, kernel});
  }
  return steps;
}

int run_steps(Runtime& state, const std::vector<CUgraphExec_st::Step>& steps) {
  for (const auto& step : steps) {
    const int status = step.work ? step.work(state) : int{kSuccess};
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

Work launch_of(const std::shared_ptr<KernelNode>& node) {
  return [node](Runtime& state) { return launch(state, *node, false); };
}

int fill_rows(Runtime& state, const cudaMemsetParams& asked) {
  for (size_t row = 0; row < std::max<size_t>(asked.height, 1); ++row) {
    char* const begin = static_cast<char*>(asked.dst) + row * asked.pitch;
    const size_t size = asked.elementSize;
    const int status = fill(state, begin, 0, asked.width * size);
    if (status != kSuccess) return status;
    for (size_t i = 0; i < asked.width; ++i) std::memcpy(begin + i * size, &asked.value, size);
  }
  return kSuccess;
}

// The nodes that `wanted` takes, as cudaGraphGetNodes gives them.
template <class Wanted>
int list_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* num_nodes, Wanted wanted) {
  if (graph == nullptr || num_nodes == nullptr) return kInvalidValue;
  std::vector<cudaGraphNode_t> all;
  for (const auto& node : graph->nodes) {
    if (wanted(*node)) all.push_back(node.get());
  }
  for (size_t i = 0; nodes != nullptr && i < *num_nodes; ++i) {
    nodes[i] = i < all.size() ? all[i] : nullptr;
  }
  *num_nodes = nodes == nullptr ? all.size() : std::min(*num_nodes, all.size());
  return kSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api([&](Runtime&) { return begin_capture(stream, mode); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return api([&](Runtime&) { return end_capture(stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return api([&](Runtime&) -> int {
    if (status == nullptr) return kInvalidValue;
    *status = capture_status(stream);
    return kSuccess;
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     size_t* num_dependencies) {
  return api([&](Runtime& state) -> int {
    if (status == nullptr) return kInvalidValue;
    if (dependencies != nullptr || num_dependencies != nullptr) {
      return not_in_executor(state, "a list of what a captured stream depends on");
    }
    *status = capture_status(stream);
    CUgraph_st* const captured = frontier_of(stream).graph;
    if (id != nullptr) *id = reinterpret_cast<uintptr_t>(captured);
    if (graph != nullptr) *graph = captured;
    return kSuccess;
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  return api([&](Runtime&) -> int {
    if (mode == nullptr) return kInvalidValue;
    std::swap(*mode, current);
    return kSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return api([&](Runtime&) -> int {
    if (graph == nullptr) return kInvalidValue;
    *graph = new CUgraph_st;
    return kSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api([&](Runtime&) -> int {
    if (graph == nullptr) return kInvalidValue;
    delete graph;
    return kSuccess;
  });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t num_after,
                                   const cudaKernelNodeParams* asked) {
  return api([&](Runtime& state) -> int {
    if (asked == nullptr) return kInvalidValue;
    auto kernel = kernel_node(state, *asked);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    const int status =
        add_node({graph, after, num_after}, cudaGraphNodeTypeKernel, launch_of(kernel), node);
    if (status == kSuccess) (*node)->kernel = std::move(kernel);
    return status;
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t num_after,
                                   const cudaMemcpy3DParms* asked) {
  return api([&](Runtime&) -> int {
    if (asked == nullptr) return kInvalidValue;
    return add_node(
        {graph, after, num_after}, cudaGraphNodeTypeMemcpy,
        [all = *asked](Runtime& state) { return copy_slices(state, all); }, node);
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t num_after, void* to,
                                     const void* from, size_t num_bytes, cudaMemcpyKind kind) {
  return api([&](Runtime&) {
    return add_node(
        {graph, after, num_after}, cudaGraphNodeTypeMemcpy,
        [=](Runtime& state) { return copy(state, to, from, num_bytes, kind); }, node);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t num_after,
                                   const cudaMemsetParams* asked) {
  return api([&](Runtime&) -> int {
    if (asked == nullptr) return kInvalidValue;
    const size_t size = asked->elementSize;
    if (size != 1 && size != 2 && size != 4) return kInvalidValue;
    return add_node(
        {graph, after, num_after}, cudaGraphNodeTypeMemset,
        [all = *asked](Runtime& state) { return fill_rows(state, all); }, node);
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t num_after,
                                 const cudaHostNodeParams* asked) {
  return api([&](Runtime&) -> int {
    if (asked == nullptr || asked->fn == nullptr) return kInvalidValue;
    const auto call = [all = *asked](Runtime&) {
      all.fn(all.userData);
      return kSuccess;
    };
    return add_node({graph, after, num_after}, cudaGraphNodeTypeHost, call, node);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t num_after) {
  return api([&](Runtime&) {
    return add_node({graph, after, num_after}, cudaGraphNodeTypeEmpty, nullptr, node);
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t num_after,
                                       cudaGraph_t child) {
  return api([&](Runtime&) -> int {
    if (child == nullptr) return kInvalidValue;
    return add_node(
        {graph, after, num_after}, cudaGraphNodeTypeGraph,
        [steps = steps_of(*child)](Runtime& state) { return run_steps(state, steps); }, node);
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t num) {
  return api([&](Runtime&) -> int {
    if (graph == nullptr || (num > 0 && (from == nullptr || to == nullptr))) return kInvalidValue;
    for (size_t i = 0; i < num; ++i) to[i]->after.push_back(from[i]);
    return kSuccess;
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* num_nodes) {
  return api([&](Runtime&) {
    return list_nodes(graph, nodes, num_nodes, [](const auto&) { return true; });
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* num_nodes) {
  return api([&](Runtime&) {
    return list_nodes(graph, nodes, num_nodes, [](const auto& node) { return node.after.empty(); });
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api([&](Runtime&) -> int {
    if (node == nullptr || type == nullptr) return kInvalidValue;
    *type = node->type;
    return kSuccess;
  });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return api([&](Runtime&) -> int {
    if (node == nullptr || node->kernel == nullptr || parameters == nullptr) return kInvalidValue;
    *parameters = node->kernel->parameters;
    return kSuccess;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* asked) {
  return api([&](Runtime& state) -> int {
    if (node == nullptr || node->kernel == nullptr || asked == nullptr) return kInvalidValue;
    auto kernel = kernel_node(state, *asked);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    node->work = launch_of(kernel);
    node->kernel = std::move(kernel);
    return kSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long) {
  return api([&](Runtime&) -> int {
    if (executable == nullptr || graph == nullptr) return kInvalidValue;
    auto steps = steps_of(*graph);
    if (steps.size() != graph->nodes.size()) return kInvalidValue;  // nodes wait for each other
    *executable = new CUgraphExec_st{std::move(steps)};
    return kSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* asked) {
  return api([&](Runtime& state) -> int {
    if (executable == nullptr || node == nullptr || asked == nullptr) return kInvalidValue;
    const auto kernel = kernel_node(state, *asked);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    for (auto& step : executable->steps) {
      if (step.node != node || step.type != cudaGraphNodeTypeKernel) continue;
      step.work = launch_of(kernel);
      step.kernel = asked->func;
      return kSuccess;
    }
    return kInvalidValue;
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return api([&](Runtime&) -> int {
    if (executable == nullptr || graph == nullptr || result == nullptr) return kInvalidValue;
    auto steps = steps_of(*graph);
    *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    if (steps.size() != executable->steps.size()) {
      result->result = cudaGraphExecUpdateErrorTopologyChanged;
    }
    for (size_t i = 0; i < std::min(steps.size(), executable->steps.size()); ++i) {
      if (steps[i].type != executable->steps[i].type) {
        result->result = cudaGraphExecUpdateErrorNodeTypeChanged;
      } else if (steps[i].kernel != executable->steps[i].kernel) {
        result->result = cudaGraphExecUpdateErrorFunctionChanged;
      }
    }
    if (result->result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    for (size_t i = 0; i < steps.size(); ++i) executable->steps[i].work = steps[i].work;
    return kSuccess;
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return api([&](Runtime&) { return executable != nullptr ? kSuccess : kInvalidValue; });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return api([&](Runtime& state) -> int {
    if (executable == nullptr) return kInvalidValue;
    return give(state, stream, cudaGraphNodeTypeGraph,
                [steps = executable->steps](Runtime& now) { return run_steps(now, steps); });
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return api([&](Runtime&) -> int {
    if (executable == nullptr) return kInvalidValue;
    delete executable;
    return kSuccess;
  });
}

}  // extern "C"
