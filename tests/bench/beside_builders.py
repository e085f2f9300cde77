#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks whether et-generate's other algorithms are ever faster on a network than the one synthesized for it.

    beside_builders.py [--networks NET...] [--collectives NAME...] [--parts BYTES...] [--occupancy O] [--effort E] BIN

Replays the synthesized algorithm and every algorithm that `et-generate --list` prints for a collective on the same
network, with 1, 4 and 16 chunks of a rank's shard. Hierarchical algorithms are replayed with every pair of dimensions. A
shard is a rank's share of the data, or its data for one other rank. Prints a line for each case. The exit status is 1 if
another algorithm is faster.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

NETWORKS = ("ring:8,bw=50GB/s,lat=500ns", "torus:4x4,bw=50GB/s,lat=500ns", "switch:8,bw=50GB/s,lat=500ns",
            "hypercube:8,bw=50GB/s,lat=500ns", "fully_connected:4,bw=200GB/s,lat=300ns+ring:2,bw=50GB/s,lat=1us")


def run(command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def algorithms(tools):
    """Returns the names of the algorithms of each collective."""
    listed = run([tools / "et-generate", "--list"])[1].decode().split("\n\n")[0].splitlines()[1:]
    found, collective = {}, None
    for line in listed:
        words = line.split()
        if re.match(r"  \S", line):
            collective = words.pop(0)
        found.setdefault(collective, []).extend(word for word in words if word != "synthesized")
    return {name: known for name, known in found.items() if known}


def npus_of(tools, network):
    code, out, err = run([tools / "et-replay", "-n", network, "--print-network"])
    if code:
        sys.exit(f"{network}: {err}")
    return int(re.search(r"npus: (\d+)", out.decode())[1])


class Case:
    def __init__(self, options, network, npus, collective, part):
        self.options, self.network, self.npus, self.collective = options, network, npus, collective
        self.size = part * npus

    def replayed(self, algorithm):
        """Returns the time of an algorithm in ns, or None if it does not support the number of ranks or bytes."""
        tools = self.options.bin
        code, traces, _ = run([tools / "et-generate", "-q", self.collective, "--size", str(self.size), "-o", "-",
                               *algorithm])
        if code:
            return None
        code, out, err = run([tools / "et-replay", "-q", "-n", self.network, "--model", "links", "--forwarding", "store",
                              "--occupancy", self.options.occupancy, "--format", "json", "-"], traces)
        if code:
            sys.exit(f"{self.network}, {self.collective}, {' '.join(algorithm)}: {err}")
        return json.loads(out)["total_ns"]

    def others(self, names):
        pairs = [f"{a}x{self.npus // a}" for a in range(2, self.npus // 2 + 1) if self.npus % a == 0]
        for name in names:
            ways = [["--npus", str(self.npus)]]
            if name == "hierarchical":
                inner = [[]] if self.collective == "all_to_all" else [["--dim-algorithms", "ring"],
                                                                     ["--dim-algorithms", "direct"]]
                ways = [["--dims", dims, *choice] for dims in pairs for choice in inner]
            for way in ways:
                for chunks in ("1", "4", "16"):
                    yield ["--algorithm", name, "--chunks", chunks, *way]

    def judge(self, names):
        found = self.replayed(["--algorithm", "synthesized", "-n", self.network, "--forwarding", "store", "--effort", self.options.effort,
                               "--occupancy", self.options.occupancy])
        if found is None:
            sys.exit(f"{self.network}, {self.collective}: nothing is synthesized")
        best, name = min(((time, " ".join(other[1:])) for other in self.others(names)
                          if (time := self.replayed(other)) is not None), default=(float("inf"), "none"))
        slower = found > best + 0.001 * self.npus
        print("SLOWER" if slower else "kept", f"{found / 1000:.3f} us, others {best / 1000:.3f} us ({name}):",
              self.collective, f"{self.size} bytes,", self.network, flush=True)
        return slower


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=NETWORKS, help="as -n takes them")
    parser.add_argument("--collectives", nargs="+", help="(default: all that have other algorithms)")
    parser.add_argument("--parts", nargs="+", type=int, default=(1 << 10, 1 << 20), help="bytes")
    parser.add_argument("--occupancy", default="beta")
    parser.add_argument("--effort", default="normal")
    parser.add_argument("bin", type=pathlib.Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    known = algorithms(options.bin)
    slower = 0
    for network in options.networks:
        npus = npus_of(options.bin, network)
        for collective in options.collectives or known:
            for part in options.parts:
                slower += Case(options, network, npus, collective, part).judge(known[collective])
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
