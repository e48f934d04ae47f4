// SPDX-License-Identifier: Apache-2.0
// cub::DeviceRadixSort, DeviceHistogram, DeviceRunLengthEncode, DeviceSegmentedReduce, DeviceFor.
#pragma once
#pragma GCC system_header

#include "cub_device.h"
#include "cub_keys.h"

namespace cub {

template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;
  DoubleBuffer() : d_buffers{nullptr, nullptr} {}
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  AMBIDEX_MEMBER_HD T* Current() { return d_buffers[selector]; }
  AMBIDEX_MEMBER_HD T* Alternate() { return d_buffers[selector ^ 1]; }
};

// The storage holds the places of the items twice.
class DeviceRadixSort {
  template <class Key, class Value, class Num>
  static cudaError_t sort(void* storage, size_t& num_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, Num num_items, int begin,
                          int end, bool descending, cudaStream_t stream) {
    const size_t needed = 16 + 2 * size_t(num_items) * sizeof(long long);
    if (ambidex_cuda::asks_size(storage, num_bytes, needed)) return cudaSuccess;
    if (num_bytes < needed) return cudaErrorInvalidValue;
    long long* const places = static_cast<long long*>(storage);
    return ambidex_cuda::run_on_device(
        [=] __attribute__((device)) () {
          for (Num i = 0; i < num_items; ++i) places[i] = i;
          ambidex_cuda::merge_sort(
              places, places + num_items,
              (long long)num_items, [=] __attribute__((device)) (long long a, long long b) {
                return ambidex_cuda::sort_bits(keys_in[a], begin, end, descending) <
                       ambidex_cuda::sort_bits(keys_in[b], begin, end, descending);
              });
          for (Num i = 0; i < num_items; ++i) {
            keys_out[i] = keys_in[places[i]];
            if (values_out != nullptr) values_out[i] = values_in[places[i]];
          }
        },
        stream);
  }
  static constexpr NullType* kNone = nullptr;
  template <class Key, class Value, class Num>
  static cudaError_t sort(void* storage, size_t& num_bytes, DoubleBuffer<Key>& keys,
                          DoubleBuffer<Value>& values, Num num_items, int begin, int end,
                          bool descending, cudaStream_t stream) {
    const cudaError_t error =
        sort(storage, num_bytes, keys.Current(), keys.Alternate(), values.Current(),
             values.Alternate(), num_items, begin, end, descending, stream);
    if (storage != nullptr) keys.selector ^= 1;
    if (storage != nullptr) values.selector ^= 1;
    return error;
  }

 public:
  template <class Key, class Num>
  static cudaError_t SortKeys(void* storage, size_t& num_bytes, const Key* keys_in, Key* keys_out,
                              Num num_items, int begin = 0, int end = 8 * sizeof(Key),
                              cudaStream_t stream = 0) {
    return sort(storage, num_bytes, keys_in, keys_out, kNone, kNone, num_items, begin, end, false,
                stream);
  }
  template <class Key, class Num>
  static cudaError_t SortKeysDescending(void* storage, size_t& num_bytes, const Key* keys_in,
                                        Key* keys_out, Num num_items, int begin = 0,
                                        int end = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort(storage, num_bytes, keys_in, keys_out, kNone, kNone, num_items, begin, end, true,
                stream);
  }
  template <class Key, class Value, class Num>
  static cudaError_t SortPairs(void* storage, size_t& num_bytes, const Key* keys_in, Key* keys_out,
                               const Value* values_in, Value* values_out, Num num_items,
                               int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort(storage, num_bytes, keys_in, keys_out, values_in, values_out, num_items, begin, end,
                false, stream);
  }
  template <class Key, class Value, class Num>
  static cudaError_t SortPairsDescending(void* storage, size_t& num_bytes, const Key* keys_in,
                                         Key* keys_out, const Value* values_in, Value* values_out,
                                         Num num_items, int begin = 0, int end = 8 * sizeof(Key),
                                         cudaStream_t stream = 0) {
    return sort(storage, num_bytes, keys_in, keys_out, values_in, values_out, num_items, begin, end,
                true, stream);
  }
  template <class Key, class Num>
  static cudaError_t SortKeys(void* storage, size_t& num_bytes, DoubleBuffer<Key>& keys,
                              Num num_items, int begin = 0, int end = 8 * sizeof(Key),
                              cudaStream_t stream = 0) {
    DoubleBuffer<NullType> none;
    return sort(storage, num_bytes, keys, none, num_items, begin, end, false, stream);
  }
  template <class Key, class Value, class Num>
  static cudaError_t SortPairs(void* storage, size_t& num_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, Num num_items, int begin = 0,
                               int end = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort(storage, num_bytes, keys, values, num_items, begin, end, false, stream);
  }
  template <class Key, class Value, class Num>
  static cudaError_t SortPairsDescending(void* storage, size_t& num_bytes, DoubleBuffer<Key>& keys,
                                         DoubleBuffer<Value>& values, Num num_items, int begin = 0,
                                         int end = 8 * sizeof(Key), cudaStream_t stream = 0) {
    return sort(storage, num_bytes, keys, values, num_items, begin, end, true, stream);
  }
};

