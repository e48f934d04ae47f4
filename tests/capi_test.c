// SPDX-License-Identifier: Apache-2.0
/* The C interface, from C. Prints what is wrong and exits 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ambidex/ambidex.h"

static int num_wrong = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++num_wrong;                                                    \
    }                                                                 \
  } while (0)

static char message[256];

static ambidex_gemm_op op_of(int64_t m, int64_t n, int64_t k) {
  ambidex_gemm_op op = AMBIDEX_GEMM_OP_INIT;
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

static void test_select(const ambidex_selector* selector) {
  const ambidex_gemm_op op = op_of(8192, 1024, 512);
  ambidex_selection selection = AMBIDEX_SELECTION_INIT;
  EXPECT(ambidex_select(selector, &op, NULL, &selection, message, sizeof message) == AMBIDEX_OK);
  EXPECT(selection.struct_size == sizeof selection);
  EXPECT(selection.seconds > 1e-6 && selection.seconds < 1e-3);
  EXPECT(selection.low_seconds <= selection.seconds);
  EXPECT(selection.high_seconds >= selection.seconds);
  EXPECT(selection.num_candidates >= 200);
  EXPECT(strcmp(selection.config.kernel_template, "triton") == 0);
  EXPECT(selection.config.tile_m >= 16);
  EXPECT(strlen(selection.binds) > 0);
  EXPECT(strlen(selection.abstained) > 0);
  int binds = 0;
  while (ambidex_term_name(binds) && strcmp(ambidex_term_name(binds), selection.binds) != 0) {
    ++binds;
  }
  EXPECT(ambidex_term_name(binds) != NULL && selection.term_seconds[binds] > 0);
}

static void test_top_k(const ambidex_selector* selector) {
  const ambidex_gemm_op op = op_of(8192, 1024, 512);
  ambidex_select_options options = AMBIDEX_SELECT_OPTIONS_INIT;
  ambidex_ranked ranked[5];
  int64_t num_ranked = 0;
  options.deterministic = 1;
  ranked[0].struct_size = sizeof ranked[0];
  EXPECT(ambidex_top_k(selector, &op, &options, 5, ranked, &num_ranked, message, sizeof message) ==
         AMBIDEX_OK);
  EXPECT(num_ranked == 5);
  for (int i = 1; i < 5; ++i) EXPECT(ranked[i].seconds >= ranked[i - 1].seconds);
  for (int i = 0; i < 5; ++i) EXPECT(ranked[i].config.split_k == 1);
  EXPECT(ambidex_top_k(selector, &op, &options, 0, ranked, &num_ranked, message, sizeof message) ==
         AMBIDEX_BAD_INPUT);
  EXPECT(strcmp(message, "top_k: expected a count from 1, got 0") == 0);
}

static void test_text(const ambidex_selector* selector) {
  const ambidex_gemm_op op = op_of(8192, 1024, 512);
  size_t needed = 0;
  char small[10];
  EXPECT(ambidex_explain(selector, &op, NULL, small, sizeof small, &needed, NULL, 0) == AMBIDEX_OK);
  EXPECT(strcmp(small, "mi350x, t") == 0);
  char* text = malloc(needed);
  EXPECT(ambidex_explain(selector, &op, NULL, text, needed, NULL, NULL, 0) == AMBIDEX_OK);
  EXPECT(strlen(text) + 1 == needed && strstr(text, "binds") != NULL);
  free(text);
  EXPECT(ambidex_uuid(selector, small, sizeof small, &needed, NULL, 0) == AMBIDEX_OK);
  EXPECT(strncmp(small, "gemm-", 5) == 0 && needed > sizeof small);
}

static void expect_error(ambidex_status got, ambidex_status expected, const char* begin) {
  EXPECT(got == expected);
  EXPECT(strncmp(message, begin, strlen(begin)) == 0);
  if (strncmp(message, begin, strlen(begin)) != 0) fprintf(stderr, "  got: %s\n", message);
}

static void test_bad_ops(const ambidex_selector* selector) {
  const size_t size = sizeof message;
  ambidex_selection out = AMBIDEX_SELECTION_INIT;
  ambidex_gemm_op op = op_of(0, 1, 1);
  expect_error(ambidex_select(selector, &op, NULL, &out, message, size), AMBIDEX_BAD_INPUT,
               "gemm: m: expected a size");
  op.dtype = "bf61";
  expect_error(ambidex_select(selector, &op, NULL, &out, message, size), AMBIDEX_BAD_INPUT,
               "no dtype \"bf61\"");
  op.struct_size = 0;
  expect_error(ambidex_select(selector, &op, NULL, &out, message, size), AMBIDEX_BAD_INPUT,
               "struct_size is not set; use the INIT macro");
  expect_error(ambidex_select(selector, NULL, NULL, &out, message, size), AMBIDEX_BAD_INPUT,
               "op is NULL");
  expect_error(ambidex_select(NULL, &op, NULL, &out, message, size), AMBIDEX_BAD_INPUT,
               "selector or selection is NULL");
  expect_error(ambidex_top_k(NULL, &op, NULL, 1, NULL, NULL, message, size), AMBIDEX_BAD_INPUT,
               "selector is NULL");
  op = op_of(1, 1, 1);
  expect_error(ambidex_top_k(selector, &op, NULL, 1, NULL, NULL, message, size), AMBIDEX_BAD_INPUT,
               "ranked or num_ranked is NULL");
  expect_error(ambidex_explain(NULL, &op, NULL, NULL, 0, NULL, message, size), AMBIDEX_BAD_INPUT,
               "selector is NULL");
  expect_error(ambidex_uuid(NULL, NULL, 0, NULL, message, size), AMBIDEX_BAD_INPUT,
               "selector is NULL");
}

static void test_bad_selectors(void) {
  const size_t size = sizeof message;
  ambidex_selector* selector = NULL;
  expect_error(ambidex_selector_create("h20", "triton", &selector, message, size),
               AMBIDEX_NOT_FOUND, "no device \"h20\"");
  expect_error(ambidex_selector_create("h200", "titron", &selector, message, size),
               AMBIDEX_BAD_INPUT, "no template \"titron\"");
  expect_error(ambidex_selector_create(NULL, "triton", &selector, message, size), AMBIDEX_BAD_INPUT,
               "device, kernel_template or selector is NULL");
  EXPECT(selector == NULL);
  expect_error(ambidex_selector_create("h20", "triton", &selector, message, 10), AMBIDEX_NOT_FOUND,
               "no device");
  EXPECT(strlen(message) == 9); /* cut, and still ended */
}

