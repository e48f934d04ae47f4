// SPDX-License-Identifier: Apache-2.0
#include "runner/graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace ambidex::runner {
namespace {

struct Capture {
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  cudaStream_t origin = nullptr;
  bool valid = true;
  std::map<cudaStream_t, std::vector<CUgraphNode_st*>> frontiers;  // of all streams in it
};

std::vector<std::unique_ptr<Capture>>& captures() {
  static std::vector<std::unique_ptr<Capture>> all;
  return all;
}

Capture* capture_of(cudaStream_t stream) {
  for (const auto& capture : captures()) {
    if (capture->frontiers.contains(stream)) return capture.get();
  }
  return nullptr;
}

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

bool is_blocking(cudaStream_t stream) {
  unsigned flags = 0;
  cudaStreamGetFlags(stream, &flags);
  return (flags & cudaStreamNonBlocking) == 0;
}

// The default stream would have to wait for what is only written down.
int forbid_implicit(cudaStream_t stream) {
  if (!is_legacy(stream)) return kSuccess;
  for (const auto& capture : captures()) {
    if (!is_blocking(capture->origin)) continue;
    capture->valid = false;
    return cudaErrorStreamCaptureImplicit;
  }
  return kSuccess;
}

// All that `nodes` wait for, and themselves.
std::set<const CUgraphNode_st*> reached(const std::vector<CUgraphNode_st*>& nodes) {
  std::set<const CUgraphNode_st*> seen;
  std::vector<const CUgraphNode_st*> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    const CUgraphNode_st* node = open.back();
    open.pop_back();
    if (seen.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return seen;
}

}  // namespace

int give(Runtime& state, cudaStream_t stream, cudaGraphNodeType type, Work work,
         std::shared_ptr<KernelNode> kernel) {
  Capture* capture = capture_of(stream);
  if (capture == nullptr) {
    const int status = forbid_implicit(stream);
    return status == kSuccess ? work(state) : status;
  }
  if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
  auto& frontier = capture->frontiers[stream];
  auto node = std::make_unique<CUgraphNode_st>(
      CUgraphNode_st{type, std::move(work), frontier, std::move(kernel)});
  frontier = {node.get()};
  capture->graph->nodes.push_back(std::move(node));
  return kSuccess;
}

bool is_captured(cudaStream_t stream) { return capture_of(stream) != nullptr; }

int forbid_in_capture(cudaStream_t stream) {
  bool found = false;
  for (const auto& capture : captures()) {
    if (stream != kAnyStream && !capture->frontiers.contains(stream)) continue;
    capture->valid = false;
    found = true;
  }
  return found ? int{cudaErrorStreamCaptureUnsupported} : int{kSuccess};
}

int forbid_unless_relaxed() {
  for (const auto& capture : captures()) {
    if (capture->mode == cudaStreamCaptureModeRelaxed) continue;
    capture->valid = false;
    return cudaErrorStreamCaptureUnsupported;
  }
  return kSuccess;
}

int not_in_executor(Runtime& state, const std::string& what) {
  add_refusal(state, "", what + " is not in the executor");
  return kNotSupported;
}

Frontier frontier_of(cudaStream_t stream) {
  Capture* capture = capture_of(stream);
  if (capture == nullptr) return {};
  return {capture->graph.get(), capture->frontiers[stream]};
}

int join_capture(cudaStream_t stream, const Frontier& event) {
  for (const auto& capture : captures()) {
    if (capture->graph.get() != event.graph) continue;
    const Capture* own = capture_of(stream);
    if (own != nullptr && own != capture.get()) return cudaErrorStreamCaptureMerge;
    auto& frontier = capture->frontiers[stream];
    for (CUgraphNode_st* node : event.nodes) {
      if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) {
        frontier.push_back(node);
      }
    }
    return kSuccess;
  }
  return cudaErrorCapturedEvent;  // of a capture that has ended
}

int begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (is_legacy(stream)) return cudaErrorStreamCaptureUnsupported;
  if (is_captured(stream)) return kIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->mode = mode;
  capture->origin = stream;
  capture->frontiers[stream] = {};
  captures().push_back(std::move(capture));
  return kSuccess;
}

int end_capture(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph == nullptr) return kInvalidValue;
  *graph = nullptr;
  Capture* const capture = capture_of(stream);
  if (capture == nullptr) return kIllegalState;
  if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
  const auto joined = reached(capture->frontiers[stream]);
  int status = kSuccess;
  if (!capture->valid) {
    status = cudaErrorStreamCaptureInvalidated;
  } else if (joined.size() != capture->graph->nodes.size()) {
    status = cudaErrorStreamCaptureUnjoined;
  } else {
    *graph = capture->graph.release();
  }
  std::erase_if(captures(), [&](const auto& other) { return other.get() == capture; });
  return status;
}

cudaStreamCaptureStatus capture_status(cudaStream_t stream) {
  const Capture* const capture = capture_of(stream);
  if (capture == nullptr) return cudaStreamCaptureStatusNone;
  return capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

std::shared_ptr<KernelNode> kernel_node(const Runtime& state, const cudaKernelNodeParams& asked) {
  const Kernel* kernel = kernel_of(state, asked.func);
  if (kernel == nullptr || (asked.kernelParams == nullptr && !kernel->parameters.empty())) {
    return nullptr;
  }
  auto node = std::make_shared<KernelNode>();
  for (size_t i = 0; i < kernel->parameters.size(); ++i) {
    node->values.emplace_back(static_cast<const char*>(asked.kernelParams[i]),
                              static_cast<size_t>(kernel->parameters[i].num_bytes));
  }
  for (std::string& value : node->values) node->arguments.push_back(value.data());
  node->parameters = asked;
  node->parameters.kernelParams = node->arguments.data();
  node->parameters.extra = nullptr;
  return node;
}

int add_node(const NodeRequest& asked, cudaGraphNodeType type, Work work, cudaGraphNode_t* node) {
  if (node == nullptr || asked.graph == nullptr) return kInvalidValue;
  if (asked.after == nullptr && asked.num_after > 0) return kInvalidValue;
  auto made = std::make_unique<CUgraphNode_st>();
  made->type = type;
  made->work = std::move(work);
  made->after.assign(asked.after, asked.after + asked.num_after);
  *node = made.get();
  asked.graph->nodes.push_back(std::move(made));
  return kSuccess;
}

std::vector<CUgraphNode_st*> in_order(const CUgraph_st& graph) {
  std::vector<CUgraphNode_st*> order;
  std::set<const CUgraphNode_st*> done;
  for (size_t before = 1; order.size() != before;) {
    before = order.size();
    for (const auto& node : graph.nodes) {
      const bool ready = std::all_of(node->after.begin(), node->after.end(),
                                     [&](const auto* other) { return done.contains(other); });
      if (ready && done.insert(node.get()).second) order.push_back(node.get());
    }
  }
  if (order.size() != graph.nodes.size()) order.clear();
  return order;
}

}  // namespace ambidex::runner