struct DeviceHistogram {
  // num_levels boundaries make num_levels - 1 bins of one width; samples outside count nowhere.
  template <class In, class Count, class Level, class Num>
  static cudaError_t HistogramEven(void* d_temp_storage, size_t& temp_storage_bytes, In d_samples,
                                   Count* d_histogram, int num_levels, Level lower, Level upper,
                                   Num num_samples, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      for (int i = 0; i + 1 < num_levels; ++i) d_histogram[i] = 0;
      for (Num i = 0; i < num_samples; ++i) {
        const auto sample = d_samples[i];
        if (sample < lower || !(sample < upper)) continue;
        const double part = (double(sample) - double(lower)) * (num_levels - 1);
        d_histogram[int(part / (double(upper) - double(lower)))] += 1;
      }
    });
  }
  template <class In, class Count, class Level, class Num>
  static cudaError_t HistogramRange(void* d_temp_storage, size_t& temp_storage_bytes, In d_samples,
                                    Count* d_histogram, int num_levels, const Level* d_levels,
                                    Num num_samples, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      for (int i = 0; i + 1 < num_levels; ++i) d_histogram[i] = 0;
      for (Num i = 0; i < num_samples; ++i) {
        for (int bin = 0; bin + 1 < num_levels; ++bin) {
          if (d_samples[i] >= d_levels[bin] && d_samples[i] < d_levels[bin + 1]) {
            d_histogram[bin] += 1;
          }
        }
      }
    });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Lengths, class Count, class Num>
  static cudaError_t Encode(void* d_temp_storage, size_t& temp_storage_bytes, In d_in,
                            Unique d_unique_out, Lengths d_counts_out, Count d_num_runs_out,
                            Num num_items, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      Num runs = 0;
      for (Num i = 0; i < num_items; ++i) {
        if (i == 0 || !(d_in[i] == d_in[i - 1])) {
          d_unique_out[runs] = d_in[i];
          d_counts_out[runs++] = 0;
        }
        d_counts_out[runs - 1] += 1;
      }
      *d_num_runs_out = runs;
    });
  }
};

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begins, class Ends, class Op, class T>
  static cudaError_t Reduce(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                            int num_segments, Begins d_begin_offsets, Ends d_end_offsets, Op op,
                            T init, cudaStream_t stream = 0) {
    AMBIDEX_CUB_RUN({
      for (int s = 0; s < num_segments; ++s) {
        T sum = init;
        for (auto i = d_begin_offsets[s]; i < d_end_offsets[s]; ++i) sum = op(sum, d_in[i]);
        d_out[s] = sum;
      }
    });
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Sum(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         int num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                         cudaStream_t stream = 0) {
    return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments, d_begin_offsets,
                  d_end_offsets, cub::Sum(), ambidex_cuda::value_at<Out>{}, stream);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Max(void* d_temp_storage, size_t& temp_storage_bytes, In d_in, Out d_out,
                         int num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                         cudaStream_t stream = 0) {
    return Reduce(d_temp_storage, temp_storage_bytes, d_in, d_out, num_segments, d_begin_offsets,
                  d_end_offsets, cub::Max(),
                  std::numeric_limits<ambidex_cuda::value_at<In>>::lowest(), stream);
  }
};

struct DeviceFor {
  template <class Num, class Op>
  static cudaError_t Bulk(Num num_items, Op op, cudaStream_t stream = 0) {
    return ambidex_cuda::run_on_device(
        [=] __attribute__((device)) () mutable {
          for (Num i = 0; i < num_items; ++i) op(i);
        },
        stream);
  }
};

}  // namespace cub
