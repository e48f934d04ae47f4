// SPDX-License-Identifier: Apache-2.0
// Launches, and what may be asked of kernels.
#include <algorithm>

#include "runner/graph.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

namespace {

struct Configuration {
  dim3 grid, block;
  size_t dynamic_bytes = 0;
  void* stream = nullptr;
};

// Between <<<>>> and the stub that it calls.
thread_local std::vector<Configuration> configurations;

std::array<uint32_t, 3> extents(dim3 from) { return {from.x, from.y, from.z}; }

KernelCall call_of(const Runtime& state, const KernelNode& node, bool cooperative) {
  const cudaKernelNodeParams& how = node.parameters;
  KernelCall call{
      .kernel = kernel_of(state, how.func), .launch = {}, .arguments = how.kernelParams};
  call.launch.grid = extents(how.gridDim);
  call.launch.block = extents(how.blockDim);
  call.launch.dynamic_shared_bytes = static_cast<int64_t>(how.sharedMemBytes);
  call.launch.cooperative = cooperative;
  return call;
}

// A launch of a stream: its arguments are the program's, and are kept only where it is captured.
int give_launch(Runtime& state, const cudaKernelNodeParams& asked, cudaStream_t stream,
                bool cooperative) {
  if (!is_captured(stream)) {
    return give(state, stream, cudaGraphNodeTypeKernel, [&](Runtime& now) {
      return launch(now, {asked, {}, {}}, cooperative);
    });
  }
  const auto node = kernel_node(state, asked);
  if (node == nullptr) return kInvalidDeviceFunction;
  const Status refused = judge(state, call_of(state, *node, cooperative));
  if (refused != kSuccess) return refused;
  const auto run = [node, cooperative](Runtime& now) { return launch(now, *node, cooperative); };
  return give(state, stream, cudaGraphNodeTypeKernel, run, node);
}

cudaKernelNodeParams parameters_of(const void* function, dim3 grid, dim3 block, void** arguments,
                                   size_t dynamic_bytes) {
  return {const_cast<void*>(function),
          grid,
          block,
          static_cast<unsigned>(std::min<size_t>(dynamic_bytes, ~0u)),
          arguments,
          nullptr};
}

int active_blocks(const Runtime& state, const void* function, int block_size, size_t dynamic_bytes,
                  int* num_blocks) {
  const Kernel* kernel = kernel_of(state, function);
  if (kernel == nullptr) return kInvalidDeviceFunction;
  if (num_blocks == nullptr || block_size < 1) return kInvalidValue;
  *num_blocks = static_cast<int>(blocks_per_unit(
      state.limits, block_size, kernel->shared_bytes + static_cast<int64_t>(dynamic_bytes)));
  return kSuccess;
}

}  // namespace

