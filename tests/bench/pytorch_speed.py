#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of linking on generated pairs: in memory beside the floor, and the tool end to end."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys

# host nodes: limit of the tool's CPU seconds
SIZES = {100_000: 0.5, 1_000_000: 5.0}
MEMORY_RATIO = 3.0  # peak resident memory to uncompressed input


def make_pair(generator, work, nodes):
    folder = work / str(nodes)
    if not (folder / "kineto_0.json").exists():
        subprocess.run([sys.executable, generator, "--nodes", str(nodes), "--out", folder], check=True,
                       stdout=subprocess.DEVNULL)
    return folder / "host_0.json", folder / "kineto_0.json"


def run_tool(tool, host, device, out, options=()):
    """CPU seconds and peak MiB of one run."""
    pid = os.fork()
    if pid == 0:
        os.execv(tool, [tool, "--host", host, "--device", device, "-o", out, *options])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{tool} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("bench", "tool", "generator", "work"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--largest", type=int, default=max(SIZES))
    a = parser.parse_args()
    missed = False
    for nodes, limit in SIZES.items():
        if nodes > a.largest:
            continue
        host, device = make_pair(a.generator, a.work, nodes)
        output = subprocess.run([a.bench, host, device], check=True, stdout=subprocess.PIPE, text=True).stdout
        print(output, end="")
        missed = missed or "MISSED" in output
        size = (host.stat().st_size + device.stat().st_size) / 2**20
        for options in ((), ("--no-history",), ("--compat", "chakra")):
            runs = [run_tool(a.tool, host, device, a.work / "out.et", options) for _ in range(3)]
            seconds, memory = min(r[0] for r in runs), max(r[1] for r in runs)
            over = seconds > limit and not options or memory > MEMORY_RATIO * size
            missed = missed or over
            print(f"et-link {' '.join(options)}: {nodes} host nodes, {seconds:.2f} s CPU (limit {limit} s), "
                  f"{memory:.0f} MiB, {memory / size:.2f} x input (limit {MEMORY_RATIO:.0f})"
                  f"{' MISSED' if over else ''}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
