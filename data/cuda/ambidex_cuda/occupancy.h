// SPDX-License-Identifier: Apache-2.0
// cudaOccupancyMaxPotentialBlockSize and its variants: the block, a whole number of warps, that
// keeps most threads on a multiprocessor; the largest of those that do.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime_api.h"

template <class Function, class SharedBytes>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* minGridSize, int* blockSize, Function func, SharedBytes blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0) {
  cudaFuncAttributes attributes;
  int device = 0;
  int num_multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&num_multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) {
    error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(func));
  }
  if (error != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int most_threads = 0;
  for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
    const int threads = size < limit ? size : limit;
    int num_blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &num_blocks, reinterpret_cast<const void*>(func), threads,
        size_t(blockSizeToDynamicSMemSize(threads)), flags);
    if (error != cudaSuccess) return error;
    if (threads * num_blocks <= most_threads) continue;
    most_threads = threads * num_blocks;
    *blockSize = threads;
    *minGridSize = num_blocks * num_multiprocessors;
  }
  return cudaSuccess;
}
template <class Function, class SharedBytes>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* minGridSize, int* blockSize, Function func, SharedBytes blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit, 0);
}
template <class Function>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize,
                                                               Function func,
                                                               size_t dynamicSMemSize = 0,
                                                               int blockSizeLimit = 0,
                                                               unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit, flags);
}
template <class Function>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize,
                                                      Function func, size_t dynamicSMemSize = 0,
                                                      int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize,
                                                     blockSizeLimit, 0);
}