namespace ambidex::runner {

int launch(Runtime& state, const KernelNode& node, bool cooperative) {
  const KernelCall call = call_of(state, node, cooperative);
  if (const Status refused = judge(state, call); refused != kSuccess) {
    state.launches.push_back({{"kernel", call.kernel != nullptr ? call.kernel->name : ""},
                              {"grid", call.launch.grid},
                              {"block", call.launch.block},
                              {"dynamic_shared_bytes", call.launch.dynamic_shared_bytes},
                              {"cooperative", cooperative},
                              {"buffers", nlohmann::json::array()},
                              {"error", static_cast<int>(refused)}});
    return refused;
  }
  // As on a device: the launch itself is fine, and what comes after it fails.
  try {
    set_sticky_error(run_kernel(state, call, state.request.program.record));
  } catch (const ambidex::Error& error) {  // it must not pass through the program's own code
    add_refusal(state, call.kernel->name, error.what());
    return kInvalidConfiguration;
  }
  return kSuccess;
}

const Kernel* kernel_of(const Runtime& state, const void* function) {
  const auto found = state.handles.find(function);
  return found == state.handles.end() ? nullptr : found->second;
}

}  // namespace ambidex::runner

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_bytes,
                                     struct CUstream_st* stream) {
  configurations.push_back({grid, block, dynamic_bytes, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_bytes,
                                       void* stream) {
  if (configurations.empty()) return done(52);  // missing configuration
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *dynamic_bytes = last.dynamic_bytes;
  *static_cast<void**>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_bytes, cudaStream_t stream) {
  return api([&](Runtime& state) {
    const auto asked = parameters_of(function, grid, block, arguments, dynamic_bytes);
    return give_launch(state, asked, stream, false);
  });
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t dynamic_bytes,
                                        cudaStream_t stream) {
  return api([&](Runtime& state) {
    const auto asked = parameters_of(function, grid, block, arguments, dynamic_bytes);
    return give_launch(state, asked, stream, true);
  });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return api([&](Runtime& state) -> int {
    if (config == nullptr) return kInvalidValue;
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const cudaLaunchAttribute& attribute = config->attrs[i];
      if (attribute.id == cudaLaunchAttributeCooperative) {
        cooperative = attribute.val.cooperative != 0;
      }
      const auto& cluster = attribute.val.clusterDim;
      const bool clustered = attribute.id == cudaLaunchAttributeClusterDimension &&
                             cluster.x * cluster.y * cluster.z > 1;
      if (clustered) return kNotSupported;  // the executor has no clusters
    }
    const auto asked = parameters_of(function, config->gridDim, config->blockDim, arguments,
                                     config->dynamicSmemBytes);
    return give_launch(state, asked, config->stream, cooperative);
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return api([&](Runtime& state) -> int {
    if (function == nullptr) return kInvalidValue;
    const auto call = [=](Runtime&) {
      function(data);
      return kSuccess;
    };
    return give(state, stream, cudaGraphNodeTypeHost, call);
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api([&](Runtime& state) -> int {
    const Kernel* kernel = kernel_of(state, function);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return kSuccess;
    const int64_t most = state.limits.shared_bytes_per_block_opt_in - kernel->shared_bytes;
    if (value < 0 || value > most) return kInvalidValue;
    state.dynamic_opt_in[kernel] = value;
    return kSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api([&](Runtime& state) -> int {
    const Kernel* kernel = kernel_of(state, function);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    *attributes = {};
    attributes->sharedSizeBytes = static_cast<size_t>(kernel->shared_bytes);
    attributes->maxThreadsPerBlock =
        static_cast<int>(kernel->max_threads != 0 ? kernel->max_threads : kMaxThreadsPerBlock);
    attributes->numRegs = 32;  // not known here: the code is not compiled for the device
    const auto opt_in = state.dynamic_opt_in.find(kernel);
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(
        opt_in != state.dynamic_opt_in.end()
            ? opt_in->second
            : std::max<int64_t>(0, state.limits.shared_bytes_per_block - kernel->shared_bytes));
    const int version = state.limits.compute_major * 10 + state.limits.compute_minor;
    attributes->ptxVersion = attributes->binaryVersion = version;
    return kSuccess;
  });
}
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api([&](Runtime& state) {
    return kernel_of(state, function) != nullptr ? kSuccess : kInvalidDeviceFunction;
  });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone);
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api([&](Runtime& state) -> int {
    const Kernel* kernel = kernel_of(state, function);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    *name = kernel->symbol.c_str();
    return kSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* function,
                                                          int block_size, size_t dynamic_bytes) {
  return api([&](Runtime& state) {
    return active_blocks(state, function, block_size, dynamic_bytes, num_blocks);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* num_blocks,
                                                                   const void* function,
                                                                   int block_size,
                                                                   size_t dynamic_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, function, block_size,
                                                       dynamic_bytes);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic_bytes, const void* function,
                                                      int num_blocks, int) {
  return api([&](Runtime& state) -> int {
    const Kernel* kernel = kernel_of(state, function);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    if (num_blocks < 1) return kInvalidValue;
    const int64_t each =
        state.limits.shared_bytes_per_unit / num_blocks - state.limits.shared_bytes_reserved;
    const int64_t most = std::min(each, state.limits.shared_bytes_per_block_opt_in);
    *dynamic_bytes = static_cast<size_t>(std::max<int64_t>(0, most - kernel->shared_bytes));
    return kSuccess;
  });
}

}  // extern "C"