/* A caller that was compiled before the last fields came. */
static void test_earlier_caller(const ambidex_selector* selector) {
  struct {
    size_t struct_size;
    int64_t m, n, k, batch;
    int64_t guard;
  } earlier = {offsetof(ambidex_gemm_op, dtype), 8192, 1024, 512, 1, -1};
  ambidex_selection selection = AMBIDEX_SELECTION_INIT;
  selection.struct_size = offsetof(ambidex_selection, low_seconds);
  selection.low_seconds = -1;
  EXPECT(ambidex_select(selector, (const ambidex_gemm_op*)&earlier, NULL, &selection, message,
                        sizeof message) == AMBIDEX_OK);
  EXPECT(selection.seconds > 0 && selection.low_seconds == -1);
}

int main(void) {
  ambidex_selector* selector = NULL;
  EXPECT(strchr(ambidex_version(), '.') != NULL);
  EXPECT(ambidex_term_name(-1) == NULL);
  if (ambidex_selector_create("mi350x", "triton", &selector, message, sizeof message) != 0) {
    fprintf(stderr, "ambidex_selector_create: %s\n", message);
    return 1;
  }
  test_select(selector);
  test_top_k(selector);
  test_text(selector);
  test_bad_ops(selector);
  test_earlier_caller(selector);
  ambidex_selector_free(selector);
  ambidex_selector_free(NULL);
  test_bad_selectors();
  return num_wrong == 0 ? 0 : 1;
}
