#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes, in the working folder, a machine of eight GPUs, and the rings and trees that NCCL runs on one, two, four of them.

machine.xml is a topology as NCCL writes it, of a machine like a DGX A100: GPUs with twelve NVLinks to NVSwitches, two
GPUs and two network cards below each of four CPUs. rings.xml and rings1.xml are graph files: rings that alternate
between the two cards of a pair where there are several machines (crossnic 2), twelve equal ones inside a machine.
With arguments, make.py FILE BYTES HOSTS PIECES: an all-reduce of so many bytes on the trees that NCCL makes of a balanced tree: in a machine a chain
that begins at the GPU of the channel, between them two trees, the second with the leaves of the first on top.
"""
import sys

GPUS = 8
CHANNELS = 8


def machine():
    yield '<system version="1">'
    for pair in range(4):
        yield (f'  <cpu host_hash="0x1" numaid="{pair}" affinity="ff" arch="x86_64" vendor="AuthenticAMD" familyid="143" '
               'modelid="49">')
        yield f'    <pci busid="0000:{pair}0:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">'
        for side in range(2):
            gpu, bus = 2 * pair + side, f"{pair}{4 * side}"
            pci = 'link_speed="16.0 GT/s PCIe" link_width="16"'
            yield f'      <pci busid="0000:{bus}:01.0" class="0x060400" {pci}>'
            yield f'        <pci busid="0000:{bus}:02.0" class="0x030200" {pci}>'
            yield f'          <gpu dev="{gpu}" sm="80" rank="{gpu}" gdr="1">'
            yield '            <nvlink target="0000:f0:00.0" count="12" tclass="0x068000"/>'
            yield "          </gpu>\n        </pci>"
            yield f'        <pci busid="0000:{bus}:03.0" class="0x020700" {pci}>'
            yield (f'          <nic><net name="net{gpu}" dev="{gpu}" speed="200000" port="1" guid="0x{gpu}" '
                   'maxconn="131072" gdr="1"/></nic>')
            yield "        </pci>\n      </pci>"
        yield "    </pci>\n  </cpu>"
    yield "</system>"


def graph(channels, speed, cross):
    yield '<graphs version="1">'
    yield (f'  <graph id="0" pattern="4" crossnic="{cross}" nchannels="{len(channels)}" speedintra="{speed}" '
           f'speedinter="{speed}" latencyinter="0" typeintra="NVL" typeinter="PIX" samechannels="0">')
    for nets, gpus in channels:
        yield "    <channel>"
        nodes = [f'<gpu dev="0x{g:x}" rank="{g}"/>' for g in gpus]
        if nets:
            nodes = [f'<net dev="0x{nets[0]:x}"/>', *nodes, f'<net dev="0x{nets[1]:x}"/>']
        yield from (f"      {n}" for n in nodes)
        yield "    </channel>"
    yield "  </graph>\n</graphs>"


def ring(channel):
    """Comes by the card of one GPU of a pair, goes around the machine and leaves by that of the other."""
    step = -1 if channel % 2 == 0 else 1
    return (channel, channel ^ 1), [(channel + step * i) % GPUS for i in range(GPUS)]


def above(hosts, mirrored):
    """The host above each in a binary tree of hosts in order, odd ones leaves, and as which child; None at the top."""
    up = {}
    for place in range(2, hosts + 1, 2):
        reach = (place & -place) // 2
        up[place - reach] = place, 0
        while reach and place + reach > hosts:
            reach //= 2
        if reach:
            up[place + reach] = place, 1
    number = (lambda place: hosts - place) if mirrored else (lambda place: place - 1)
    return {number(p): None if p not in up else (number(up[p][0]), up[p][1]) for p in range(1, hosts + 1)}


def tree(channel, hosts, mirrored):
    """The edges of a tree, each from a GPU to the one above it, leaves first."""
    order = [(channel ^ 1 if i == 1 else channel if i == 0 else (channel & ~1) + i) % GPUS for i in range(GPUS)]
    edges = [(GPUS * h + order[i], GPUS * h + order[i - 1]) for h in range(hosts) for i in range(GPUS - 1, 0, -1)]
    up = above(hosts, mirrored)

    def depth(host):
        return 0 if up[host] is None else 1 + depth(up[host][0])

    for host in sorted((h for h in up if up[h]), key=depth, reverse=True):
        edges.append((GPUS * host + order[0], GPUS * up[host][0] + order[1 - up[host][1]]))
    # A GPU passes its sum on when it has those of all below it: the chains of upper hosts wait for lower ones.
    return sorted(edges, key=lambda e: -height(e[0], dict(edges)))


def height(gpu, up):
    steps = 0
    while gpu in up:
        gpu, steps = up[gpu], steps + 1
    return steps


def tree_schedule(size, hosts, pieces):
    trees = [tree(c, hosts, mirrored) for mirrored in (False, True) for c in range(CHANNELS)]
    if hosts == 1:
        trees = trees[:CHANNELS]
    links = sorted({e for t in trees for e in t} | {e[::-1] for t in trees for e in t})
    yield "#ten-schedule,1"
    yield f"#name,tree{hosts}"
    yield "#collective,all_reduce"
    yield f"#npu_count,{GPUS * hosts}"
    yield f"#chunk_size_bytes,{size // (len(trees) * pieces)}"
    yield "#time_model,order"
    yield from (f"#link,{a},{b},100,1" for a, b in links)
    yield from (f"#chunk,{c},all,all" for c in range(len(trees) * pieces))
    yield "id,src,dst,chunk,seq,op"
    seq = dict.fromkeys(links, 0)
    number = 0
    for piece in range(pieces):
        for t, edges in enumerate(trees):
            ways = [(e, "reduce") for e in edges] + [(e[::-1], "copy") for e in reversed(edges)]
            for (a, b), op in ways:
                yield f"{number},{a},{b},{t * pieces + piece},{seq[a, b]},{op}"
                seq[a, b] += 1
                number += 1


def write(name, lines):
    with open(name, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines)


if len(sys.argv) > 1:
    write(sys.argv[1], tree_schedule(*map(int, sys.argv[2:])))
else:
    write("machine.xml", machine())
    write("rings1.xml", graph([(None, [(-i) % GPUS for i in range(GPUS)])] * 12, 20, 0))
    write("rings.xml", graph([ring(c) for c in range(CHANNELS)], 24, 2))
