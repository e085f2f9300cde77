#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the errors of predicted.csv by machine and model, and checks them against bars."""
import collections
import csv
import json

from claims import Claims

BANDS = ("< 1 MiB", "1-63 MiB", ">= 64 MiB")
# What two measurements of one thing differ by: other owners, runs and software. Nothing can predict better.
UNKNOWABLE = [
    "8 H100, two runs of one tool: 31 / 10 / 1.3 %",
    "8 H100 or H200 of four owners: 15-68 / 6-22 / 1-4 %",
    "8 A100 of two owners: - / 26 / 8 %",
    "4 nodes of H100 on two InfiniBand clusters: - / 13 / 12 %",
    "2 AWS p5 with two software stacks: 60 / 61 / 52 %",
]


class Errors:
    def __init__(self):
        self.sums, self.counts = [0.0] * 3, [0] * 3

    def add(self, size, predicted, measured):
        band = 0 if size < 2**20 else 1 if size < 2**26 else 2
        self.sums[band] += abs(predicted / measured - 1)
        self.counts[band] += 1

    def percent(self):
        return [100 * s / n if n else None for s, n in zip(self.sums, self.counts)]

    def __str__(self):
        return " ".join("     -" if p is None else f"{p:6.1f}" for p in self.percent()) + f"  ({sum(self.counts)})"


by, totals = collections.defaultdict(Errors), collections.defaultdict(Errors)
with open("predicted.csv", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        call = int(row["bytes"]), float(row["predicted_us"]), float(row["us"])
        by[row["what"], row["machine"], row["model"]].add(*call)
        harness = row["set"] in ("X0", "X1", "X2", "X5", "X6")
        totals[row["what"] == "fitted", row["model"], harness].add(*call)
alpha_beta = json.load(open("alpha_beta.json", encoding="utf-8"))

print(f"mean error in %, of calls {BANDS[0]}, {BANDS[1]}, {BANDS[2]} (calls)\n")
NAMES = {"machine": "table, sizes it lacks", "formulas": "formulas alone", "nccl": "NCCL's tuner", "astra": "ASTRA-sim's file"}
for machine in dict.fromkeys(m for what, m, _ in by if what == "fitted"):
    for model in ("machine", "formulas", "nccl", "astra"):
        if ("fitted", machine, model) in by:
            print(f"{machine:12} {NAMES[model]:24}{by['fitted', machine, model]}")
    errors = alpha_beta[machine]["error_pct"]
    print(f"{'':12} {'latency and bandwidth':24}" + " ".join(
        "     -" if e is None else f"{e:6.1f}" for e in errors) + f"  ({alpha_beta[machine]['points']})")
benchmarks, with_host = totals[True, "machine", False], totals[True, "machine", True]
print(f"\n{'benchmarks, sizes that the table lacks':46}{benchmarks}")
print(f"{'the same, formulas alone':46}{totals[True, 'formulas', False]}")
print(f"{'XLA with its host time, sizes that it lacks':46}{with_host}\n")
for what, machine, model in by:
    if model == "preset":
        print(f"{what:46}{by[what, machine, model]}")
print("\nTwo measurements of one thing differ by:")
for line in UNKNOWABLE:
    print("  " + line)

claims = Claims()
bars = (8, 8, 3.5)
found = benchmarks.percent()
claims.check(f"(a) Benchmarks at sizes that the table lacks: at most {bars[0]} / {bars[1]} / {bars[2]} %.",
             all(f <= b for f, b in zip(found, bars)), " / ".join(f"{f:.1f}" for f in found) + " %.")
better = [m for m in alpha_beta if ("fitted", m, "machine") in by]
wins = [m for m in better if by["fitted", m, "formulas"].percent()[2] < alpha_beta[m]["error_pct"][2]]
claims.check("(b) From 64 MiB on, the formulas are nearer than a latency and bandwidth of each collective, on every machine.",
             len(wins) == len(better), f"{len(wins)} of {len(better)} machines.")
others = [(m, by["fitted", m, "nccl"], by["fitted", m, "machine"]) for m in better if ("fitted", m, "nccl") in by]
claims.check("(c) The constants of NCCL's tuner are further off, on every machine, from 64 MiB on.",
             all(n.percent()[2] > x.percent()[2] for _, n, x in others),
             ", ".join(f"{m} {n.percent()[2]:.1f} against {x.percent()[2]:.1f} %" for m, n, x in others) + ".")
vllm = by["8 H100, vLLM", "dgx-h100", "preset"].percent()
claims.check("(d) 8 H100 of another owner (vLLM): at most 8 / 10 / 3.5 %.",
             all(f <= b for f, b in zip(vllm, (8, 10, 3.5))), " / ".join(f"{f:.1f}" for f in vllm) + " %.")
claims.end()
