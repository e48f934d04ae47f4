// SPDX-License-Identifier: Apache-2.0
// The keys of the structs in devices.h, once: reading, printing, JSON and hashing all walk these
// lists. A visitor is called as v(Field, reference).
#pragma once

#include "ambidex/devices.h"

namespace ambidex {

template <class V, MaybeConst<MatrixInstruction> T>
void visit_fields(V&& v, T& x) {
  v("m", x.m), v("n", x.n), v("k", x.k), v("dtype", x.dtype), v("cycles", x.cycles);
}

template <class V, MaybeConst<Compute> T>
void visit_fields(V&& v, T& x) {
  v("num_compute_units", x.num_compute_units);
  v("clock_hz", x.clock_hz);
  v("peak_rate_clock_hz", x.peak_rate_clock_hz);
  v("flop_per_second", x.flop_per_second);
  v("vector_flop_per_second", x.vector_flop_per_second);
  v("board_power_watts", x.board_power_watts);
  v("matrix_instructions", x.matrix_instructions);
}

template <class V, MaybeConst<Memory> T>
void visit_fields(V&& v, T& x) {
  v("memory_bytes", x.memory_bytes);
  v("memory_bytes_per_second", x.memory_bytes_per_second);
  v(Field("last_level_cache_bytes", true), x.last_level_cache_bytes);
  v("last_level_cache_bytes_per_second", x.last_level_cache_bytes_per_second);
}

template <class V, MaybeConst<Cache> T>
void visit_fields(V&& v, T& x) {
  v("l2_bytes", x.l2_bytes);
  v("num_l2_domains", x.num_l2_domains);
  v("num_l2_partitions", x.num_l2_partitions);
  v("l2_bytes_per_second", x.l2_bytes_per_second);
  v("l1_bytes_per_unit", x.l1_bytes_per_unit);
  v("cache_line_bytes", x.cache_line_bytes);
  v("fetch_granule_bytes", x.fetch_granule_bytes);
  v("in_flight_bytes_per_unit", x.in_flight_bytes_per_unit);
}

template <class V, MaybeConst<Waves> T>
void visit_fields(V&& v, T& x) {
  v("wave_width", x.wave_width);
  v("num_simds_per_unit", x.num_simds_per_unit);
  v("max_waves_per_unit", x.max_waves_per_unit);
  v("max_groups_per_unit", x.max_groups_per_unit);
  v("register_file_bytes_per_unit", x.register_file_bytes_per_unit);
  v("max_registers_per_lane", x.max_registers_per_lane);
  v("register_granule", x.register_granule);
}

template <class V, MaybeConst<VectorLanes> T>
void visit_fields(V&& v, T& x) {
  v("f32_lanes_per_clock", x.f32_lanes_per_clock);
  v("f64_lanes_per_clock", x.f64_lanes_per_clock);
  v("integer_lanes_per_clock", x.integer_lanes_per_clock);
  v("special_lanes_per_clock", x.special_lanes_per_clock);
}

template <class V, MaybeConst<SharedMemory> T>
void visit_fields(V&& v, T& x) {
  v("shared_memory_bytes_per_unit", x.shared_memory_bytes_per_unit);
  v("shared_memory_bytes_per_group", x.shared_memory_bytes_per_group);
  v(Field("shared_memory_reserved_bytes_per_group", true),
    x.shared_memory_reserved_bytes_per_group);
  v("shared_memory_granule_bytes", x.shared_memory_granule_bytes);
  v("shared_memory_bytes_per_clock", x.shared_memory_bytes_per_clock);
  v(Field("tensor_memory_bytes_per_unit", true), x.tensor_memory_bytes_per_unit);
  v(Field("async_copy_bytes_per_lane", true), x.async_copy_bytes_per_lane);
}

template <class V, MaybeConst<Spec> T>
void visit_fields(V&& v, T& x) {
  visit_fields(v, x.compute);
  visit_fields(v, x.memory);
  visit_fields(v, x.cache);
  visit_fields(v, x.waves);
  visit_fields(v, x.vector_lanes);
  visit_fields(v, x.shared_memory);
}

template <class V, MaybeConst<Measured> T>
void visit_fields(V&& v, T& x) {
  v("sustained_clock_hz", x.sustained_clock_hz);
  v("matrix_flop_per_second", x.matrix_flop_per_second);
  v("copy_bytes_per_second", x.copy_bytes_per_second);
  v("l2_bytes_per_second", x.l2_bytes_per_second);
  v("last_level_cache_bytes_per_second", x.last_level_cache_bytes_per_second);
  v("memory_latency_seconds", x.memory_latency_seconds);
  v("l2_latency_seconds", x.l2_latency_seconds);
  v("launch_seconds", x.launch_seconds);
  v("same_word_atomics_per_second", x.same_word_atomics_per_second);
  v("write_requests_per_second", x.write_requests_per_second);
}

template <class V, MaybeConst<Calibration> T>
void visit_fields(V&& v, T& x) {
  v("source", x.source);
  v("transferred", x.transferred);
  v("constants", x.constants);
  v("sigma", x.sigma);
  v("uncertainty", x.uncertainty);
}

template <class V, MaybeConst<Device> T>
void visit_fields(V&& v, T& x) {
  v("id", x.id);
  v("name", x.name);
  v("vendor", x.vendor);
  v("isa", x.isa);
  v("spec", x.spec);
  v("measured", x.measured);
  v("calibration", x.calibration);
  v("sources", x.sources);
}

template <class V, MaybeConst<ScaleUp> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("num_links", x.num_links);
  v("bytes_per_second_per_device", x.bytes_per_second_per_device);
  v("bytes_per_second_per_pair", x.bytes_per_second_per_pair);
}

template <class V, MaybeConst<ScaleOut> T>
void visit_fields(V&& v, T& x) {
  v("nic", x.nic);
  v("bytes_per_second_per_device", x.bytes_per_second_per_device);
}

template <class V, MaybeConst<CollectiveFact> T>
void visit_fields(V&& v, T& x) {
  v("collective", x.collective);
  v("num_devices", x.num_devices);
  v("message_bytes", x.message_bytes);
  v("seconds", x.seconds);
  v("bytes_per_second_per_device", x.bytes_per_second_per_device);
  v("source", x.source);
}

template <class V, MaybeConst<System> T>
void visit_fields(V&& v, T& x) {
  v("id", x.id);
  v("name", x.name);
  v("device", x.device);
  v("num_devices", x.num_devices);
  v("scale_up", x.scale_up);
  v("scale_out", x.scale_out);
  v("measured", x.measured);
  v("sources", x.sources);
}

}  // namespace ambidex
