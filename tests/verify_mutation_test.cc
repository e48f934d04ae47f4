// SPDX-License-Identifier: Apache-2.0
// How good is the verifier? Known wrong fixes are made to ports of the corpus that pass, one at a
// time; at least 95 % of them must be found.
//
// Changes that look wrong and are not are left out, since no verifier can find them: a shuffle down
// or up within 32 lanes that is given the width 64 (whoever uses the result reads within its own
// half: `lane >= d` for up, lane 0 for down), a butterfly of 16 lanes and less with the width 64
// (xor does not leave the half), a tile of 64 instead of two of 32 that both end in one atomic sum,
// and the identity 0 of softmax's maximum (it cancels).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/parallel.h"
#include "port/translate.h"
#include "port/verify.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

struct Mutant {
  const char* program;  // of tests/corpus
  const char* what;
  const char* from;  // every occurrence in the port
  const char* to;
};

constexpr Mutant kMutants[]{
    // Ballots, ranks and a broadcast.
    {"compact_ballot", "32-bit ballot", "ambidex_port::ballot_sync(0xffffffff, keep)",
     "(unsigned)__ballot(keep)"},
    {"compact_ballot", "wrong width", "base, 0, 32)", "base, 0, 64)"},
    {"compact_ballot", "half fix: lanes of 64", "threadIdx.x & 31", "threadIdx.x & 63"},
    {"compact_ballot", "inverted predicate", "value > threshold", "value <= threshold"},
    {"compact_ballot", "neighbouring index", "(1u << lane) - 1", "(2u << lane) - 1"},
    {"compact_ballot", "skipped tail", "i < n && value", "i < n - 1 && value"},
    {"compact_ballot", "off-by-one grid", "(n + 255) / 256", "n / 256"},
    {"compact_ballot", "dropped guard", "i < n ? in[i] : 0", "in[i]"},
    {"compact_ballot", "constant count", "atomicAdd(count, __popc(mask))", "atomicAdd(count, 32)"},
    // A scan over warps and blocks.
    {"scan_warp", "half fix: all lanes of 64 scan", "threadIdx.x & (WARP_SIZE - 1)",
     "threadIdx.x & 63"},
    {"scan_warp", "off by one lane", "lane >= d", "lane > d"},
    {"scan_warp", "dropped barrier", "__syncthreads();\n  if (warp == 0)", "if (warp == 0)"},
    {"scan_warp", "dropped second barrier", "__syncthreads();\n  if (warp > 0)", "if (warp > 0)"},
    {"scan_warp", "neighbouring index", "warp_totals[warp - 1]", "warp_totals[warp]"},
    {"scan_warp", "skipped tail", "if (i < n) out[i] = value;", "if (i < n - 1) out[i] = value;"},
    {"scan_warp", "off-by-one loop", "b < blockIdx.x", "b <= blockIdx.x"},
    // Sums of floats by shuffles.
    {"reduce_warp_shuffle", "half a tree", "offset = 16", "offset = 8"},
    {"reduce_warp_shuffle", "tree of 64 in 32", "offset = 16", "offset = 32"},
    {"reduce_warp_shuffle", "dropped barrier", "__syncthreads();\n  val", "val"},
    {"reduce_warp_shuffle", "wrong identity", "shared[lane] : 0", "shared[lane] : 1"},
    {"reduce_warp_shuffle", "skipped tail", "c < cols;", "c < cols - 1;"},
    {"reduce_warp_shuffle", "accumulator in half", "sum += in[blockIdx.x * cols + c];",
     "sum = (float)(_Float16)(sum + in[blockIdx.x * cols + c]);"},
    {"reduce_warp_shuffle", "half fix: partials of waves", "blockDim.x / 32) ?",
     "blockDim.x / 64) ?"},
    // Softmax.
    {"softmax_warp", "max-subtraction removed", "in[c] - m", "in[c]"},
    {"softmax_warp", "tree of 64 in 32", "mask = 16", "mask = 32"},
    {"softmax_warp", "half a tree", "mask = 16", "mask = 8"},
    {"softmax_warp", "skipped tail", "c < cols; c += 32) s +=", "c < cols - 1; c += 32) s +="},
    {"softmax_warp", "row beyond the last", "row >= rows", "row > rows"},
    {"softmax_warp", "accumulator in half", "s += expf(in[c] - m)",
     "s = (float)(_Float16)(s + expf(in[c] - m))"},
    // A maximum of packed pairs.
    {"argmax_packed", "half of a 64-bit shuffle", "mine, offset, 32)",
     "(unsigned)mine, offset, 32)"},
    {"argmax_packed", "inverted predicate", "other > mine", "other < mine"},
    {"argmax_packed", "skipped tail", "i < n ? pack", "i < n - 1 ? pack"},
    {"argmax_packed", "last of equals", "0xffffffffu - index", "index"},
    {"argmax_packed", "order of negatives", "? ~bits :", "? bits :"},
    {"argmax_packed", "half fix: leaders of waves", "threadIdx.x & 31) == 0",
     "threadIdx.x & 63) == 0"},
    // A histogram in shared memory.
    {"histogram_shared", "dropped barrier", "local[b] = 0;\n  __syncthreads();", "local[b] = 0;"},
    {"histogram_shared", "dropped second barrier", "  }\n  __syncthreads();", "  }"},
    {"histogram_shared", "skipped tail", "i < n; i += stride", "i + 1 < n; i += stride"},
    {"histogram_shared", "neighbouring index", "local[data[i]]", "local[data[i] ^ 1]"},
    {"histogram_shared", "skipped initial value", "b += blockDim.x) local[b]",
     "b += blockDim.x) if (b != 7) local[b]"},
    // A tree in shared memory.
    {"reduce_shared", "dropped barrier", "    __syncthreads();\n", ""},
    {"reduce_shared", "last step left out", "s > 0", "s > 1"},
    {"reduce_shared", "input read twice", "(blockDim.x * 2)", "(blockDim.x)"},
    {"reduce_shared", "tail read too far", "i + blockDim.x < n", "i + blockDim.x <= n"},
    {"reduce_shared", "too little shared memory", "threads * sizeof(float)",
     "threads * sizeof(float) / 2"},
    // Tiles.
    {"transpose_tiled", "dropped barrier", "__syncthreads();", ""},
    {"transpose_tiled", "column beyond the last", "x < width && y + j", "x <= width && y + j"},
    {"transpose_tiled", "not transposed", "tile[threadIdx.x][threadIdx.y + j];",
     "tile[threadIdx.y + j][threadIdx.x];"},
    {"gemm_tiled", "dropped barrier", "    __syncthreads();\n  }", "  }"},
    {"gemm_tiled", "skipped tail", "(k + TILE - 1) / TILE", "k / TILE"},
    {"gemm_tiled", "column beyond the last", "ka < k", "ka <= k"},
    {"gemm_tiled", "accumulator in half", "acc += As[threadIdx.y][i] * Bs[i][threadIdx.x];",
     "acc = (float)(_Float16)(acc + As[threadIdx.y][i] * Bs[i][threadIdx.x]);"},
    // Formats.
    {"quantize_fp8", "240 against 448", "448.0f", "240.0f"},
    // One wave, shared memory between its lanes.
    {"topk_rows", "dropped syncwarp", "ambidex_port::syncwarp();  // all", "// all"},
    {"topk_rows", "last of equals", "other_index < index", "other_index > index"},
    {"topk_rows", "wrong identity", "float value = -FLT_MAX", "float value = 0"},
    {"topk_rows", "wrong mark", "row[index] = -FLT_MAX", "row[index] = 0"},
    // Segments.
    {"segmented_sum", "half fix: ends of waves", "lane == 31", "lane == 63"},
    {"segmented_sum", "segments run together", "k == key", "k >= 0"},
    {"segmented_sum", "inverted predicate", "next != key", "next == key"},
    // Groups, and a sum near zero.
    {"dot_cooperative", "leader of the block", "tile.thread_rank() == 0",
     "block.thread_rank() == 0"},
    {"dot_cooperative", "half a tree", "tile.size() / 2", "tile.size() / 4"},
    {"dot_cooperative", "accumulator in half", "sum += a[i] * b[i];",
     "sum = (float)(_Float16)(sum + a[i] * b[i]);"},
    // Moments.
    {"layer_norm", "half fix: partials of waves", "31) / 32 ?", "31) / 64 ?"},
    {"layer_norm", "dropped barrier", "__syncthreads();\n  if (warp == 0)", "if (warp == 0)"},
    {"layer_norm", "epsilon left out", "s.count + eps", "s.count"},
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t count = 0;
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()), ++count) {
    text.replace(at, from.size(), to);
  }
  EXPECT_GT(count, 0u) << "the port has changed, and no longer holds " << from;
  return text;
}

