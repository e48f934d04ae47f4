// SPDX-License-Identifier: Apache-2.0
// cub::DeviceReduce, DeviceScan, DeviceSelect, DeviceHistogram and others: sequential. The call
// without storage asks for what the sorts need, and for one byte otherwise.
#pragma once
#pragma GCC system_header

#include "cub_functors.h"
//
#include "sequential.h"

namespace ambidex_cuda {

// True for the call that asks for the size.
inline bool asks_size(void* storage, size_t& num_bytes, size_t needed = 1) {
  if (storage == nullptr) num_bytes = needed;
  return storage == nullptr;
}
}  // namespace ambidex_cuda

#define AMBIDEX_CUB_RUN(...)                                                           \
  if (ambidex_cuda::asks_size(d_temp_storage, temp_storage_bytes)) return cudaSuccess; \
  return ambidex_cuda::run_on_device([=] __attribute__((device)) () mutable __VA_ARGS__, stream)

namespace cub {

struct DeviceReduce {
  template <class In, class Out, class Op, class T, class Num>
  static cudaError_t Reduce(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                            Num num_items, Op op, T init, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      T sum = init;
      for (Num i = 0; i < num_items; ++i) sum = op(sum, d_in[i]);
      *d_out = sum;
    });
  }
  template <class In, class Out, class Num>
  static cudaError_t Sum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         Num num_items, cudaStream_t stream = 0) {
    return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, cub::Sum(),
                  ambidex_cuda::value_at<Out>{}, stream);
  }
  template <class In, class Out, class Num>
  static cudaError_t Min(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      auto best = d_in[0];
      for (Num i = 1; i < num_items; ++i) best = d_in[i] < best ? d_in[i] : best;
      *d_out = best;
    });
  }
  template <class In, class Out, class Num>
  static cudaError_t Max(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      auto best = d_in[0];
      for (Num i = 1; i < num_items; ++i) best = best < d_in[i] ? d_in[i] : best;
      *d_out = best;
    });
  }
  template <class In, class Out, class Num>
  static cudaError_t ArgMin(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                            Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num best = 0;
      for (Num i = 1; i < num_items; ++i) best = d_in[i] < d_in[best] ? i : best;
      d_out->key = int(best);
      d_out->value = d_in[best];
    });
  }
  template <class In, class Out, class Num>
  static cudaError_t ArgMax(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                            Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num best = 0;
      for (Num i = 1; i < num_items; ++i) best = d_in[best] < d_in[i] ? i : best;
      d_out->key = int(best);
      d_out->value = d_in[best];
    });
  }
  template <class Keys, class Unique, class Values, class Sums, class Runs, class Op, class Num>
  static cudaError_t ReduceByKey(void* d_temp_storage, size_t& temp_storage_bytes, Keys d_keys_in,
                                 Unique d_unique_out, Values d_values_in, Sums d_aggregates_out,
                                 Runs d_num_runs_out, Op op, Num num_items,
                                 cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num run = -1;
      for (Num i = 0; i < num_items; ++i) {
        const bool same = i > 0 && d_keys_in[i] == d_keys_in[i - 1];
        run += same ? 0 : 1;
        d_unique_out[run] = d_keys_in[i];
        d_aggregates_out[run] = same ? op(d_aggregates_out[run], d_values_in[i]) : d_values_in[i];
      }
      *d_num_runs_out = run + 1;
    });
  }
};

struct DeviceScan {
  template <class In, class Out, class Op, class Num>
  static cudaError_t InclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                   Out d_out, Op op, Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      if (num_items == 0) return;
      ambidex_cuda::value_at<In> sum = d_in[0];
      d_out[0] = sum;
      for (Num i = 1; i < num_items; ++i) d_out[i] = sum = op(sum, d_in[i]);
    });
  }
  template <class In, class Out, class Op, class T, class Num>
  static cudaError_t ExclusiveScan(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                   Out d_out, Op op, T init, Num num_items,
                                   cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      T sum = init;
      for (Num i = 0; i < num_items; ++i) {
        const T next = op(sum, d_in[i]);
        d_out[i] = sum;
        sum = next;
      }
    });
  }
  template <class In, class Out, class Num>
  static cudaError_t InclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                  Out d_out, Num num_items, cudaStream_t stream = 0) {
    return InclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out, cub::Sum(), num_items,
                         stream);
  }
  template <class In, class Out, class Num>
  static cudaError_t ExclusiveSum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                                  Out d_out, Num num_items, cudaStream_t stream = 0) {
    return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out, cub::Sum(),
                         ambidex_cuda::value_at<In>{}, num_items, stream);
  }
};

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count, class Num>
  static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                             Flags d_flags, Out d_out, Count d_num_selected_out, Num num_items,
                             cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num count = 0;
      for (Num i = 0; i < num_items; ++i) {
        if (d_flags[i]) d_out[count++] = d_in[i];
      }
      *d_num_selected_out = count;
    });
  }
  template <class In, class Out, class Count, class Num, class Predicate>
  static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                        Count d_num_selected_out, Num num_items, Predicate select,
                        cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num count = 0;
      for (Num i = 0; i < num_items; ++i) {
        if (select(d_in[i])) d_out[count++] = d_in[i];
      }
      *d_num_selected_out = count;
    });
  }
  template <class In, class Out, class Count, class Num>
  static cudaError_t Unique(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                            Count d_num_selected_out, Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num count = 0;
      for (Num i = 0; i < num_items; ++i) {
        if (i == 0 || !(d_in[i] == d_in[i - 1])) d_out[count++] = d_in[i];
      }
      *d_num_selected_out = count;
    });
  }
};

// Selected items keep their order; the others follow from the end, in reverse.
struct DevicePartition {
  template <class In, class Out, class Count, class Num, class Predicate>
  static cudaError_t If(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                        Count d_num_selected_out, Num num_items, Predicate select,
                        cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num count = 0;
      Num end = num_items;
      for (Num i = 0; i < num_items; ++i) d_out[select(d_in[i]) ? count++ : --end] = d_in[i];
      *d_num_selected_out = count;
    });
  }
  template <class In, class Flags, class Out, class Count, class Num>
  static cudaError_t Flagged(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                             Flags d_flags, Out d_out, Count d_num_selected_out, Num num_items,
                             cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num count = 0;
      Num end = num_items;
      for (Num i = 0; i < num_items; ++i) d_out[d_flags[i] ? count++ : --end] = d_in[i];
      *d_num_selected_out = count;
    });
  }
};

}  // namespace cub
