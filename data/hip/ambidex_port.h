// SPDX-License-Identifier: Apache-2.0
// What a CUDA program ported to HIP needs and HIP lacks, or gives another meaning. It needs a HIP
// compiler (ROCm >= 6.2) and the folder ambidex_port/ beside it, nothing else. Everything is in
// namespace ambidex_port; a name is CUDA's without leading underscores; [hazard] says what it
// answers (`ambidex port explain W02`). The logical warp has 32 lanes; a wave of 64 holds two.
//
// warp.h     constants warp_size = 32
//            lane_mask(unsigned) -> 64-bit mask of this half, full_mask()              [W02]
//            shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync (mask, v, s, width=32) [W01]
//            ballot_sync(mask, p) ballot(p) activemask() -> unsigned, CUDA's bits      [W03 W04]
//            any_sync all_sync uni_sync (mask, p); any(p) all(p)                       [W05]
//            lane_id() warp_id_in_block() lanemask_lt/le/gt/ge/eq()                    [W11]
//            match_any_sync(mask, v) match_all_sync(mask, v, &pred)                    [W12]
//            reduce_add/min/max/and/or/xor_sync(mask, v)                               [W12]
//            syncwarp(mask = all), elect_sync(mask)                                    [S05]
//            fns(mask, base, offset)                                                   [W04]
// time.h     clock() clock64() globaltimer() (ns) nanosleep(ns) trap()                 [S10 N19]
//            smid() nsmid() warpid()                                                   [W11]
//            prof_trigger(n), which does nothing                                       [N21]
// integer.h  byte_perm funnelshift_l/r/lc/rc dp4a dp2a_lo/hi sad usad                  [N15]
//            lop3<lut>(a,b,c) bfe_u32 bfe_s32 bfi_b32 prmt_b32 shf_l/r_wrap/clamp_b32  [N01]
//            v{add,sub,absdiff,avg,max,min,cmp*,set*,sad,neg,abs}{s,u,ss,us,}{2,4}     [N15]
// floats.h   f{add,sub,mul,div,ma,sqrt,rcp}_{rn,rz,ru,rd} and d{...}, f as in CUDA:
//            fadd_rz fmaf_rz dadd_ru fma_rd fsqrt_rz frcp_rn ...                       [N14]
//            ex2_approx lg2_approx rcp_approx rsqrt_approx sqrt_approx sin_approx
//            cos_approx tanh_approx (PTX .approx.f32), saturate(x)                     [N01 N13]
// conversions.h  float2ll_rd double2int_ru ... (saturate), int2float_rz ull2float_rd ll2double_ru
//            double2float_rz ..., each in every direction                              [N14]
// dpx.h      viaddmax_s32 viaddmin_u16x2 vimax3_s32_relu vibmax_s32(a,b,&p) ...; umin umax llmin
//            llmax ullmin ullmax                                                       [N15]
// math_overloads.h  in the global namespace: rsqrt rcbrt sinpi erfinv normcdf norm3d rhypot ... for
//            the host and for float; min and max of CUDA's types, on both sides        [N21]
// atomics.h  atomic_min/atomic_max(float*/double*, v), atomic_add(half/half2/bf16/bf162*, v)
//            atomic_cas(unsigned short*, expected, desired)                            [N10 N11]
//            ld_acquire_gpu ld_relaxed_gpu ld_acquire_sys ld_volatile (p);
//            st_release_gpu st_relaxed_gpu st_release_sys st_volatile (p, v);
//            red_add_relaxed_gpu red_add_release_gpu (p, v), fence_acq_rel_gpu/sys()   [S08 N01]
// memory.h   ldg ldca ldcg ldcs ldlu ldcv (p); stwb stcg stcs stwt (p, v)               [N17]
//            pipeline_memcpy_async(dst, src, bytes, zfill = 0) pipeline_commit()
//            pipeline_wait_prior(n); cp_async<bytes>(dst, src, src_bytes = bytes)
//            cp_async_commit_group() cp_async_wait_group<n>() cp_async_wait_all()      [N05]
//            memcpy_async(group, dst, src, bytes or count) wait(group)                 [N05 W14]
//            shared_address(p) global_address(p) global_pointer(n)                     [N01]
// fp8.h      enum saturation {nosat, satfinite}; enum fp8_kind {e4m3, e5m2, e4m3_fnuz, e5m2_fnuz}
//            cvt_float_to_fp8(x, sat, kind) -> unsigned char; cvt_fp8_to_float(bits, kind)
//            cvt_float2_to_fp8x2(float2, sat, kind) -> unsigned short; the same of double(2)
//            types fp8_e4m3 fp8_e5m2 (OCP, CUDA's __nv_fp8_e4m3 ...), fp8_e4m3_fnuz
//            fp8_e5m2_fnuz; fp8x2_e4m3 fp8x4_e4m3 ... : {__x; ctor(float); operator float} [N07]
// tiles.h    shfl shfl_up shfl_down shfl_xor (group, v, s) of any type                  [W14]
//            reduce(tile, v, op) inclusive_scan(tile, v, op = plus) exclusive_scan(...)
//            plus<T> less<T> greater<T> bit_and<T> bit_or<T> bit_xor<T> (CUDA's cg::)   [W14]
//            meta_group_rank32() meta_group_size32() of logical warps in the block     [W13]
// groups.h   coalesced_threads() -> coalesced_group, of this logical warp               [W13]
// carry.h    add_cc addc_cc sub_cc subc_cc (a, b, carry&) addc subc (a, b, carry)       [N01]
// ptx_bits.h ptx_video.h ptx_floats.h ptx_halves.h ptx_memory.h ptx_warp.h
//            PTX's own instructions, by its names: shl shr bfind bfe_u64 prmt_f4e mul24_lo dot4
//            add_sat ftz min_number max_nan tf32_rna add_f16x2 fma_bf16 relu_f16
//            atom_add<order, scope> shared_pointer<T>(address) shfl_ptx<mode> ...      [N01]
// launch.h   host: capped_grid(num_blocks, threads_per_block) -> unsigned              [R05]
//            wave_size_host(device = current) -> int                                   [W09 W10]
//            fits_lds(static_bytes, dynamic_bytes) -> bool, max_dynamic_lds(...)       [R01 R02]
//            set_function_attribute(kernel, attribute, value)                          [R02]
//            cooperative_blocks(kernel, threads, dynamic_bytes) -> int                 [S06]
//            checked_grid(grid, block) -> grid, or ends the program                    [R05]
//            must(error, call): ends the program if it is one                          [R02 S06]
//            max_potential_block_size(&grid, &block, kernel, bytes_of_block, limit = 0) [R12]
// Not included by this one:
// random.h   curandState curandStatePhilox4_32_10_t, with cuRAND's functions and numbers [N20]
// wmma.h     nvcuda::wmma on logical warps, elements in CUDA's order, in software       [N02]
// halves.h   of half and bfloat16: hadd_sat hmul2_sat hfma_relu hmax_nan hequ hbltu2 heq2_mask
//            hcmadd htanh ..., int2half_rd bfloat162ll_rn ..., half_bits(n)           [N09]
// fp8_raw.h  cvt_halfraw_to_fp8 cvt_fp8_to_halfraw cvt_bfloat16raw2_to_fp8x2 ...        [N07]
// complex.h  cabs cdiv (f) of hipComplex, which do not overflow in between              [N13]
#ifndef AMBIDEX_PORT_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_H

#include "ambidex_port/atomics.h"
#include "ambidex_port/carry.h"
#include "ambidex_port/conversions.h"
#include "ambidex_port/dpx.h"
#include "ambidex_port/floats.h"
#include "ambidex_port/fp8.h"
#include "ambidex_port/groups.h"
#include "ambidex_port/integer.h"
#include "ambidex_port/launch.h"
#include "ambidex_port/math_overloads.h"
#include "ambidex_port/memory.h"
#include "ambidex_port/ptx_bits.h"
#include "ambidex_port/ptx_floats.h"
#include "ambidex_port/ptx_halves.h"
#include "ambidex_port/ptx_memory.h"
#include "ambidex_port/ptx_video.h"
#include "ambidex_port/ptx_warp.h"
#include "ambidex_port/tiles.h"
#include "ambidex_port/time.h"
#include "ambidex_port/warp.h"

#endif  // AMBIDEX_PORT_H
