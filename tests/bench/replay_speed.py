#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed and memory of et-replay, end to end, beside those of ASTRA-sim's analytical backends on the same inputs.

    replay_speed.py --bin DIR --corpus DIR --work DIR [PREFIX ...]

--corpus: the folder with perf.json, what the reference took, and make_speed_case.py, which writes the inputs into
--work, once. PREFIX: only cases of such names. Times are CPU seconds, user and system together, the best of three
runs; of one where the reference took more than 20 s. Memory is the peak resident set. The exit status is 1 if finish
times differ from the reference's, or a limit is missed.
"""
import argparse
import contextlib
import gzip
import importlib.util
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys

LIMIT_ALONE, LIMIT_SYMMETRY, LIMIT_MEMORY = 10, 30, 5
RINGS = ((16_384, 1.0), (100_000, 5.0))  # NPUs, seconds
RING_BYTES = 2 << 30


def measure(command, folder, rounds):
    """(CPU seconds, KiB, exit status) of the best round."""
    best, memory, status = float("inf"), 0, 0
    for _ in range(rounds):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        _, wait_status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(wait_status)
        best = min(best, usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss)
        status = status or process.returncode
    return best, memory, status


def speed_case_maker(script):
    """The script's make(). Without arguments the script lists its cases and exits, its functions defined."""
    spec = importlib.util.spec_from_file_location("speed_case", script)
    module = importlib.util.module_from_spec(spec)
    arguments, sys.argv = sys.argv, [str(script)]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        spec.loader.exec_module(module)
    sys.argv = arguments
    return module.make


class Bench:
    def __init__(self, options):
        self.options = options
        self.perf = json.loads((options.corpus / "perf.json").read_text(encoding="utf-8"))
        self.failures = []
        self.alone, self.symmetric, self.memory = [], [], []

    def make(self, case):
        folder = self.options.work / case
        done = folder / "made"
        if not done.exists():
            subprocess.run([sys.executable, self.options.corpus / "make_speed_case.py", folder, case], check=True)
            if "custom" in case:
                with gzip.open(self.options.corpus / "xml" / "ar_ring_64.xml.gz") as packed:
                    (folder / "algorithm.xml").write_bytes(packed.read())
                subprocess.run([self.options.bin / "et-convert", "-q", "-f", "msccl,size=1MiB", "algorithm.xml", "-o",
                                "algo"], cwd=folder, check=True)
            done.touch()
        return folder

    def replay(self, folder, backend, rounds, symmetry):
        result = folder / "result.json"
        command = [self.options.bin / "et-replay", "--workload-configuration", folder / "workload",
                   "--system-configuration", folder / "system.json", "--network-configuration", folder / "network.yml",
                   "--remote-memory-configuration", folder / "memory.json", "--network", backend, "--format", "json",
                   "-o", result] + ([] if symmetry else ["--no-symmetry"])
        seconds, kib, status = measure(command, folder, rounds)
        if status:
            return seconds, kib, None
        finish = [npu["finish_ns"] for npu in json.loads(result.read_text(encoding="utf-8"))["npus"]]
        return seconds, kib, (min(finish), max(finish))

    def compare(self, key):
        case, backend = key.split("|")
        reference = self.perf[key]
        wall, finish = reference["wall_s"], (reference["finish_min"], reference["finish_max"])
        ended = reference["status"] == "ok"
        folder = self.make(case)
        rounds = 1 if wall > 20 else 3
        alone, kib, alone_finish = self.replay(folder, backend, rounds, False)
        symmetric, _, symmetric_finish = self.replay(folder, backend, rounds, True)
        equal = alone_finish == symmetric_finish and alone_finish is not None and (not ended or alone_finish == finish)
        if not equal:
            self.failures.append(f"{key}: finish times {alone_finish} and {symmetric_finish}, not {finish}")
        if ended and wall >= 1:
            self.alone.append((wall / alone, key))
            self.symmetric.append(wall / symmetric)
        reference_kib = reference["maxrss_kb"] or 0
        if reference_kib >= 100 * 1024:
            self.memory.append((reference_kib / kib, key))
        print(f"{case:<27} {backend:<7} {'' if ended else '>'}{wall:>7.2f} {alone:>8.3f} {wall / alone:>7.1f} "
              f"{symmetric:>8.3f} {wall / symmetric:>8.1f} {reference_kib / 1024:>7.0f} {kib / 1024:>6.0f} "
              f"{reference_kib / kib:>6.1f}  {'equal' if equal else 'DIFFERENT'}"
              f"{'' if ended else ' (the reference did not end)'}", flush=True)

    def ring(self, npus, backend, limit):
        folder = self.options.work / f"ring_{npus}"
        if not (folder / "made").exists():
            speed_case_maker(self.options.corpus / "make_speed_case.py")(
                str(folder), npus=[npus], topo=["Ring"], size=1 << 30)
            (folder / "made").touch()
        seconds, kib, finish = self.replay(folder, backend, 3, True)
        print(f"ring of {npus} NPUs, all-reduce of 1 GiB, {backend}: {seconds:.2f} s (limit {limit:.0f} s), "
              f"{kib / 1024:.0f} MiB (limit {RING_BYTES >> 20} MiB)", flush=True)
        if finish is None or seconds > limit or kib * 1024 > RING_BYTES:
            self.failures.append(f"ring of {npus} NPUs, {backend}")

    def limit(self, what, value, limit, where=""):
        print(f"{what}: {value:.1f} (limit {limit}){where}")
        if value < limit:
            self.failures.append(what)

    def run(self):
        print(f"{'case':<27} {'backend':<7} {'ref s':>8} {'ours s':>8} {'ratio':>7} {'symm. s':>8} {'ratio':>8} "
              f"{'ref MiB':>7} {'ours':>6} {'ratio':>6}  finish times")
        for key in sorted(self.perf):
            if not self.options.prefix or any(key.startswith(p) for p in self.options.prefix):
                self.compare(key)
        if self.alone:
            ratio, key = min(self.alone)
            self.limit("slowest without symmetry, of references of 1 s and more", ratio, LIMIT_ALONE, f", {key}")
            self.limit("median with symmetry, of the same", statistics.median(self.symmetric), LIMIT_SYMMETRY)
        if self.memory:
            ratio, key = min(self.memory)
            self.limit("least memory ratio, of references of 100 MiB and more", ratio, LIMIT_MEMORY, f", {key}")
        if not self.options.prefix:
            for npus, seconds in RINGS:
                for backend in ("unaware", "aware"):
                    self.ring(npus, backend, seconds)
        for failure in self.failures:
            print(f"MISSED: {failure}")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, what in (("--bin", "the built tools"), ("--corpus", "perf.json"), ("--work", "inputs and results")):
        parser.add_argument(name, type=lambda p: pathlib.Path(p).resolve(), required=True, metavar="DIR", help=what)
    parser.add_argument("prefix", nargs="*", metavar="PREFIX")
    options = parser.parse_args()
    if not (options.corpus / "perf.json").exists():
        print(f"no corpus at {options.corpus}: the comparison with ASTRA-sim is skipped")
        return 0
    options.work.mkdir(parents=True, exist_ok=True)
    return Bench(options).run()


if __name__ == "__main__":
    sys.exit(main())
