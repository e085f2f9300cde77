#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes, proves and replays an all-gather for each network of recorded.csv with at most so many NPUs: make.py [NPUS].

Writes compared.csv into the working folder, and the schedules: NAME.ten.csv.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys

SHARD = 1 << 20


def tool(name, *arguments):
    return subprocess.run([name, "-q", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def cpu_seconds():
    times = os.times()
    return times.children_user + times.children_system


def compare(row):
    network, schedule = row["network"], row["name"] + ".ten.csv"
    links = ["-n", network, *(["--fail", row["failed"]] if row["failed"] else [])]
    occupancy = ["--occupancy", "alpha-beta"]  # as TACOS has it: a link is busy until its chunk has arrived
    # Of many NPUs matching alone is as near the bound, in a fraction of the time.
    effort = ["--method", "greedy"] if int(row["npus"]) > 64 else []
    begin = cpu_seconds()
    tool("et-generate", "all_gather", "--algorithm", "synthesized", *links, *occupancy, *effort, "--force",
         "--size", str(SHARD * int(row["npus"])), "-t", "ten,form=csv", "-o", schedule)
    seconds = cpu_seconds() - begin
    tool("et-validate", "--dataflow", schedule)
    replay = json.loads(tool("et-replay", schedule, *links, *occupancy, "--model", "links", "--forwarding", "store",
                             "--format", "json"))
    head = dict(line[1:].rstrip("\n").split(",", 1) for line in open(schedule, encoding="utf-8")
                if line.startswith(("#collective_time_us", "#meta")))
    meta = json.loads(head["meta"])
    return row | {"bound_us": meta["bound_us"], "claimed_us": head["collective_time_us"],
                  "replayed_us": replay["total_ns"] / 1000, "method": meta["method"], "seconds": f"{seconds:.3f}"}


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
    recorded = pathlib.Path(__file__).with_name("recorded.csv")
    with open(recorded, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["npus"]) <= most]
    with open("compared.csv", "w", newline="", encoding="utf-8") as file:
        out = None
        for row in rows:
            made = compare(row)
            out = out or csv.DictWriter(file, made.keys(), lineterminator="\n")
            if file.tell() == 0:
                out.writeheader()
            out.writerow(made)


if __name__ == "__main__":
    main()
