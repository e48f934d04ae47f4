#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the executor to an NVIDIA GPU on the programs of tests/corpus, bit for bit.

Where one machine has clang 22 and another the GPU, in two steps:

    bench/executor_on_gpu.py record FOLDER     # runs the programs, keeps two launches of each kernel
    bench/executor_on_gpu.py check FOLDER      # with nvcc and build/release/ambidex-gpu

`ambidex port verify` does the same for one program, by the rules of docs/verify.md, where one machine
has both. --gpu names another ambidex-gpu.
"""

import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
LAUNCHES_PER_KERNEL = 2
POISON = 0xA5  # of memory that nothing has written


def ask(program, words, request):
    done = subprocess.run([program, *words], input=json.dumps(request), capture_output=True, text=True)
    if done.returncode != 0:
        return {"ok": False, "status": "failed", "buffers": [], "problems": [{"message": done.stderr.strip()}]}
    return json.loads(done.stdout)


def record_program(source, folder):
    folder.mkdir()
    module = folder / "module.so"
    built = ask(BUILD / "ambidex-clang", ["module"], {"files": [str(source)], "dialect": "cuda", "arguments": [],
                                                      "checked": True, "output": str(module)})
    if not built["ok"]:
        return print(f"{source.stem}: does not compile")
    run = ask(BUILD / "ambidex-simt", [], {"module": str(module), "folder": str(folder), "max_seconds": 100,
                                           "program": {"record": "contents"}})
    module.unlink()
    seen, launches = {}, []
    for launch in run.get("launches", []):
        seen[launch["symbol"]] = seen.get(launch["symbol"], 0) + 1
        if seen[launch["symbol"]] <= LAUNCHES_PER_KERNEL:
            launches.append(launch)
    kept = {os.path.basename(buffer[when]) for launch in launches for buffer in launch["buffers"]
            for when in ("before", "after")}
    for path in folder.iterdir():
        if path.name not in kept:
            path.unlink()
    (folder / "trace.json").write_text(json.dumps(launches))
    print(f"{source.stem}: {run['status']}, {len(launches)} launches kept")


def contents(folder, path):
    return (folder / os.path.basename(path)).read_bytes()


def launch_request(folder, launch, scratch):
    buffers, arguments = [], []
    for number, buffer in enumerate(launch["buffers"]):
        data = contents(folder, buffer["before"])
        path = scratch / f"in{number}.bin"
        path.write_bytes(data)
        buffers.append({"name": buffer["name"], "bytes": buffer["bytes"], "file": str(path), "poison": POISON,
                        "unwritten": buffer["unwritten"],
                        "variable": buffer["name"] if buffer["allocation"] < 0 else ""})
    for number, word in enumerate(launch["arguments"]):
        pointers = [{key: pointer[key] for key in ("at", "buffer", "offset")} for pointer in launch["pointers"]
                    if pointer["parameter"] == number and pointer["buffer"] >= 0]
        arguments.append({"hex": word, "pointers": pointers})
    geometry = {key: launch[key] for key in ("grid", "block", "dynamic_shared_bytes", "cooperative")}
    return {"kernel": launch["symbol"], **geometry, "arguments": arguments, "buffers": buffers}


def difference(name, got, wanted):
    """How far two buffers are apart, read as floats; "" if they are the same bits."""
    if got == wanted:
        return ""
    count = len(got) // 4
    pairs = list(zip(struct.unpack(f"<{count}f", got[:4 * count]), struct.unpack(f"<{count}f", wanted[:4 * count])))
    differ = [(a, b) for a, b in pairs if a != b and not (a != a and b != b)]
    worst = max((abs(a - b) / max(abs(b), 1e-30) for a, b in differ), default=0.0)
    return f"{name}: {len(differ)} of {count} floats differ, by {worst:.1e} at most"


def check(folder, gpu):
    print(ask(gpu, [], {"mode": "devices"}).get("devices"))
    same = total = 0
    for trace in sorted(folder.glob("*/trace.json")):
        name = trace.parent.name
        scratch = pathlib.Path(tempfile.mkdtemp())
        cubin = scratch / "original.cubin"
        # Without contracted multiply-adds, as the executor computes.
        subprocess.run(["nvcc", "-std=c++17", "-cubin", "-fmad=false", "-arch=sm_90", "-o", cubin,
                        ROOT / "tests" / "corpus" / f"{name}.cu"], check=True, stderr=subprocess.DEVNULL)
        for launch in json.loads(trace.read_text()):
            answer = ask(gpu, [], {"mode": "launch", "vendor": "nvidia", "module": "", "objects": [str(cubin)],
                                   "folder": str(scratch), "launch": launch_request(trace.parent, launch, scratch)})
            faults = [problem["message"] for problem in answer["problems"]]
            for buffer, result in zip(launch["buffers"], answer["buffers"]):
                fault = difference(buffer["name"], pathlib.Path(result["contents"]).read_bytes(),
                                   contents(trace.parent, buffer["after"]))
                faults += [fault] if fault else []
            ok = answer["status"] == "ended" and not faults
            same, total = same + ok, total + 1
            if not ok:
                print(f"{name}, {launch['kernel'].split('(')[0]}: {answer['status']} {'; '.join(faults)}")
        shutil.rmtree(scratch)
    print(f"{same} of {total} launches bit for bit")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["record", "check"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gpu", default=BUILD / "ambidex-gpu")
    words = parser.parse_args()
    if words.step == "check":
        return check(words.folder, words.gpu)
    words.folder.mkdir(parents=True)  # never over an earlier one
    for source in sorted((ROOT / "tests" / "corpus").glob("*.cu")):
        record_program(source, words.folder / source.stem)


if __name__ == "__main__":
    main()
