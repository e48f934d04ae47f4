// SPDX-License-Identifier: Apache-2.0
// What a user of the installed library writes. Exits 0 if the library answers.
#include <ambidex/base.h>

int main() {
  const ambidex::GemmOp op{.m = 8192, .n = 1024, .k = 512};
  ambidex::validate(op);
  return ambidex::gemm_flop(op) == 2.0 * 8192 * 1024 * 512 ? 0 : 1;
}
