// SPDX-License-Identifier: Apache-2.0
// R11: Graphs, launch attributes, dependent launch.
#include <cuda_runtime.h>

struct Params {
  int n;
};
__global__ void with_constant(const __grid_constant__ Params p, float* x) {  // expect: R11 S2
  x[threadIdx.x] = p.n;
}

void capture(cudaStream_t stream, cudaGraph_t* graph, cudaGraphExec_t* exec) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);  // expect: R11 S1
  cudaStreamEndCapture(stream, graph);                          // expect: R11 S1
  cudaGraphInstantiate(exec, *graph, 0);                        // expect: R11 S1
  cudaGraphLaunch(*exec, stream);                               // expect: R11 S1
}

void extended(float* x) {
  cudaLaunchConfig_t config = {};  // expect: R11 S2
  cudaLaunchAttribute attribute;   // expect: R11 S2
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;  // expect: R11 S2
  config.attrs = &attribute;
  cudaLaunchKernelEx(&config, with_constant, Params{1}, x);  // expect: R11 S2
}

template <class T>
__global__ void dependent(T* x) {
  cudaGridDependencySynchronize();  // expect: R11 S2
  x[threadIdx.x] = T(1);
  cudaTriggerProgrammaticLaunchCompletion();  // expect: R11 S2
}

#define WAIT() asm volatile("griddepcontrol.wait;" ::: "memory")  // expect: R11 S2

#ifdef CLUSTERS
__global__ void __cluster_dims__(2, 1, 1) clustered(float* x) { x[0] = 1; }  // expect: R11 S2
#endif
