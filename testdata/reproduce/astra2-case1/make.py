#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The networks of the wafer-scale case study of ASTRA-sim 2.0, as files of ASTRA-sim in the working folder.

An NPU sends at most the stated GB/s in a dimension: to its neighbour in a ring, to all the others at once where they
are connected, which therefore share it, or to the switch.
"""
NETWORKS = {
    "W-1D-350": (["Switch"], [512], [350]),
    "W-1D-500": (["Switch"], [512], [500]),
    "W-1D-600": (["Switch"], [512], [600]),
    "W-2D": (["Switch", "Switch"], [32, 16], [250, 250]),
    "Conv-3D": (["Ring", "FullyConnected", "Switch"], [16, 8, 4], [200, 100, 50]),
    "Conv-4D": (["Ring", "FullyConnected", "Ring", "Switch"], [2, 8, 8, 4], [250, 200, 100, 50]),
}

for name, (topology, npus, bandwidth) in NETWORKS.items():
    links = [b / (n - 1) if t == "FullyConnected" else b for t, n, b in zip(topology, npus, bandwidth)]
    lists = {"topology": topology, "npus_count": npus, "bandwidth": links, "latency": [500.0] * len(npus)}
    with open(name + ".yml", "w", encoding="utf-8") as out:
        for key, values in lists.items():
            out.write(f"{key}: [ {', '.join(map(str, values))} ]\n")
