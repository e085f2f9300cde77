#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that several builds of et-generate synthesize the same bytes, with one thread and with eight.

    same_bytes.py [--effort EFFORT] BIN BIN...        # such as build/release/bin build/asan/bin

Prints a line for each network and collective; the exit status is 1 if any differs.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

NETWORKS = ("torus:4x4,bw=50GB/s,lat=500ns", "hypercube:8,bw=50GB/s,lat=500ns", "switch:8,bw=50GB/s,lat=500ns",
            "mesh:4x4,bw=50GB/s,lat=500ns", "fully_connected:4,bw=200GB/s,lat=300ns+ring:4,bw=50GB/s,lat=1us")
COLLECTIVES = ("all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast", "gather")


def digest(tools, network, collective, effort, jobs):
    made = subprocess.run([tools / "et-generate", "-q", collective, "--algorithm", "synthesized", "-n", network, "--size",
                           "16MiB", "--forwarding", "store", "--effort", effort, "--jobs", jobs, "-t", "ten", "-o", "-"], stdout=subprocess.PIPE,
                          env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}, check=True)
    return hashlib.sha256(made.stdout).hexdigest()[:12]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--networks", nargs="+", default=NETWORKS, help="as -n takes them")
    parser.add_argument("bin", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    differ = 0
    for network in options.networks:
        for collective in COLLECTIVES:
            found = {digest(tools.resolve(), network, collective, options.effort, jobs)
                     for tools in options.bin for jobs in ("1", "8")}
            differ += len(found) > 1
            print("differ" if len(found) > 1 else "same", *sorted(found), collective, network, flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
