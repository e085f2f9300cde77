#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the MSCCL-IR programs that et-generate writes in the simulator of the corpus, check/mscclsim.py.

No program hangs in the smallest and the largest call that it declares, and each computes its collective. If rule fifo
of et-validate names the largest call without a hang, the simulator completes it and hangs in the next larger one. Every
tenth program is checked, with --all each: et-generate --list for 8, 16 and 12 ranks, and 200 synthesized ones.
"""
import argparse
import importlib.util
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SIMULATOR = "wild/collectives/check/mscclsim.py"
UNLIMITED = 1 << 40
# Bytes of a message and messages of a connection, with the default buffers; the minimum over the runtimes.
SLOTS = {"Simple": 2, "LL": 8, "LL128": 8}
MESSAGE = {"Simple": 2 << 20, "LL": 512 * 8 * 16 // 2, "LL128": 640 * 120 * 8 * 15 // 16}
LEAST_MESSAGE = {"Simple": 2 << 20, "LL": 256 * 8 * 16 // 2, "LL128": 256 * 28 * 8 * 7 // 8}
MOST_STEPS = 20000  # limit of the simulator for a run of seconds

NETWORKS = ["switch:8,bw=50GB/s,lat=500ns", "ring:8,bw=50GB/s,lat=500ns", "torus:4x2,bw=50GB/s,lat=500ns",
            "switch:4,bw=300GB/s,lat=500ns+switch:2,bw=50GB/s,lat=2us", "hypercube:8,bw=50GB/s,lat=500ns",
            "switch:8,bw=300GB/s,lat=500ns+switch:2,bw=50GB/s,lat=2us", "ring:5,bw=25GB/s,lat=1us"]
COLLECTIVES = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce"]
SIZES = ["64KiB", "1MiB", "16MiB", "64MiB", "1GiB"]


def algorithms_in(listing):
    """Yields each collective with each of its algorithms, from the first part of et-generate --list."""
    collective = ""
    for line in listing.split("\n\n")[0].splitlines()[1:]:
        words = line.split()
        if not line.startswith("   "):
            collective = words.pop(0)
        for algorithm in words:
            yield collective, algorithm


def built_commands(et_generate):
    """Yields the arguments of each built algorithm: with and without a size, and with each protocol."""
    listing = subprocess.run([et_generate, "--list"], check=True, capture_output=True, text=True).stdout
    dims = {8: "4x2", 16: "4x4", 12: "4x3"}
    for collective, algorithm in algorithms_in(listing):
        if algorithm == "synthesized":
            continue
        for ranks, size, proto in itertools.product((8, 16, 12), (None, "1MiB", "1GiB"), ("Simple", "LL")):
            arguments = [collective, "--algorithm", algorithm, "--proto", proto]
            ways = [["--npus", str(ranks)]]
            if algorithm == "hierarchical":
                ways = [["--dims", dims[ranks]], ["--dims", dims[ranks], "--dim-algorithms", "direct"]]
                if collective == "all_to_all":
                    ways = ways[:1]
            for way in ways:
                yield arguments + way + (["--size", size] if size else [])


def synthesized_commands():
    """Yields the arguments of 200 synthesized programs."""
    every = itertools.product(NETWORKS, COLLECTIVES, SIZES, ([], ["--target", "msccl"], ["--target", "rccl"]))
    count = 0
    for i, (network, collective, size, target) in enumerate(every):
        if i % 3 != 0 or count == 200:
            continue
        count += 1
        yield [collective, "--algorithm", "synthesized", "-n", network, "--size", size, "--effort", "fast"] + target


class Checker:
    def __init__(self, tools, simulator):
        self.tools = tools
        spec = importlib.util.spec_from_file_location("mscclsim", simulator)
        self.simulator = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(self.simulator)
        self.failures = 0

    def fail(self, what, message):
        self.failures += 1
        print(f"{what}: {message}")

    def end_of(self, path, bytes_of_call, message):
        algo = self.simulator.load(path)
        chunk = -(-bytes_of_call // int(algo.get("nchunksperloop")))
        carried = min(71, max(1, message // max(1, chunk)))
        return self.simulator.run(path, slots=SLOTS[algo.get("proto")], allowed=carried)[0]

    @staticmethod
    def message_of(algo, table):
        short = algo.get("proto") == "Simple" and algo.get("coll") in ("broadcast", "reduce")
        return table[algo.get("proto")] // (4 if short else 1)

    def check(self, arguments, path):
        what = "et-generate " + " ".join(arguments)
        made = subprocess.run([self.tools / "et-generate", *arguments, "-t", "msccl", "-o", path, "--force"],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return self.fail(what, made.stderr)
        text = path.read_text()
        if text.count("<step") > MOST_STEPS:
            return None
        algo = self.simulator.load(path)
        message = self.message_of(algo, LEAST_MESSAGE)
        least, most = int(algo.get("minBytes")), int(algo.get("maxBytes"))
        for call in (max(least, 1), most or UNLIMITED):
            end = self.end_of(path, call, message)
            if not end.startswith("ok"):
                self.fail(what, f"a call of {call} bytes: {end}")
        return self.check_rule(what, text, path)

    def check_rule(self, what, text, path):
        """Compares rule fifo with the simulator, for a program that declares all calls."""
        path.write_text(re.sub(r'maxBytes="\d+"', 'maxBytes="0"', text, count=1))
        found = subprocess.run([self.tools / "et-validate", "--rules", "fifo", path], capture_output=True, text=True,
                               check=False).stderr
        message = self.message_of(self.simulator.load(path), MESSAGE)
        named = re.search(r"in calls of more than (\d+) bytes", found)
        if not named:
            if "DEADLOCK" in self.end_of(path, UNLIMITED, message):
                self.fail(what, "rule fifo names no call, and the simulator hangs")
            return
        largest = int(named[1])
        if "DEADLOCK" in self.end_of(path, largest, message):
            self.fail(what, f"the simulator hangs in a call of {largest} bytes, which rule fifo allows")
        if "DEADLOCK" not in self.end_of(path, largest + 1, message):
            self.fail(what, f"the simulator ends in a call of {largest + 1} bytes, in which rule fifo names a hang")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the tools")
    parser.add_argument("--all", action="store_true", help="each program, not every tenth")
    o = parser.parse_args()
    root = pathlib.Path(os.environ.get("ETKIT_CORPUS") or pathlib.Path(__file__).parents[3] / "shared/corpus")
    if not (root / SIMULATOR).exists():
        print(f"no corpus at {root}")
        return 0
    tools = o.bin.resolve()
    commands = list(built_commands(tools / "et-generate")) + list(synthesized_commands())
    if not o.all:
        commands = commands[::10]
    checker = Checker(tools, root / SIMULATOR)
    with tempfile.TemporaryDirectory() as folder:
        for arguments in commands:
            checker.check(arguments, pathlib.Path(folder) / "program.xml")
    print(f"{len(commands)} programs, {checker.failures} failures")
    return 1 if checker.failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
