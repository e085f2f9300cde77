#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes screenshots of pages for manual review: screenshots.py --bin build/release/bin --out DIR [-k WORD] [--list].
Each page is shown in light, in dark, 480 pixels wide, and printed: NAME-light.png, NAME-dark.png, NAME-narrow.png,
NAME-print-1.png… (with pdftoppm of poppler-utils). A page is a line of PAGES: the commands that write its file, and the
actions before the screenshots. Pages that require the corpus (ETKIT_CORPUS) are skipped if it is absent.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import harness
import ten_test

CORPUS = pathlib.Path(os.environ.get("ETKIT_CORPUS", ten_test.TESTDATA / "../../shared/corpus")).resolve()
TRAIN = ("et-generate -q layers --npus 16 --layers 12 --compute-time 500us --call all_gather:4MiB,reduce_scatter:64MiB -o t && "
         "et-replay -q -n torus:4x4,bw=100GB/s,lat=700ns --model links {} t")
RING = ("et-generate -q all_reduce --algorithm ring --npus 8 --size 1MiB -o ring8 && et-replay -q -n "
        "ring:8,bw=50GB/s,lat=500ns --model links --occupancy alpha-beta {} ring8")
RING_XML = "et-generate -q all_reduce --algorithm ring --npus 8 --size 1MiB -o r8 && et-convert -q r8 -o r8.xml"
HIER = "et-generate -q all_reduce --algorithm hierarchical --dims 2x4 --size 1MiB -o hier"
ORDER = r"""for r in 0 1 2; do echo "{\"rank\":$r,\"metadata\":{\"version\":\"0.0.4\"}}"; a=$((r == 1 ? 2 : 0));
for i in 0 1; do echo "{\"rank\":$r,\"id\":$i,\"type\":\"COMM_COLL_NODE\",\"name\":\"call $i\",\"attr\":[
{\"name\":\"comm_type\",\"int64_val\":$((i == 0 ? a : 2 - a))},{\"name\":\"comm_size\",\"int64_val\":65536}]}" | tr -d '\n'; echo;
done; done > order.jsonl; """
LINK = f"et-link -q --host {CORPUS}/pytorch/{{}} --device {CORPUS}/pytorch/{{}} -o linked.0.et"
NCCL = LINK.format("inputs/derived_nccl2rank/host_0.json.gz", "inputs/derived_nccl2rank/kineto_0.json.gz --rank 0")
LINEAR = LINK.format("real/linear_et.json.gz", "real/linear_kineto.json.gz")


def seek(share):
    return lambda page: (page.js("const s = document.querySelector('#transport input'); s.value = arguments[0];"
                                 "s.dispatchEvent(new Event('input'))", share), page.settle())


def follow(page):
    seek(0.452)(page)
    page.keys("]", "]", "]")


def find(text, *keys):
    def act(page):
        page.keys("/", *text, "Enter", *keys)
    return act


def around(page):
    find("rank:3 recv")(page)
    page.keys("Escape", "Enter")


