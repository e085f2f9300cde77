#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the paper says of figure 7 with the tables of the working folder."""
from math import exp, log

from claims import Claims, rows

LOWEST = ("31GB/s", "31GB/s")


def table(name):
    return {(r["workload"].rpartition("-")[0], r["bandwidth.0"], r["bandwidth.1"]): r for r in rows(name + ".csv")}


def times(name):
    """{workload: times in the order of bandwidths}"""
    result = {}
    for (w, _, _), r in table(name).items():
        result.setdefault(w, []).append(float(r["total_ns"]) / 1e3)
    return result


def mean(values):
    return exp(sum(map(log, values)) / len(values))


torus, dgx2 = times("torus"), times("dgx2")
for name, network in (("torus", torus), ("dgx2", dgx2)):
    columns = [f"{a[:-4]}/{b[:-4]}" for w, a, b in table(name) if w == "mlp-mp"]
    print(f"{name + ', performance':20}" + "".join(f"{c:>10}" for c in columns))
    for w, t in network.items():
        print(f"{w:20}" + "".join(f"{torus[w][0] / v:10.2f}" for v in t))

claims = Claims()


def compare(ours, theirs):
    """Returns in how many settings the torus is faster, of how many, and by how much by workload."""
    pairs = [x < y for w in ours for x, y in zip(ours[w], theirs[w])]
    return sum(pairs), len(pairs), ", ".join(f"{w} {mean(theirs[w]) / mean(ours[w]):.2f}" for w in ours)


better, of, by = compare(torus, dgx2)
claims.check("(a) The torus is generally faster than DGX2: with rings one way round, and boxes of 16.", 2 * better > of,
             f"in {better} of {of} settings, lowest bandwidths with lowest and so on; on average so many times: {by}.",
             "a collective then uses one of an NPU's two links in a dimension, 31 to 128 GB/s against 150 to 600.")
better, of, by = compare(times("torus-2"), times("dgx2-8"))
claims.check("(a) The same with rings both ways round, and DGX2 as 8 x 8.", 2 * better > of,
             f"in {better} of {of} settings; on average so many times: {by}.")
span = {w: max(t) / min(t) for w, t in torus.items()}
claims.check("(b) MLP-MP is the most sensitive to bandwidth.", max(span, key=span.get) == "mlp-mp",
             "lowest to highest bandwidths of the torus: " + ", ".join(f"{w} {s:.2f} times" for w, s in span.items()) +
             ".")
row = table("torus")[("mlp-mp", *LOWEST)]
ratio = float(row["exposed_mean_ns"]) / float(row["compute_mean_ns"])
claims.check("(c) With the lowest bandwidths of the torus the exposed communication of MLP-MP takes 128 times as long as "
             "all that it computes.", abs(ratio / 128 - 1) < 0.02,
             f"{ratio:.1f} times: {float(row['exposed_mean_ns']) / 1e3:.1f} us against "
             f"{float(row['compute_mean_ns']) / 1e3:.2f} us.")
claims.end()
