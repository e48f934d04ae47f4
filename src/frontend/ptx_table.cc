// SPDX-License-Identifier: Apache-2.0
// What becomes of each PTX instruction on gfx942 and gfx950. Facts on PTX: PTX ISA 8.7,
// https://docs.nvidia.com/cuda/parallel-thread-execution; on AMD's builtins: clang 22,
// BuiltinsAMDGPU.td.
#include <array>

#include "frontend/ptx.h"

namespace ambidex {
namespace {

constexpr auto kRule = PtxTreatment::rule;
constexpr auto kLibrary = PtxTreatment::library;
constexpr auto kAgent = PtxTreatment::agent;

constexpr PtxRule kRules[] = {
    // Special registers.
    {"mov", kRule, "N01", "an assignment; a pack or unpack of {lo, hi} by shifts"},
    {"mov %laneid", kRule, "W11", "the lane of the logical warp: lane & 31"},
    {"mov %warpid", kAgent, "W11", "volatile in PTX and not threadIdx / 32; nothing is promised"},
    {"mov %nwarpid", kAgent, "W11", "no counterpart"},
    {"mov %WARP_SZ", kRule, "W11", "32 in a port that keeps the logical warp"},
    {"mov %lanemask_eq", kRule, "W11", "1u << (lane & 31)"},
    {"mov %lanemask_lt", kRule, "W11", "(1u << (lane & 31)) - 1"},
    {"mov %lanemask_le", kRule, "W11", "(2u << (lane & 31)) - 1"},
    {"mov %lanemask_gt", kRule, "W11", "~((2u << (lane & 31)) - 1)"},
    {"mov %lanemask_ge", kRule, "W11", "~((1u << (lane & 31)) - 1)"},
    {"mov %tid", kRule, "N01", "threadIdx"},
    {"mov %ntid", kRule, "N01", "blockDim"},
    {"mov %ctaid", kRule, "N01", "blockIdx"},
    {"mov %nctaid", kRule, "N01", "gridDim"},
    {"mov %smid", kLibrary, "W11", "a hardware register read; numbers compute units otherwise"},
    {"mov %nsmid", kLibrary, "W11", "one more than the largest number of a compute unit can be"},
    {"mov %gridid", kAgent, "N01", "no counterpart"},
    {"mov %clock", kLibrary, "S10", "clock64(); the unit differs"},
    {"mov %clock64", kLibrary, "S10", "clock64(); the unit differs"},
    {"mov %globaltimer", kLibrary, "S10", "wall_clock64() at 100 MHz, not nanoseconds"},
    {"mov %globaltimer_lo", kLibrary, "S10", "wall_clock64() at 100 MHz, not nanoseconds"},
    {"mov %dynamic_smem_size", kAgent, "N01", "no counterpart in device code; pass the size"},
    {"mov %total_smem_size", kAgent, "N01", "no counterpart in device code; pass the size"},
    {"mov %cluster_ctarank", kAgent, "N06", "there are no clusters"},
    {"mov %cluster_ctaid", kAgent, "N06", "there are no clusters"},
    {"mov %cluster_nctaid", kAgent, "N06", "there are no clusters"},
    // Memory.
    {"ld", kRule, "N17", "a load; a cache hint becomes a nontemporal load or nothing"},
    {"ld nc", kRule, "N17", "a plain load: LLVM marks it invariant where it can prove so"},
    {"ld volatile", kRule, "N17", "a load through a volatile pointer"},
    {"ld relaxed", kLibrary, "S08", "__hip_atomic_load, relaxed, at the scope named"},
    {"ld acquire", kLibrary, "S08", "__hip_atomic_load, acquire, at the scope named"},
    {"ld shared::cluster", kAgent, "N06", "there is no distributed shared memory"},
    {"ldu", kRule, "N17", "a plain load"},
    {"st", kRule, "N17", "a store; a cache hint becomes a nontemporal store or nothing"},
    {"st relaxed", kLibrary, "S08", "__hip_atomic_store, relaxed, at the scope named"},
    {"st release", kLibrary, "S08", "__hip_atomic_store, release, at the scope named"},
    {"st shared::cluster", kAgent, "N06", "there is no distributed shared memory"},
    {"st async", kAgent, "N06", "there is no distributed shared memory"},
    {"prefetch", kRule, "N17", "nothing: a hint"},
    {"prefetchu", kRule, "N17", "nothing: a hint"},
    {"prefetch tensormap", kAgent, "N06", "there are no tensor maps"},
    {"discard", kRule, "N17", "nothing: a hint"},
    {"applypriority", kRule, "N17", "nothing: a hint"},
    {"createpolicy", kRule, "N17", "nothing: a hint; its users drop the operand"},
    {"cvta", kRule, "N01", "a cast between address spaces"},
    {"cvta to", kRule, "N01", "a cast between address spaces"},
    {"isspacep", kLibrary, "N01", "__builtin_amdgcn_is_shared, is_private"},
    {"mapa", kAgent, "N06", "there is no distributed shared memory"},
    {"getctarank", kAgent, "N06", "there are no clusters"},
    {"red", kLibrary, "N01", "the atomic function, its result unused"},
    {"red f32", kLibrary, "N10", "atomicAdd; see the memory that it may point to"},
    {"red f64", kLibrary, "N10", "atomicAdd; see the memory that it may point to"},
    {"red f16x2", kLibrary, "N10", "a packed atomic addition"},
    {"red bf16x2", kLibrary, "N10", "a packed atomic addition"},
    {"red async", kAgent, "N06", "there is no distributed shared memory"},
    {"atom", kLibrary, "N01", "the atomic function of that operation, type and scope"},
    {"atom cas", kLibrary, "N01", "atomicCAS at the scope named"},
    {"atom cas b16", kLibrary, "N11", "a loop on the word that holds the half word"},
    {"atom cas b128", kAgent, "N11", "there is no 16-byte compare and swap"},
    {"atom f32", kLibrary, "N10", "atomicAdd; see the memory that it may point to"},
    {"atom f64", kLibrary, "N10", "atomicAdd; see the memory that it may point to"},
    {"fence", kRule, "N01", "__threadfence_block, __threadfence or __threadfence_system by scope"},
    {"fence proxy", kAgent, "N06", "there is no asynchronous proxy"},
    {"fence mbarrier_init", kAgent, "N06", "there are no clusters"},
    {"membar", kRule, "N01", "__threadfence_block, __threadfence or __threadfence_system"},
    // Asynchronous copies.
    {"cp async", kRule, "N05", "a synchronous copy through registers"},
    {"cp async commit_group", kRule, "N05", "nothing: the copy is done"},
    {"cp async wait_group", kRule, "N05", "nothing: the copy is done; the barrier after it stays"},
    {"cp async wait_all", kRule, "N05", "nothing: the copy is done; the barrier after it stays"},
    {"cp async bulk", kAgent, "N06", "there is no bulk copy engine"},
    {"cp reduce async bulk", kAgent, "N06", "there is no bulk copy engine"},
    {"mbarrier", kAgent, "N06", "a counter in LDS with a polling loop; not per lane"},
    {"tensormap", kAgent, "N06", "there are no tensor maps"},
    {"multimem", kAgent, "N06", "there is no multicast memory"},
    {"griddepcontrol", kAgent, "R11", "there is no programmatic dependent launch"},
    {"setmaxnreg", kAgent, "N06", "registers of a wave are fixed at launch"},
    // Matrices.
    {"mma", kAgent, "N03", "another fragment layout; MFMA through a layout table"},
    {"wmma", kAgent, "N03", "rocWMMA for load, mma and store"},
    {"ldmatrix", kAgent, "N03", "loads from LDS by the layout of the consumer"},
    {"stmatrix", kAgent, "N03", "stores to LDS by the layout of the producer"},
    {"movmatrix", kAgent, "N03", "an exchange through LDS"},
    {"wgmma", kAgent, "N03", "no warp-group product; MFMA of one wave each"},
    {"tcgen05", kAgent, "N03", "no tensor memory"},
    // Warps and barriers.
    {"bar", kAgent, "S02", "a barrier of some of the threads"},
    {"bar 0", kRule, "N01", "__syncthreads()"},
    {"barrier 0", kRule, "N01", "__syncthreads()"},
    {"bar red", kRule, "N01", "__syncthreads_count, _and or _or"},
    {"barrier red", kRule, "N01", "__syncthreads_count, _and or _or"},
    {"bar warp", kLibrary, "S05", "a barrier and fence of the wave"},
    {"barrier", kAgent, "S02", "a barrier of some of the threads"},
    {"barrier cluster", kAgent, "N06", "there are no clusters"},
    {"shfl", kRule, "W01", "__shfl with width 32"},
    {"vote", kRule, "W05", "from the half of the ballot that is the logical warp's"},
    {"vote ballot", kRule, "W03", "the half of the ballot that is the logical warp's"},
    {"match", kLibrary, "W12", "a loop over the lanes of the logical warp"},
    {"redux", kLibrary, "W12", "a butterfly over the logical warp"},
    {"activemask", kRule, "W03", "the half of the ballot that is the logical warp's"},
    {"elect", kLibrary, "W12", "the lowest active lane of the logical warp"},
    {"nanosleep", kLibrary, "S10", "__builtin_amdgcn_s_sleep; its unit is 64 clocks"},
    {"exit", kAgent, "S01", "an early return; barriers after it"},
    {"trap", kLibrary, "N19", "__builtin_trap()"},
    {"brkpt", kLibrary, "N19", "__builtin_debugtrap()"},
    // Bits and integers.
    {"lop3", kRule, "N01", "the sum of minterms of the table byte; clang makes v_bitop3 or v_and"},
    {"prmt", kLibrary, "N15", "__byte_perm; __builtin_amdgcn_perm for constant selectors"},
    {"bfe", kRule, "N01", "shift and mask; lengths above 31 by PTX's rule"},
    {"bfi", kRule, "N01", "mask, shift and or"},
    {"bfind", kRule, "N01", "31 - __clz"},
    {"brev", kRule, "N01", "__brev"},
    {"popc", kRule, "N01", "__popc"},
    {"clz", kRule, "N01", "__clz"},
    {"fns", kLibrary, "W04", "a loop over the set bits"},
    {"shf", kRule, "N01", "__funnelshift_l, _r and their clamped forms"},
    {"dp4a", kLibrary, "N15", "a dot product of bytes; __builtin_amdgcn_sdot4"},
    {"dp2a", kLibrary, "N15", "a dot product of half words and bytes"},
    {"sad", kLibrary, "N15", "|a - b| + c"},
    {"vabsdiff4", kLibrary, "N15", "bytes by masks and shifts"},
    {"vabsdiff2", kLibrary, "N15", "half words by masks and shifts"},
    {"vadd2", kLibrary, "N15", "half words by masks and shifts"},
    {"vadd4", kLibrary, "N15", "bytes by masks and shifts"},
    {"vavrg2", kLibrary, "N15", "half words by masks and shifts"},
    {"vavrg4", kLibrary, "N15", "bytes by masks and shifts"},
    {"vmax2", kLibrary, "N15", "half words by masks and shifts"},
    {"vmax4", kLibrary, "N15", "bytes by masks and shifts"},
    {"vmin2", kLibrary, "N15", "half words by masks and shifts"},
    {"vmin4", kLibrary, "N15", "bytes by masks and shifts"},
    {"vsub2", kLibrary, "N15", "half words by masks and shifts"},
    {"vsub4", kLibrary, "N15", "bytes by masks and shifts"},
    {"vset4", kLibrary, "N15", "bytes by masks and shifts"},
    {"mul", kRule, "N01", "a product; hi and wide forms by a wider type"},
    {"mad", kRule, "N01", "a product and a sum"},
    {"madc", kLibrary, "N01", "a sum with a carry of the same statement"},
    {"mul24", kLibrary, "N01", "a product of the low 24 bits"},
    {"mad24", kLibrary, "N01", "a product of the low 24 bits, and a sum"},
    {"add", kRule, "N01", "a sum"},
    {"add cc", kLibrary, "N01", "a sum with a carry of the same statement"},
    {"addc", kLibrary, "N01", "a sum with a carry of the same statement"},
    {"sub", kRule, "N01", "a difference"},
    {"sub cc", kLibrary, "N01", "a sum with a carry of the same statement"},
    {"subc", kLibrary, "N01", "a sum with a carry of the same statement"},
    {"mad cc", kLibrary, "N01", "a sum with a carry of the same statement"},
    {"div", kRule, "N01", "a quotient"},
    {"rem", kRule, "N01", "a remainder"},
    {"and", kRule, "N01", "&"},
    {"or", kRule, "N01", "|"},
    {"xor", kRule, "N01", "^"},
    {"not", kRule, "N01", "~"},
    {"cnot", kRule, "N01", "x == 0"},
    {"shl", kRule, "N01", "<<; amounts above 31 give 0 in PTX"},
    {"shr", kRule, "N01", ">>; amounts above 31 give 0 or the sign in PTX"},
    {"neg", kRule, "N01", "-x"},
    {"abs", kRule, "N01", "abs or fabs"},
    {"min", kRule, "N01", "min; the number of a number and a NaN"},
    {"max", kRule, "N01", "max; the number of a number and a NaN"},
    {"min NaN", kLibrary, "N01", "min that returns a NaN"},
    {"max NaN", kLibrary, "N01", "max that returns a NaN"},
    {"set", kRule, "N01", "a comparison to all ones or 1.0"},
    {"setp", kRule, "N01", "a comparison"},
    {"selp", kRule, "N01", "?:"},
    {"slct", kRule, "N01", "?: by sign"},
    {"bra", kAgent, "N01", "control flow; write it in C++"},
    {"call", kAgent, "N01", "a call by its PTX name"},
    {"ret", kAgent, "N01", "control flow; write it in C++"},
    {"bmsk", kRule, "N01", "a mask by shifts"},
    {"szext", kRule, "N01", "sign or zero extension by shifts"},
    // Floating point.
    {"fma", kRule, "N01", "fma of the type"},
    {"fma rz", kLibrary, "N14", "directed rounding by an emulation"},
    {"fma rp", kLibrary, "N14", "directed rounding by an emulation"},
    {"fma rm", kLibrary, "N14", "directed rounding by an emulation"},
    {"add rz", kLibrary, "N14", "directed rounding by an emulation"},
    {"add rp", kLibrary, "N14", "directed rounding by an emulation"},
    {"add rm", kLibrary, "N14", "directed rounding by an emulation"},
    {"mul rz", kLibrary, "N14", "directed rounding by an emulation"},
    {"mul rp", kLibrary, "N14", "directed rounding by an emulation"},
    {"mul rm", kLibrary, "N14", "directed rounding by an emulation"},
    {"div approx", kRule, "N13", "x * __builtin_amdgcn_rcpf(y); other last bits"},
    {"div full", kRule, "N13", "x / y"},
    {"ex2", kRule, "N13", "__builtin_amdgcn_exp2f; other last bits"},
    {"lg2", kRule, "N13", "__builtin_amdgcn_logf, base 2; other last bits"},
    {"rcp", kRule, "N13", "__builtin_amdgcn_rcpf; other last bits"},
    {"rsqrt", kRule, "N13", "__builtin_amdgcn_rsqf; other last bits"},
    {"sqrt", kRule, "N01", "sqrtf"},
    {"sqrt approx", kRule, "N13", "__builtin_amdgcn_sqrtf; other last bits"},
    {"sin", kRule, "N13", "__sinf; other last bits and range"},
    {"cos", kRule, "N13", "__cosf; other last bits and range"},
    {"tanh", kLibrary, "N13", "tanhf; there is no instruction"},
    {"copysign", kRule, "N01", "copysignf with the operands exchanged"},
    {"testp", kRule, "N01", "isfinite, isinf, isnan"},
    {"cvt", kRule, "N01", "a conversion with the rounding and saturation named"},
    {"cvt rz", kLibrary, "N14", "a conversion with directed rounding"},
    {"cvt rp", kLibrary, "N14", "a conversion with directed rounding"},
    {"cvt rm", kLibrary, "N14", "a conversion with directed rounding"},
    {"cvt tf32", kLibrary, "N04", "rounding to 10 bits of fraction"},
    {"cvt bf16x2", kLibrary, "N09", "two conversions, rounded to nearest even"},
    {"cvt bf16", kLibrary, "N09", "a conversion, rounded to nearest even"},
    {"cvt pack", kLibrary, "N01", "two conversions that saturate, side by side"},
    {"cvt e4m3x2", kLibrary, "N07", "a conversion to a named fp8 format"},
    {"cvt e5m2x2", kLibrary, "N07", "a conversion to a named fp8 format"},
    // Images.
    {"tex", kAgent, "N16", "no image instructions; fetch and filter in code"},
    {"tld4", kAgent, "N16", "no image instructions; four fetches"},
    {"txq", kAgent, "N16", "no image instructions; pass the size"},
    {"suld", kAgent, "N16", "no image instructions; a load by computed address"},
    {"sust", kAgent, "N16", "no image instructions; a store by computed address"},
    {"sured", kAgent, "N16", "no image instructions; an atomic by computed address"},
};

bool reads_special(const PtxInstruction& instruction, std::string_view name) {
  for (const PtxOperand& operand : instruction.operands) {
    const std::string_view text = operand.text;
    const bool may_be = operand.kind == PtxOperandKind::special || name == "WARP_SZ";
    if (may_be && text.substr(0, text.find('.')) == name) return true;
  }
  return false;
}

bool has_only_operand(const PtxInstruction& instruction, std::string_view text) {
  return instruction.operands.size() == 1 && instruction.operands[0].text == text;
}

bool is_like(std::string_view modifier, std::string_view word) {
  return modifier == word || modifier.substr(0, modifier.find(':')) == word;
}

/// Words of the pattern, 0 unless all fit.
int num_fitting(std::string_view pattern, const PtxInstruction& instruction) {
  int num_words = 0;
  while (!pattern.empty()) {
    const size_t space = pattern.find(' ');
    const std::string_view word = pattern.substr(0, space);
    pattern = space == std::string_view::npos ? "" : pattern.substr(space + 1);
    bool fits = num_words == 0 ? instruction.mnemonic == word : false;
    if (num_words > 0 && word.front() == '%') fits = reads_special(instruction, word.substr(1));
    if (num_words > 0 && word == "0") fits = has_only_operand(instruction, word);
    for (const std::string& modifier : instruction.modifiers) {
      fits |= num_words > 0 && is_like(modifier, word);
    }
    if (!fits) return 0;
    ++num_words;
  }
  return num_words;
}

}  // namespace

std::string_view name_of(PtxTreatment treatment) {
  constexpr std::array<std::string_view, 3> kNames{"rule", "library", "agent"};
  return kNames[static_cast<size_t>(treatment)];
}

std::span<const PtxRule> ptx_rules() { return kRules; }

const PtxRule* ptx_rule(const PtxInstruction& instruction) {
  const PtxRule* best = nullptr;
  int most = 0;
  for (const PtxRule& rule : kRules) {
    const int num = num_fitting(rule.pattern, instruction);
    if (num > most) {
      most = num;
      best = &rule;
    }
  }
  return best;
}

}  // namespace ambidex
