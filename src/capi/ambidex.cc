// SPDX-License-Identifier: Apache-2.0
#include "ambidex/ambidex.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "ambidex/select.h"

struct ambidex_selector {
  ambidex::GemmSelector selector;
};

namespace ambidex {
namespace {

static_assert(kNumTerms <= AMBIDEX_MAX_TERMS);

void copy_text(std::string_view text, char* out, size_t out_size) {
  if (out == nullptr || out_size == 0) return;
  const size_t size = std::min(text.size(), out_size - 1);
  std::memcpy(out, text.data(), size);
  out[size] = '\0';
}

/// Runs `call`; no exception leaves the library.
template <class Call>
ambidex_status guarded(char* message, size_t message_size, Call call) {
  try {
    call();
    return AMBIDEX_OK;
  } catch (const Error& error) {
    copy_text(error.what(), message, message_size);
    return static_cast<ambidex_status>(exit_code(error.kind));
  } catch (const std::exception& error) {
    copy_text(error.what(), message, message_size);
  } catch (...) {
    copy_text("unknown exception", message, message_size);
  }
  return AMBIDEX_INTERNAL;
}

void expect(bool condition, const char* sentence) {
  if (!condition) throw Error(ErrorKind::bad_input, sentence);
}

/// The caller's struct over our defaults; his may be an earlier, shorter one.
template <class T>
T read(const T* from, T defaults) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (from == nullptr) return defaults;
  expect(from->struct_size >= sizeof(size_t), "struct_size is not set; use the INIT macro");
  std::memcpy(&defaults, from, std::min(from->struct_size, sizeof(T)));
  return defaults;
}

/// Ours over the caller's as far as his reaches; his size stays.
template <class T>
void write(T from, size_t struct_size, void* to) {
  expect(struct_size >= sizeof(size_t), "struct_size is not set; use the INIT macro");
  from.struct_size = struct_size;
  std::memcpy(to, &from, std::min(struct_size, sizeof(T)));
}

GemmOp op_of(const ambidex_gemm_op* from) {
  expect(from != nullptr, "op is NULL");
  const ambidex_gemm_op c = read<ambidex_gemm_op>(from, AMBIDEX_GEMM_OP_INIT);
  GemmOp op{.m = c.m, .n = c.n, .k = c.k, .batch = c.batch};
  if (c.dtype != nullptr) op.dtype = dtype_from_name(c.dtype);
  op.out_dtype =
      c.out_dtype != nullptr ? dtype_from_name(c.out_dtype) : default_out_dtype(op.dtype);
  if (c.layout != nullptr) op.layout = layout_from_name(c.layout);
  op.epilogue = {.bias = c.bias != 0,
                 .relu = c.relu != 0,
                 .residual = c.residual != 0,
                 .bias_gradient = c.bias_gradient != 0};
  op.cold = c.cold != 0;
  return op;
}

SelectOptions options_of(const ambidex_select_options* from) {
  const ambidex_select_options c = read<ambidex_select_options>(from, AMBIDEX_SELECT_OPTIONS_INIT);
  return {.num_units = c.num_units,
          .deterministic = c.deterministic != 0,
          .workspace_bytes = c.workspace_bytes,
          .allow_library = c.allow_library != 0,
          .close_ratio = c.close_ratio,
          .min_confidence = c.min_confidence,
          .measure_confidence = c.measure_confidence,
          .library_slack_ratio = c.library_slack_ratio};
}

ambidex_gemm_config c_config(const GemmConfig& config) {
  const TensileOptions& tensile = config.tensile;
  return {.kernel_template = name_of(config.kernel_template).data(),
          .tile_m = config.tile.m,
          .tile_n = config.tile.n,
          .tile_k = config.tile.k,
          .num_warps = config.num_warps,
          .num_stages = config.num_stages,
          .group_m = config.group_m,
          .split_k = config.split_k,
          .matrix_instr = config.amd.matrix_instr,
          .waves_per_eu = config.amd.waves_per_eu,
          .kpack = config.amd.kpack,
          .wave_tile_m = tensile.wave_tile_m,
          .wave_tile_n = tensile.wave_tile_n,
          .stream_k = tensile.stream_k,
          .xcc_mapping = tensile.xcc_mapping,
          .custom_schedule = tensile.custom_schedule,
          .direct_to_lds = tensile.direct_to_lds,
          .transpose_lds = tensile.transpose_lds};
}

ambidex_selection c_selection(const Selection& selection) {
  const Estimate& estimate = selection.estimate;
  ambidex_selection c{.config = c_config(selection.config),
                      .seconds = estimate.seconds,
                      .low_seconds = estimate.low_seconds,
                      .high_seconds = estimate.high_seconds,
                      .binds = name_of(estimate.binds).data(),
                      .num_candidates = selection.num_candidates,
                      .abstained = name_of(selection.abstained).data(),
                      .confidence = selection.confidence,
                      .measure_k = selection.measure_k};
  std::copy(estimate.term_seconds.begin(), estimate.term_seconds.end(), c.term_seconds);
  return c;
}

void top_k(const GemmSelector& selector, const GemmOp& op, const SelectOptions& options, int64_t k,
           ambidex_ranked* ranked, int64_t* num_ranked) {
  expect(ranked != nullptr && num_ranked != nullptr, "ranked or num_ranked is NULL");
  const size_t stride = k > 0 ? ranked->struct_size : sizeof(ambidex_ranked);
  char* out = reinterpret_cast<char*>(ranked);
  const std::vector<Ranked> fastest = selector.top_k(op, k, options);
  for (const Ranked& candidate : fastest) {
    write(ambidex_ranked{.config = c_config(candidate.config), .seconds = candidate.seconds},
          stride, out);
    out += stride;
  }
  *num_ranked = static_cast<int64_t>(fastest.size());
}

void hand_over(const std::string& text, char* out, size_t out_size, size_t* needed_size) {
  copy_text(text, out, out_size);
  if (needed_size != nullptr) *needed_size = text.size() + 1;
}

}  // namespace
}  // namespace ambidex

