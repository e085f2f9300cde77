#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The inputs of figure 4: workloads of some sizes, their two collectives as rings in MSCCL-IR, and networks of N NPUs.

    make.py [N]    a power of two from 8 (default 64); files go into the working folder

Every rank calls an all-reduce, then an all-gather. In both collectives rank r sends to r + 1 and receives from
r - 1, one chunk at a time: N - 1 steps that reduce (all-reduce only), then N - 1 that pass the results on.
"""
import json
import sys

SIZES = {"64KiB.jsonl": 1 << 16, "1MiB.jsonl": 1 << 20, "16MiB.jsonl": 1 << 24, "256MiB.jsonl": 1 << 28,
         "1GiB.jsonl": 1 << 30}
NETWORKS = {
    "ring.yml": ["Ring"],
    "torus2d.yml": ["Ring"] * 2,
    "torus3d.yml": ["Ring"] * 3,
    "switch.yml": ["Switch"],
    "connected.yml": ["FullyConnected"],
    "ring_connected.yml": ["Ring", "FullyConnected"],
    "connected_switch.yml": ["FullyConnected", "Switch"],
    "switch_ring.yml": ["Switch", "Ring"],
    "ring_connected_switch.yml": ["Ring", "FullyConnected", "Switch"],
}


def step(number, kind, chunk):
    return (f'      <step s="{number}" type="{kind}" srcbuf="o" srcoff="{chunk}" dstbuf="o" dstoff="{chunk}" cnt="1"'
            ' depid="-1" deps="-1" hasdep="0"/>\n')


def ring(name, coll, n, reduces):
    lines = [f'<algo name="{name}" proto="Simple" nchannels="1" nchunksperloop="{n}" ngpus="{n}" coll="{coll}"'
             ' inplace="1">\n']
    for r in range(n):
        steps = [s for k in range(n - 1 if reduces else 0) for s in (("s", (r - k) % n), ("rrc", (r - k - 1) % n))]
        first = r + 1 if reduces else r  # the chunk that is complete here
        steps += [s for k in range(n - 1) for s in (("s", (first - k) % n), ("r", (first - k - 1) % n))]
        lines += [f'  <gpu id="{r}" i_chunks="{n if reduces else 1}" o_chunks="{n}" s_chunks="0">\n',
                  f'    <tb id="0" send="{(r + 1) % n}" recv="{(r - 1) % n}" chan="0">\n']
        lines += [step(i, kind, chunk) for i, (kind, chunk) in enumerate(steps)]
        lines += ['    </tb>\n', '  </gpu>\n']
    return "".join(lines) + '</algo>\n'


def network(topology, n):
    """An ASTRA-sim network.yml of n NPUs: dimensions as equal as powers of two allow, 50 GiB/s and 500 ns."""
    bits, dims = n.bit_length() - 1, len(topology)
    sizes = [1 << (bits + d) // dims for d in range(dims)]
    rows = {"topology": topology, "npus_count": sizes, "bandwidth": [50.0] * dims, "latency": [500.0] * dims}
    return "".join(f"{key}: [ {', '.join(map(str, values))} ]\n" for key, values in rows.items())


def node(rank, number, name, kind, size, parents):
    attributes = [{"name": "is_cpu_op", "bool_val": False}, {"name": "comm_type", "int64_val": kind},
                  {"name": "comm_size", "int64_val": size}]
    return {"rank": rank, "id": number, "name": name, "type": "COMM_COLL_NODE",
            **({"data_deps": parents} if parents else {}), "attr": attributes}


def workload(n, size):
    """All-reduce of `size` bytes, then an all-gather whose result has as many."""
    for rank in range(n):
        yield {"rank": rank, "metadata": {"version": "0.0.4"}}
        yield node(rank, 0, "all_reduce", 0, size, [])
        yield node(rank, 1, "all_gather", 2, size // n, [0])


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    if n < 8 or n & (n - 1):
        sys.exit("make.py: the number of NPUs is a power of two from 8")
    files = {name: network(topology, n) for name, topology in NETWORKS.items()}
    for name, size in SIZES.items():
        files[name] = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in workload(n, size))
    files["all_reduce.xml"] = ring("all_reduce_ring", "allreduce", n, True)
    files["all_gather.xml"] = ring("all_gather_ring", "allgather", n, False)
    for name, text in files.items():
        with open(name, "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    main()
