#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the times that `ambidex port estimate` predicts to those that an NVIDIA GPU takes.

Where one machine has clang 22 and another the GPU, in three steps:

    bench/estimate_on_gpu.py predict SET.json       # each launch of bench/estimate/SET.cu, in the executor
    bench/estimate_on_gpu.py measure SET.csv        # with nvcc, on the machine with the GPU
    bench/estimate_on_gpu.py compare SET.json SET.csv

SET is first or second (the model was made with them in view) or third (it was not).
"""

import argparse
import csv
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = ROOT / "bench" / "estimate"


def predict(path, device):
    source = SETS / (path.stem + ".cu")
    command = [ROOT / "build" / "release" / "ambidex", "port", "estimate", source, "--device", device,
               "--max-seconds", "2000", "--trusted", "--json"]
    path.write_text(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(path, architecture):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        subprocess.run(["nvcc", "-std=c++17", "-O3", "--extended-lambda", f"-arch={architecture}", "-DTIMED",
                        "-o", program, SETS / (path.stem + ".cu")], check=True)
        path.write_text(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def predictions(path):
    for program in json.loads(path.read_text())["programs"]:
        if program["fault"]:
            raise SystemExit(f"{path}: {program['fault']}")
        for kernel in program["kernels"]:
            for launch in kernel["devices"]:
                yield kernel["kernel"], launch


def compare(predicted_path, measured_path):
    with measured_path.open() as file:
        measured = list(csv.reader(file))
    predicted = list(predictions(predicted_path))
    if len(predicted) != len(measured):
        raise SystemExit(f"{len(predicted)} launches are predicted and {len(measured)} measured")
    print(f"{'kernel':24} {'measured us':>11} {'(10-90 %)':>15} {'predicted':>9} {'ratio':>6}  binds")
    errors = []
    for (kernel, launch), (name, median, low, high) in zip(predicted, measured):
        us = launch["seconds"] * 1e6
        ratio = us / float(median)
        errors.append(abs(math.log(ratio)))
        print(f"{name:24} {float(median):11.2f} {low:>7}-{high:<7} {us:9.2f} {ratio:6.2f}  {launch['binds']}")
    print(f"{len(errors)} launches: median error {math.expm1(statistics.median(errors)):.0%}, "
          f"mean of factors {math.exp(statistics.mean(errors)):.2f}, worst {math.exp(max(errors)):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["predict", "measure", "compare"])
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--device", default="h200", help="of data/devices")
    parser.add_argument("--architecture", default="sm_90", help="what nvcc compiles for")
    arguments = parser.parse_args()
    if arguments.step == "predict":
        predict(arguments.paths[0], arguments.device)
    elif arguments.step == "measure":
        measure(arguments.paths[0], arguments.architecture)
    else:
        compare(*arguments.paths)


if __name__ == "__main__":
    main()
