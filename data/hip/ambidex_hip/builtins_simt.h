// SPDX-License-Identifier: Apache-2.0
// The builtins of AMD's GPUs, as functions of the executor.
#pragma once

#if defined(__cplusplus)

AMBIDEX_HIP_DEVICE float __ambidex_exp2f(float x) { return __builtin_exp2f(x); }
AMBIDEX_HIP_DEVICE float __ambidex_logf(float x) { return __builtin_log2f(x); }
AMBIDEX_HIP_DEVICE float __ambidex_rcpf(float x) { return 1.0f / x; }
AMBIDEX_HIP_DEVICE float __ambidex_rsqf(float x) { return 1.0f / __builtin_sqrtf(x); }
AMBIDEX_HIP_DEVICE double __ambidex_rcp(double x) { return 1.0 / x; }
AMBIDEX_HIP_DEVICE double __ambidex_rsq(double x) { return 1.0 / __builtin_sqrt(x); }
AMBIDEX_HIP_DEVICE float __ambidex_sqrtf(float x) { return __builtin_sqrtf(x); }
AMBIDEX_HIP_DEVICE float __ambidex_fractf(float x) { return x - __builtin_floorf(x); }
AMBIDEX_HIP_DEVICE float __ambidex_ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
AMBIDEX_HIP_DEVICE double __ambidex_ldexp(double x, int n) { return __builtin_ldexp(x, n); }
// Argument in turns, as v_sin_f32 and v_cos_f32 have it.
AMBIDEX_HIP_DEVICE float __ambidex_sinf(float x) {
  return static_cast<float>(__builtin_sin(6.283185307179586 * x));
}
AMBIDEX_HIP_DEVICE float __ambidex_cosf(float x) {
  return static_cast<float>(__builtin_cos(6.283185307179586 * x));
}
#define __builtin_amdgcn_exp2f __ambidex_exp2f
#define __builtin_amdgcn_logf __ambidex_logf
#define __builtin_amdgcn_rcpf __ambidex_rcpf
#define __builtin_amdgcn_rsqf __ambidex_rsqf
#define __builtin_amdgcn_rcp __ambidex_rcp
#define __builtin_amdgcn_rsq __ambidex_rsq
#define __builtin_amdgcn_sqrtf __ambidex_sqrtf
#define __builtin_amdgcn_fractf __ambidex_fractf
#define __builtin_amdgcn_ldexpf __ambidex_ldexpf
#define __builtin_amdgcn_ldexp __ambidex_ldexp
#define __builtin_amdgcn_sinf __ambidex_sinf
#define __builtin_amdgcn_cosf __ambidex_cosf

// Lanes and waves.
AMBIDEX_HIP_DEVICE unsigned __ambidex_wavefrontsize() { return ambidex_simt_self()->wave_width; }
AMBIDEX_HIP_DEVICE void __ambidex_wave_barrier() {
  ambidex_simt_wave_barrier(AMBIDEX_SIMT_CONVERGED);
}
AMBIDEX_HIP_DEVICE void __ambidex_s_barrier() { ambidex_simt_barrier(); }
AMBIDEX_HIP_DEVICE void __ambidex_s_sleep(int) { ambidex_simt_yield(); }
AMBIDEX_HIP_DEVICE unsigned long __ambidex_ballot_w64(bool predicate) {
  return ambidex_simt_ballot(AMBIDEX_SIMT_CONVERGED, predicate);
}
AMBIDEX_HIP_DEVICE unsigned __ambidex_readfirstlane(unsigned value) {
  const unsigned long active = ambidex_simt_active_lanes();
  return ambidex_simt_shuffle(AMBIDEX_SIMT_CONVERGED, value, __builtin_ctzl(active));
}
AMBIDEX_HIP_DEVICE unsigned __ambidex_readlane(unsigned value, unsigned lane) {
  return ambidex_simt_shuffle(AMBIDEX_SIMT_CONVERGED, value, __ambidex_readfirstlane(lane));
}
AMBIDEX_HIP_DEVICE int __ambidex_ds_bpermute(int index, int value) {
  const unsigned lane = static_cast<unsigned>(index) >> 2 & (ambidex_simt_self()->wave_width - 1);
  return static_cast<int>(
      ambidex_simt_shuffle(AMBIDEX_SIMT_CONVERGED, static_cast<unsigned>(value), lane));
}
AMBIDEX_HIP_DEVICE unsigned __ambidex_mbcnt_lo(unsigned mask, unsigned sum) {
  const unsigned lane = ambidex_simt_self()->lane;
  return sum + __builtin_popcount(lane >= 32 ? mask : mask & ((1u << lane) - 1));
}
AMBIDEX_HIP_DEVICE unsigned __ambidex_mbcnt_hi(unsigned mask, unsigned sum) {
  const unsigned lane = ambidex_simt_self()->lane;
  return sum + __builtin_popcount(lane < 32 ? 0 : mask & ((1u << (lane - 32)) - 1));
}
#define __builtin_amdgcn_wavefrontsize __ambidex_wavefrontsize
#define __builtin_amdgcn_wave_barrier __ambidex_wave_barrier
#define __builtin_amdgcn_s_barrier __ambidex_s_barrier
#define __builtin_amdgcn_s_sleep __ambidex_s_sleep
#define __builtin_amdgcn_ballot_w64 __ambidex_ballot_w64
#define __builtin_amdgcn_readfirstlane __ambidex_readfirstlane
#define __builtin_amdgcn_readlane __ambidex_readlane
#define __builtin_amdgcn_ds_bpermute __ambidex_ds_bpermute
#define __builtin_amdgcn_mbcnt_lo __ambidex_mbcnt_lo
#define __builtin_amdgcn_mbcnt_hi __ambidex_mbcnt_hi
AMBIDEX_HIP_DEVICE void __ambidex_sched_barrier(int) {}
AMBIDEX_HIP_DEVICE void __ambidex_s_setprio(int) {}
// Names without parameters, so that the source's words stay those that the GPU's compiler reads.
#define __builtin_amdgcn_sched_barrier __ambidex_sched_barrier
#define __builtin_amdgcn_s_setprio __ambidex_s_setprio

// 0 block, 1 device, 2 system.
AMBIDEX_HIP_DEVICE constexpr int __ambidex_scope(const char* name) {
  return name[0] == 'w' || name[0] == 's' ? 0 : name[0] == 'a' ? 1 : 2;
}
template <class... Spaces>
AMBIDEX_HIP_DEVICE void __ambidex_fence(int, const char* scope, Spaces...) {
  ambidex_simt_fence(__ambidex_scope(scope));
}
#define __builtin_amdgcn_fence __ambidex_fence

#endif
