#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_train_cpu.py: seconds of a training step, ours beside PyTorch's eager mode on the CPU.

Runs bench/train_cpu (build it with -DAMBIDEX_BENCH=ON) and bench/train_pytorch.py by turns, so that
a machine that slows down slows both, and prints a table. Both take --model --batch --threads
--steps --max-rows and print one line of JSON, whose keys train_pytorch.py names. Needs torch in the
Python of --python; close other programs first.

  bench/compare_train_cpu.py --ours build/release/bench/train_cpu --rounds 3
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

CASES = [
    {"model": "dlrm_kaggle", "batch": 128, "max_rows": 0, "steps": 200},
    {"model": "dlrm_kaggle", "batch": 2048, "max_rows": 0, "steps": 50},
    {"model": "mlperf_dlrm_dcnv2", "batch": 2048, "max_rows": 100000, "steps": 10},
]
SAME = ["model", "max_rows", "batch", "threads", "ids"]  # must agree, or the times cannot


def run(command, case, threads):
    """The JSON of one run, or exit with what went wrong."""
    words = command + ["--model", case["model"], "--batch", str(case["batch"]), "--threads",
                       str(threads), "--steps", str(case["steps"]), "--max-rows",
                       str(case["max_rows"])]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{' '.join(words)}: {error}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(case, ours, pytorch, rounds, threads):
    """Runs of both, by turns."""
    results = ([], [])
    for _ in range(rounds):
        results[0].append(run(ours, case, threads))
        results[1].append(run(pytorch, case, threads))
        for key in SAME:
            if results[0][-1][key] != results[1][-1][key]:
                sys.exit(f"bad_input: {key} is {results[0][-1][key]} in ours and"
                         f" {results[1][-1][key]} in PyTorch's run; they are not comparable")
    return results


def median_of(runs, key):
    return statistics.median(r[key] for r in runs)


def milliseconds(runs):
    """Median of the medians, and their range."""
    steps = [r["step_seconds"] * 1e3 for r in runs]
    return f"{statistics.median(steps):.2f} ({min(steps):.2f}-{max(steps):.2f})"


def share(runs):
    return median_of(runs, "matmul_seconds") / median_of(runs, "step_seconds")


def row_of(case, ours, pytorch):
    name = case["model"] + (f", rows <= {case['max_rows']}" if case["max_rows"] else "")
    ratio = median_of(pytorch, "step_seconds") / median_of(ours, "step_seconds")
    return (f"| {name} | {case['batch']} | {milliseconds(ours)} | {milliseconds(pytorch)} |"
            f" {ratio:.2f} | {share(ours):.0%} | {share(pytorch):.0%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ours", default="build/release/bench/train_cpu")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="every run instead of the table")
    arguments = parser.parse_args()
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "train_pytorch.py")
    rows, runs = [], []
    for case in CASES:
        ours, pytorch = compare(case, [arguments.ours], [arguments.python, script],
                                arguments.rounds, arguments.threads)
        rows.append(row_of(case, ours, pytorch))
        runs.append({"ours": ours, "pytorch": pytorch})
    if arguments.json:
        print(json.dumps(runs))
        return
    print(f"{runs[0]['ours'][0]['version']} beside {runs[0]['pytorch'][0]['version']},"
          f" {arguments.threads} threads, milliseconds of a step, median of {arguments.rounds} runs"
          " (range)\n")
    print("| model | batch | ours | PyTorch | PyTorch / ours | products | PyTorch: products |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
