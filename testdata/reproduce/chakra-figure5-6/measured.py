#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A transformer with measured times, as a text workload of ASTRA-sim 1.0: transformer-measured.txt.

Times (microseconds) and sizes (bytes) are those of ASTRA-sim's example workload Transformer_HybridParallel.txt: six
blocks, each of 10 layers, between an embedding and a head.
"""
M8, M32, M128 = 8 << 20, 32 << 20, 128 << 20
NONE = ("NONE", 0)


def reduce(size):
    return "ALLREDUCE", size


def gather(size):
    return "ALLGATHER", size


# Forward pass, gradients of the input, gradients of the weights: microseconds and collective.
PROJECTION = [(3146, NONE), (2163, NONE), (2228, reduce(M32))]
SMALL = [(1, NONE)] * 3
BLOCK = {
    "Q": [(3146, NONE), (2163, reduce(M8)), (2228, reduce(M32))],
    "K": PROJECTION,
    "V": PROJECTION,
    "Softmax": SMALL,
    "QKV": SMALL,
    "Concat": [(2163, reduce(M8)), (3146, gather(M128)), (2228, reduce(M32))],
    "Relu": [(12583, NONE), (8454, reduce(M8)), (8913, reduce(M128))],
    "W2": [(8454, reduce(M8)), (12583, NONE), (8913, reduce(M128))],
    "Norm": [(197, NONE), (197, NONE), (139, NONE)],
}
layers = [("Embedding", [(0, gather(M8)), (0, NONE), (1, NONE)])]
layers += [(f"{name}{i}", passes) for i in range(1, 7) for name, passes in BLOCK.items()]
layers += [("fc", [(1769, gather(73728000)), (1218, reduce(M8)), (1253, reduce(18432000))]),
           ("softmax", [(591, NONE), (296, NONE), (313, NONE)])]
with open("transformer-measured.txt", "w", encoding="utf-8") as out:
    out.write(f"HYBRID_MODEL_DATA\n{len(layers)}\n")
    for name, passes in layers:
        cells = [str(cell) for time, (kind, size) in passes for cell in (time, kind, size)]
        out.write("\t".join([name, "-1", *cells, "10"]) + "\n")
