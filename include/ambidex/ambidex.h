// SPDX-License-Identifier: Apache-2.0
/* C interface of ambidex/select.h, for dlopen and foreign languages.

   ambidex_selector* selector = NULL;
   char message[256];
   if (ambidex_selector_create("mi350x", "triton", &selector, message, sizeof message) != 0) ...
   ambidex_gemm_op op = AMBIDEX_GEMM_OP_INIT;
   op.m = 8192, op.n = 1024, op.k = 512;
   ambidex_selection selection = AMBIDEX_SELECTION_INIT;
   ambidex_select(selector, &op, NULL, &selection, message, sizeof message);

   Every function but the pure ones returns an ambidex_status, and on an error writes a sentence
   of at most message_size - 1 bytes to `message`, which may be NULL. Structs begin with their
   size, so that a later library serves an earlier caller. Strings that come out in structs are
   constants. A selector may be used by any number of threads. */
#ifndef AMBIDEX_AMBIDEX_H_
#define AMBIDEX_AMBIDEX_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The exit codes of the command. */
typedef enum ambidex_status {
  AMBIDEX_OK = 0,
  AMBIDEX_BAD_INPUT = 2,
  AMBIDEX_NOT_FOUND = 3,
  AMBIDEX_UNSUPPORTED = 4,
  AMBIDEX_DEVICE_FAILURE = 5,
  AMBIDEX_INTERNAL = 70
} ambidex_status;

#define AMBIDEX_MAX_TERMS 16

typedef struct ambidex_selector ambidex_selector;

/* D[m, n] = epilogue(A B + C), `batch` times, row-major D; see GemmOp in ambidex/base.h. */
typedef struct ambidex_gemm_op {
  size_t struct_size;
  int64_t m, n, k, batch;
  const char* dtype;                           /* "bf16", ...; NULL: bf16 */
  const char* out_dtype;                       /* NULL: dtype, or bf16 where dtype is narrower */
  const char* layout;                          /* "NN", "NT", "TN", "TT"; NULL: NN */
  int32_t bias, relu, residual, bias_gradient; /* epilogue, 0 or 1 */
  int32_t cold;                                /* 1: operands come from memory */
} ambidex_gemm_op;
#define AMBIDEX_GEMM_OP_INIT \
  { sizeof(ambidex_gemm_op), 0, 0, 0, 1, NULL, NULL, NULL, 0, 0, 0, 0, 0 }

/* See SelectOptions in ambidex/select.h. */
typedef struct ambidex_select_options {
  size_t struct_size;
  int64_t num_units;       /* 0: all */
  int64_t workspace_bytes; /* -1: no cap */
  int32_t deterministic;
  int32_t allow_library;
  double close_ratio, min_confidence, measure_confidence, library_slack_ratio;
} ambidex_select_options;
#define AMBIDEX_SELECT_OPTIONS_INIT \
  { sizeof(ambidex_select_options), 0, -1, 0, 1, 0.03, 0.5, 0.9, 0.05 }

/* See GemmConfig in ambidex/cost.h. */
typedef struct ambidex_gemm_config {
  const char* kernel_template; /* "triton", "tensile" or "library", which has no configuration */
  int32_t tile_m, tile_n, tile_k;
  int32_t num_warps, num_stages, group_m, split_k;
  int32_t matrix_instr, waves_per_eu, kpack; /* AMD; matrix_instr 0: the compiler's choice */
  int32_t wave_tile_m, wave_tile_n, stream_k, xcc_mapping; /* Tensile */
  int32_t custom_schedule, direct_to_lds, transpose_lds;   /* Tensile, 0 or 1 */
} ambidex_gemm_config;

typedef struct ambidex_selection {
  size_t struct_size;
  ambidex_gemm_config config;
  double seconds, low_seconds, high_seconds; /* prediction and its 80 % interval */
  const char* binds;                         /* name of the largest term */
  double term_seconds[AMBIDEX_MAX_TERMS];    /* by ambidex_term_name() */
  int64_t num_candidates;
  const char* abstained; /* "none", "library" or "measure" */
  double confidence;
  int64_t measure_k;
} ambidex_selection;
#define AMBIDEX_SELECTION_INIT \
  { .struct_size = sizeof(ambidex_selection) }

typedef struct ambidex_ranked {
  size_t struct_size;
  ambidex_gemm_config config;
  double seconds;
} ambidex_ranked;

/* "0.1.0" */
const char* ambidex_version(void);

/* "matrix", "memory", ...; NULL from the number of terms on. */
const char* ambidex_term_name(int32_t term);

/* `device`: an id or a YAML file, as on the command line. On success *selector is to be freed. */
ambidex_status ambidex_selector_create(const char* device, const char* kernel_template,
                                       ambidex_selector** selector, char* message,
                                       size_t message_size);
void ambidex_selector_free(ambidex_selector* selector); /* NULL is fine */

/* `options` may be NULL in all of these. */
ambidex_status ambidex_select(const ambidex_selector* selector, const ambidex_gemm_op* op,
                              const ambidex_select_options* options, ambidex_selection* selection,
                              char* message, size_t message_size);

/* Fills ranked[0 .. *num_ranked), at most k, fastest first; ranked[0].struct_size is set and
   the stride of the array. */
ambidex_status ambidex_top_k(const ambidex_selector* selector, const ambidex_gemm_op* op,
                             const ambidex_select_options* options, int64_t k,
                             ambidex_ranked* ranked, int64_t* num_ranked, char* message,
                             size_t message_size);

/* Text, cut to text_size - 1 bytes; *needed_size, if not NULL, is what all of it takes with its
   final zero. */
ambidex_status ambidex_explain(const ambidex_selector* selector, const ambidex_gemm_op* op,
                               const ambidex_select_options* options, char* text, size_t text_size,
                               size_t* needed_size, char* message, size_t message_size);
ambidex_status ambidex_uuid(const ambidex_selector* selector, char* text, size_t text_size,
                            size_t* needed_size, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif /* AMBIDEX_AMBIDEX_H_ */
