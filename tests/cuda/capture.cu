// SPDX-License-Identifier: Apache-2.0
// What captured streams only write down: fills of volumes, and calls that spoil no capture.
#include "check.h"

namespace {

constexpr size_t kRows = 3, kSlices = 2, kBytes = kRows * kSlices;

cudaPitchedPtr volume(Array<unsigned char>& bytes, size_t pitch) {
  return make_cudaPitchedPtr(bytes.device, pitch, pitch, kRows);
}

int first_of(const Array<unsigned char>& bytes) { return bytes.values()[0]; }

void check_fill_of_a_volume() {
  Array<unsigned char> bytes(16 * kBytes);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  const cudaError_t error =
      cudaMemset3DAsync(volume(bytes, 16), 7, make_cudaExtent(5, kRows, kSlices), stream);
  cudaStreamEndCapture(stream, &graph);
  CHECK_EQUAL("status of a captured fill", 0, error, cudaSuccess);
  CHECK_EQUAL("byte before the launch", 0, first_of(bytes), 0);
  size_t num_nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &num_nodes);
  CHECK_EQUAL("number of nodes", 0, num_nodes, size_t{1});
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  const std::vector<unsigned char> got = bytes.values();
  for (size_t i = 0; i < got.size(); ++i) {
    const unsigned char wanted = i % 16 < 5 ? 7 : 0;
    CHECK_EQUAL("filled byte", i, got[i], wanted);
  }
}

// A node that copies a volume runs in its graph's launch, which the other capture allows.
void check_copy_of_a_volume_while_another_stream_is_captured() {
  Array<unsigned char> from(std::vector<unsigned char>(8 * kBytes, 9)), to(16 * kBytes);
  cudaStream_t captured, other;
  cudaStreamCreate(&captured);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaGraph_t graph, caught = nullptr;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaMemcpy3DParms all = {};
  all.srcPtr = volume(from, 8);
  all.dstPtr = volume(to, 16);
  all.extent = make_cudaExtent(8, kRows, kSlices);
  all.kind = cudaMemcpyDeviceToDevice;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &all);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed);
  CHECK_EQUAL("status of a launch", 0, cudaGraphLaunch(executable, other), cudaSuccess);
  CHECK_EQUAL("status of the capture", 0, cudaStreamEndCapture(captured, &caught), cudaSuccess);
  const std::vector<unsigned char> got = to.values();
  for (size_t i = 0; i < got.size(); ++i) {
    const unsigned char wanted = i % 16 < 8 ? 9 : 0;
    CHECK_EQUAL("copied byte", i, got[i], wanted);
  }
}

}  // namespace

int main() {
  check_fill_of_a_volume();
  check_copy_of_a_volume_while_another_stream_is_captured();
  return finish();
}