// A program of the corpus, its port, and its module in a cache, so that mutants share it.
struct Subject {
  explicit Subject(const std::string& program)
      : name(program),
        original(programs_of(fmt::format("{}/tests/corpus/{}.cu", AMBIDEX_SOURCE_DIR, program),
                             "cuda", {})[0]) {
    const TranslatedTree tree = translate_tree(original.sources[0], {});
    write_tree(tree, scratch.path("hip"));
    text = read_file(scratch.path("hip/" + program + ".hip"), 1 << 20);
  }

  VerifyReport verify(const std::string& place, const std::string& port_text) const {
    const std::string folder = scratch.path(place);
    fs::create_directories(folder);
    fs::copy(scratch.path("hip"), folder + "/hip", fs::copy_options::recursive);
    const std::string source = folder + "/hip/" + name + ".hip";
    write_file(source, port_text);
    for (const auto& entry : fs::directory_iterator(scratch.path("modules"))) {
      fs::copy(entry.path(), fs::path(folder) / entry.path().filename());
    }
    return verify_port({.original = original,
                        .port = programs_of(source, "hip", {})[0],
                        .folder = folder,
                        .trusted = true,
                        .stop_at_first = true,
                        .contracts = {}});
  }

  // The modules of what passes; nothing of a mutant is among them.
  void keep_modules(const std::string& place) const {
    for (const auto& entry : fs::directory_iterator(scratch.path(place))) {
      if (entry.is_regular_file()) fs::copy(entry.path(), scratch.path("modules"));
    }
  }

