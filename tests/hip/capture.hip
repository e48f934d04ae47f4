// SPDX-License-Identifier: Apache-2.0
// What captured streams only write down: fills of volumes, and calls that spoil no capture.
#include "check.h"

namespace {

constexpr size_t kPitch = 16, kRows = 3, kSlices = 2;

void check_what_may_be_captured() {
  Array<unsigned char> bytes(kPitch * kRows * kSlices);
  int* shared = nullptr;
  (void)hipMallocManaged(reinterpret_cast<void**>(&shared), sizeof(int));
  hipStream_t stream;
  hipGraph_t graph = nullptr;
  hipGraphExec_t executable;
  (void)hipStreamCreate(&stream);
  (void)hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed);
  expect("attach", 0, hipStreamAttachMemAsync(stream, shared, 0, hipMemAttachSingle), hipSuccess);
  const hipPitchedPtr volume = make_hipPitchedPtr(bytes.device, kPitch, kPitch, kRows);
  expect("fill", 0, hipMemset3DAsync(volume, 7, make_hipExtent(5, kRows, kSlices), stream),
         hipSuccess);
  expect("capture", 0, hipStreamEndCapture(stream, &graph), hipSuccess);
  bytes.down();
  expect("byte before the launch", 0, bytes[0], 0);
  (void)hipGraphInstantiateWithFlags(&executable, graph, 0);
  (void)hipGraphLaunch(executable, stream);
  (void)hipStreamSynchronize(stream);
  bytes.down();
  for (size_t i = 0; i < bytes.host.size(); ++i) {
    expect("filled byte", i, bytes[i], i % kPitch < 5 ? 7 : 0);
  }
}

// ROCm 7 has the order of CUDA: where, pitch, value, bytes of an element, width, height.
void check_the_order_of_what_a_fill_is_asked() {
  Array<unsigned> words(8, 1u);
  const hipMemsetParams asked = {words.device, 16, 5u, 4u, 3, 2};
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t executable;
  (void)hipGraphCreate(&graph, 0);
  expect("node", 0, hipGraphAddMemsetNode(&node, graph, nullptr, 0, &asked), hipSuccess);
  (void)hipGraphInstantiateWithFlags(&executable, graph, 0);
  (void)hipGraphLaunch(executable, nullptr);
  words.down();
  for (size_t i = 0; i < 8; ++i) expect("word", i, words[i], i % 4 < 3 ? 5u : 1u);
}

}  // namespace

int main() {
  check_what_may_be_captured();
  check_the_order_of_what_a_fill_is_asked();
  return finish();
}