def choose(selector, value):
    def act(page):
        page.js("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                "s.dispatchEvent(new Event('change'))", selector, value)
        page.settle()
    return act


# Name of the page, commands that write page.html, action before the screenshots.
PAGES = [
    ("report-ring8", RING.format("-o page.html"), None),
    ("report-train16", TRAIN.format("--slow 5=1.2x --what-if -o page.html"), None),
    ("report-1024", "et-generate -q layers --npus 1024 --layers 2 --compute-time 500us --call all_reduce:4MiB -o m && "
     "et-replay -q -n torus:32x32,bw=100GB/s,lat=700ns --slow 5=1.1x,700=1.3x -o page.html m", None),
    ("report-deadlock", ORDER + "et-replay -q -n ring:3,bw=50GB/s,lat=1us -o page.html order.jsonl || true", None),
    ("report-until", TRAIN.format("--slow 5=1.2x --until 11ms -o page.html"), None),
    ("report-tree", "et-generate -q layers --npus 16 --layers 4 --compute-time 200us --call all_reduce:16MiB -o t && et-replay -q -n "
     "'switch:4,bw=300GB/s,lat=500ns+switch:4,bw=25GB/s,lat=2us' --model links -o page.html t", None),
    ("report-memory", "et-replay -q -n ring:4,bw=10GB/s,lat=1us --track-memory -o page.html mem.jsonl", None),
    ("report-pytorch", NCCL + " && et-replay -q --compute recorded --comm recorded -o page.html linked.0.et", None),
    ("report-linear", LINEAR + " && et-replay -q --compute recorded --comm recorded -o page.html linked.0.et", None),
    ("report-syn4", f"et-link -q --host {CORPUS}/pytorch/inputs/syn_4rank/host_%r.json.gz --device "
     f"{CORPUS}/pytorch/inputs/syn_4rank/kineto_%r.json.gz -o s && et-replay -q -n ring:4,bw=50GB/s,lat=1us --compute recorded "
     "-o page.html s || true", None),
    ("compare-train16", TRAIN.format("--slow 5=1.2x -o a.run") + " && et-replay -q -n torus:4x4,bw=200GB/s,lat=700ns --model "
     "links -o b.run t && et-report a.run b.run -o page.html", None),
    ("compare-deadlock", ORDER + "et-replay -q -n ring:3,bw=50GB/s,lat=1us -o a.run order.jsonl || true; et-generate -q layers "
     "--npus 3 --layers 2 --compute-time 500us --call all_reduce:4MiB -o m && et-replay -q -n ring:3,bw=50GB/s,lat=1us -o b.run m && "
     "et-report a.run b.run -o page.html", None),
    ("ten-ring8", RING.format("-t ten,form=csv -o ring8.csv") + " && et-graph ring8.csv -o page.html", follow),
    ("ten-steps", RING_XML + " && et-graph r8.xml -o page.html", seek(0.5)),
    ("ten-timed", RING_XML + " && et-graph --view ten -n ring:8,bw=50GB/s,lat=500ns --size 1MiB r8.xml -o page.html", seek(0.5)),
    ("ten-torus64", f"et-graph {CORPUS}/ten/schedules/torus2d_8x8.all_reduce.csv -o page.html", follow),
    ("ten-torus3d", f"et-graph {CORPUS}/ten/schedules/hypercube3d_4x4x4.all_gather.csv -o page.html", follow),
    ("ten-hier", HIER + " && et-convert -q hier -o hier.xml && et-graph hier.xml -o page.html", follow),
    ("ten-1024", "et-graph wide.csv -o page.html 2>/dev/null", follow),
    ("ten-race", "et-graph race.xml -o page.html", None),
    ("ten-deadlock", "et-graph deadlock.xml -o page.html", None),
    ("graph-12k", "et-generate -q all_reduce --algorithm ring --npus 50 --size 50MiB -o ring50 && et-graph ring50 -o page.html",
     find("rank:3 recv")),
    ("graph-100k", "et-generate -q all_reduce --algorithm ring --npus 176 --size 176MiB -o r176 && et-graph r176 -o page.html", None),
    ("graph-hier", HIER + " && et-graph --view graph hier -o page.html", find("rank:3 recv", "Escape")),
    ("graph-around", HIER + " && et-graph --view graph hier -o page.html", around),
    ("graph-gpt2", f"et-graph {CORPUS}/pytorch/inputs/host_hf_GPT2_et/host_0.json.gz -o page.html", None),
    ("graph-gpt2-heavy", f"et-graph {CORPUS}/pytorch/inputs/host_hf_GPT2_et/host_0.json.gz -o page.html",
     choose(".axis-choice", "heavy")),
    ("graph-gpt2-wrapped", f"et-graph {CORPUS}/pytorch/inputs/host_hf_GPT2_et/host_0.json.gz -o page.html",
     choose(".row-choice", "lane")),
    ("graph-linked", NCCL + " && et-graph linked.0.et -o page.html", None),
]


def training_with_tensors(ranks=4, layers=10):
    """Returns the lines of a trace: activations live from forward to backward, gradients until they are reduced."""
    lines = []
    for rank in range(ranks):
        lines.append(json.dumps({"rank": rank, "metadata": {"version": "0.0.4"}}))

        def node(number, name, deps, inputs, outputs, **more):
            attr = [{"name": "is_cpu_op", "bool_val": False}]
            for key, tensors in (("inputs", inputs), ("outputs", outputs)):
                values = [text for n, size in tensors for text in (n, str((size << 20) * (4 + rank) // 4))]
                attr.append({"name": key, "string_list": {"values": values}})
            lines.append(json.dumps({"rank": rank, "id": number, "name": name, "data_deps": deps, "attr": attr, **more}))

        # Forward, then backward, with an all-reduce in parallel with the backward step of the next layer.
        for i in range(layers):
            node(i, f"layer {i} forward", [i - 1] if i else [], [(f"a{i - 1}", 64), (f"w{i}", 16)][i == 0:], [(f"a{i}", 64)],
                 type="COMP_NODE", duration_micros=400 + 20 * rank)
        for k, i in enumerate(reversed(range(layers))):
            node(layers + k, f"layer {i} backward", [layers + k - 1], [(f"a{i}", 64), (f"w{i}", 16)], [(f"g{i}", 16)],
                 type="COMP_NODE", duration_micros=800 + 40 * rank)
        for k, i in enumerate(reversed(range(layers))):
            node(2 * layers + k, f"layer {i} gradients", [layers + k], [(f"g{i}", 16)], [], type="COMM_COLL_NODE")
            last = json.loads(lines[-1])
            last["attr"] += [{"name": "comm_type", "int64_val": 0}, {"name": "comm_size", "int64_val": 16 << 20}]
            lines[-1] = json.dumps(last)
    return "\n".join(lines) + "\n"


class Pictures(harness.PageTest):
    def take(self, name, make, act):
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        (self.folder / "race.xml").write_text(ten_test.RACE)
        (self.folder / "deadlock.xml").write_text(ten_test.DEADLOCK)
        (self.folder / "wide.csv").write_text(ten_test.wide_schedule(32))
        (self.folder / "mem.jsonl").write_text(training_with_tensors())
        self.shell(make)
        for look, how in (("light", {}), ("dark", {"dark": True}), ("narrow", {"width": 480})):
            page = self.open(self.folder / "page.html", **how)
            if act:
                act(page)
            for problem in [*page.overflows(), *page.overlaps()]:
                print(f"{name}-{look}: {problem}")
            page.screenshot(f"{name}-{look}")
        page = self.open(self.folder / "page.html")
        if act:
            act(page)
        page.pdf(f"{name}-print")
        pdf = pathlib.Path(harness.options.screenshots) / f"{name}-print.pdf"
        subprocess.run(["pdftoppm", "-r", "80", "-png", pdf, pdf.with_suffix("")], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--out", required=True, help="folder for the pictures")
    parser.add_argument("-k", default="", metavar="WORD", help="only pages whose name holds it")
    parser.add_argument("--list", action="store_true", help="print the names of pages, make nothing")
    given = parser.parse_args()
    chosen = [p for p in PAGES if given.k in p[0]]
    if given.list:
        print("\n".join(p[0] for p in chosen))
        return 0
    harness.options = argparse.Namespace(bin=str(pathlib.Path(given.bin).resolve()), screenshots=given.out)
    Pictures.setUpClass()
    pictures, failed = Pictures(), 0
    try:
        for name, make, act in chosen:
            if str(CORPUS) in make and not CORPUS.is_dir():
                print(f"{name}: left out, no corpus at {CORPUS}")
                continue
            sys.stdout.flush()
            try:
                pictures.take(name, make, act)
                print(name)
            except AssertionError as error:
                print(f"{name}: failed: {error}"[:600])
                failed += 1
    finally:
        harness.close()
        Pictures.tearDownClass()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