  std::string name;
  ScratchFolder scratch;
  Program original;
  std::string text;
};

std::string reason_of(const VerifyReport& report) {
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.verdict == KernelVerdict::wrong) return kernel.reason;
  }
  return report.program;
}

TEST(VerifyMutation, at_least_95_of_100_wrong_fixes_are_found) {
  std::map<std::string, std::unique_ptr<Subject>> subjects;
  std::vector<Subject*> all;
  for (const Mutant& mutant : kMutants) {
    auto& subject = subjects[mutant.program];
    if (subject) continue;
    subject = std::make_unique<Subject>(mutant.program);
    fs::create_directories(subject->scratch.path("modules"));
    all.push_back(subject.get());
  }
  for (const Subject* subject : all) {
    const VerifyReport report = subject->verify("right", subject->text);
    ASSERT_TRUE(report.right()) << subject->name << ": " << reason_of(report);
    subject->keep_modules("right");
  }
  std::vector<std::string> found(std::size(kMutants));
  Workers workers;
  workers.run(std::ssize(kMutants), [&](int64_t i) {
    const Mutant& mutant = kMutants[i];
    const Subject& subject = *subjects.at(mutant.program);
    const VerifyReport report =
        subject.verify(fmt::format("mutant{}", i), replaced(subject.text, mutant.from, mutant.to));
    if (!report.right()) found[static_cast<size_t>(i)] = reason_of(report);
  });
  int killed = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    killed += !found[i].empty();
    fmt::print("{} {}: {}\n", kMutants[i].program, kMutants[i].what,
               found[i].empty() ? "SURVIVES" : found[i].substr(0, 150));
  }
  fmt::print("{} of {} wrong fixes found\n", killed, found.size());
  EXPECT_GE(found.size(), 40u);
  EXPECT_GE(killed * 100, static_cast<int>(found.size()) * 95);
}

}  // namespace
}  // namespace ambidex