const char* ambidex_version(void) { return AMBIDEX_VERSION; }

const char* ambidex_term_name(int32_t term) {
  if (term < 0 || term >= ambidex::kNumTerms) return nullptr;
  return name_of(static_cast<ambidex::Term>(term)).data();
}

ambidex_status ambidex_selector_create(const char* device, const char* kernel_template,
                                       ambidex_selector** selector, char* message,
                                       size_t message_size) {
  return ambidex::guarded(message, message_size, [&] {
    ambidex::expect(device != nullptr && kernel_template != nullptr && selector != nullptr,
                    "device, kernel_template or selector is NULL");
    const auto chosen = ambidex::template_from_name(kernel_template);
    *selector = new ambidex_selector{{ambidex::load_device(device), chosen}};
  });
}

void ambidex_selector_free(ambidex_selector* selector) { delete selector; }

ambidex_status ambidex_select(const ambidex_selector* selector, const ambidex_gemm_op* op,
                              const ambidex_select_options* options, ambidex_selection* selection,
                              char* message, size_t message_size) {
  return ambidex::guarded(message, message_size, [&] {
    ambidex::expect(selector != nullptr && selection != nullptr, "selector or selection is NULL");
    const auto chosen = selector->selector.select(ambidex::op_of(op), ambidex::options_of(options));
    ambidex::write(ambidex::c_selection(chosen), selection->struct_size, selection);
  });
}

ambidex_status ambidex_top_k(const ambidex_selector* selector, const ambidex_gemm_op* op,
                             const ambidex_select_options* options, int64_t k,
                             ambidex_ranked* ranked, int64_t* num_ranked, char* message,
                             size_t message_size) {
  return ambidex::guarded(message, message_size, [&] {
    ambidex::expect(selector != nullptr, "selector is NULL");
    ambidex::top_k(selector->selector, ambidex::op_of(op), ambidex::options_of(options), k, ranked,
                   num_ranked);
  });
}

ambidex_status ambidex_explain(const ambidex_selector* selector, const ambidex_gemm_op* op,
                               const ambidex_select_options* options, char* text, size_t text_size,
                               size_t* needed_size, char* message, size_t message_size) {
  return ambidex::guarded(message, message_size, [&] {
    ambidex::expect(selector != nullptr, "selector is NULL");
    ambidex::hand_over(selector->selector.explain(ambidex::op_of(op), ambidex::options_of(options)),
                       text, text_size, needed_size);
  });
}

ambidex_status ambidex_uuid(const ambidex_selector* selector, char* text, size_t text_size,
                            size_t* needed_size, char* message, size_t message_size) {
  return ambidex::guarded(message, message_size, [&] {
    ambidex::expect(selector != nullptr, "selector is NULL");
    ambidex::hand_over(selector->selector.uuid(), text, text_size, needed_size);
  });
}
