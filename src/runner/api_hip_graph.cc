// SPDX-License-Identifier: Apache-2.0
// HIP's capture of streams and graphs. Parameters of kernels have another layout than CUDA's.
#include "runner/api_hip.h"

namespace {

// As CUDA's runtime has them.
struct CudaKernelNode {
  void* function;
  dim3 grid, block;
  unsigned dynamic_bytes;
  void** arguments;
  void** extra;
};
struct CudaUpdateResult {
  int result;
  void* node;
  void* from;
};

CudaKernelNode cuda(const hipKernelNodeParams& it) {
  return {it.func, it.gridDim, it.blockDim, it.sharedMemBytes, it.kernelParams, it.extra};
}

}  // namespace

extern "C" {

int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamEndCapture(void* stream, hipGraph_t* graph);
int cudaStreamIsCapturing(void* stream, hipStreamCaptureStatus* status);
int cudaStreamGetCaptureInfo(void* stream, hipStreamCaptureStatus* status, unsigned long long* id,
                             void* graph, void* dependencies, size_t* num_dependencies);
int cudaThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);
int cudaGraphCreate(hipGraph_t* graph, unsigned flags);
int cudaGraphDestroy(hipGraph_t graph);
int cudaGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                           size_t num_after, const CudaKernelNode* parameters);
int cudaGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                             size_t num_after, void* to, const void* from, size_t num_bytes,
                             int kind);
int cudaGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                           size_t num_after, const hipMemsetParams* parameters);
int cudaGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                         size_t num_after, const hipHostNodeParams* parameters);
int cudaGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                          size_t num_after);
int cudaGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                               size_t num_after, hipGraph_t child);
int cudaGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                             size_t num);
int cudaGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* num_nodes);
int cudaGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* num_nodes);
int cudaGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type);
int cudaGraphKernelNodeGetParams(hipGraphNode_t node, CudaKernelNode* parameters);
int cudaGraphKernelNodeSetParams(hipGraphNode_t node, const CudaKernelNode* parameters);
int cudaGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                  unsigned long long flags);
int cudaGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                     const CudaKernelNode* parameters);
int cudaGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph, CudaUpdateResult* result);
int cudaGraphUpload(hipGraphExec_t executable, void* stream);
int cudaGraphLaunch(hipGraphExec_t executable, void* stream);
int cudaGraphExecDestroy(hipGraphExec_t executable);

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return hip(cudaStreamBeginCapture(stream, mode));
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return hip(cudaStreamEndCapture(stream, graph));
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return hip(cudaStreamIsCapturing(stream, status));
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
  return hip(cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr));
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return hip(cudaThreadExchangeStreamCaptureMode(mode));
}

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  return hip(cudaGraphCreate(graph, flags));
}
hipError_t hipGraphDestroy(hipGraph_t graph) { return hip(cudaGraphDestroy(graph)); }
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t num_after,
                                 const hipKernelNodeParams* parameters) {
  if (parameters == nullptr) return hipErrorInvalidValue;
  const CudaKernelNode asked = cuda(*parameters);
  return hip(cudaGraphAddKernelNode(node, graph, after, num_after, &asked));
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* after, size_t num_after, void* to,
                                   const void* from, size_t num_bytes, hipMemcpyKind kind) {
  return hip(cudaGraphAddMemcpyNode1D(node, graph, after, num_after, to, from, num_bytes, kind));
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t num_after,
                                 const hipMemsetParams* parameters) {
  return hip(cudaGraphAddMemsetNode(node, graph, after, num_after, parameters));
}
hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                               size_t num_after, const hipHostNodeParams* parameters) {
  return hip(cudaGraphAddHostNode(node, graph, after, num_after, parameters));
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                                size_t num_after) {
  return hip(cudaGraphAddEmptyNode(node, graph, after, num_after));
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* after, size_t num_after,
                                     hipGraph_t child) {
  return hip(cudaGraphAddChildGraphNode(node, graph, after, num_after, child));
}
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, size_t num) {
  return hip(cudaGraphAddDependencies(graph, from, to, num));
}
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* num_nodes) {
  return hip(cudaGraphGetNodes(graph, nodes, num_nodes));
}
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* num_nodes) {
  return hip(cudaGraphGetRootNodes(graph, nodes, num_nodes));
}
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  return hip(cudaGraphNodeGetType(node, type));
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* parameters) {
  CudaKernelNode found{};
  const int status = cudaGraphKernelNodeGetParams(node, &found);
  if (status != 0) return hip(status);
  *parameters = {found.block, found.extra,     found.function,
                 found.grid,  found.arguments, found.dynamic_bytes};
  return hipSuccess;
}
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* parameters) {
  if (parameters == nullptr) return hipErrorInvalidValue;
  const CudaKernelNode asked = cuda(*parameters);
  return hip(cudaGraphKernelNodeSetParams(node, &asked));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                        unsigned long long flags) {
  return hip(cudaGraphInstantiateWithFlags(executable, graph, flags));
}
hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t* error,
                               char*, size_t) {
  if (error != nullptr) *error = nullptr;
  return hip(cudaGraphInstantiateWithFlags(executable, graph, 0));
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
  if (parameters == nullptr) return hipErrorInvalidValue;
  const CudaKernelNode asked = cuda(*parameters);
  return hip(cudaGraphExecKernelNodeSetParams(executable, node, &asked));
}
hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph, hipGraphNode_t* error,
                              hipGraphExecUpdateResult* result) {
  CudaUpdateResult found{};
  const int status = cudaGraphExecUpdate(executable, graph, &found);
  if (error != nullptr) *error = nullptr;
  if (result != nullptr) *result = static_cast<hipGraphExecUpdateResult>(found.result);
  return hip(status);
}
hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
  return hip(cudaGraphUpload(executable, stream));
}
hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  return hip(cudaGraphLaunch(executable, stream));
}
hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  return hip(cudaGraphExecDestroy(executable));
}

}  // extern "C"
