#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs all benchmarks of a build and prints one table; can also write it as JSON, for compare.py.

    bench.py --build DIR [--slow] [--only TEXT] [--json FILE]

The exit status is 1 if a limit is missed or a benchmark failed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import astra
import jobs
import pages
import report

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(os.environ.get("ETKIT_CORPUS", SOURCE / "../shared/corpus")).resolve()
PROGRAMS = ("chakra", "json", "graph", "msccl", "flexflow", "pytorch", "merge", "schedule", "timeline", "network", "synthesis", "replay")


def make_task_graph(path, layers, npus):
    """Writes a FlexFlow graph: in each layer every NPU computes and sends to the next NPU."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("digraph taskgraph {\n")
        for i in range(layers):
            for n in range(npus):
                base, to = 3 * (i * npus + n), (n + 1) % npus
                out.write(f'node{base} [label="{{ npu_id={n} | fwd | Forward | COMP_NODE | runtime=0.0001 }}"];\n')
                for k, (npu, size) in enumerate(((n, 4096), (to, 0)), 1):
                    out.write(f'node{base + k} [label="{{ npu_id={npu} | xfer | Comm | COMM_SEND_RECV_NODE | src={npu} | '
                              f'dst={to if k == 1 else n} | size={size} }}"];\n')
                out.write(f"node{base} -> node{base + 1};\nnode{base + 1} -> node{base + 2};\n")
                if i + 1 < layers:
                    out.write(f"node{base + 2} -> node{base + 3 * npus + 3 * (to - n)};\n")
        out.write("}\n")


class Suite:
    def __init__(self, options):
        self.options = options
        self.work = options.work or options.build / "bench"
        self.work.mkdir(parents=True, exist_ok=True)
        self.rows = []

    def add(self, row):
        if self.options.smoke and row["verdict"] in (report.KEPT, report.MISSED):
            row |= {"verdict": report.UNJUDGED}
        self.rows.append(row)
        print(report.table_line(row), flush=True)

    def run_program(self, name, files=()):
        """Adds the rows of a program, and a failure if its exit status does not match its verdicts."""
        program, out = f"bench_{name}", self.work / "rows.jsonl"
        out.unlink(missing_ok=True)
        flags = [*(["--smoke"] if self.options.smoke else []), *(["--slow"] if self.options.slow else [])]
        done = subprocess.run([self.options.build / "tests" / program, *flags, "--only", self.options.only, "--json", out,
                               *files], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
        for row in rows:
            self.add(row)
        if done.returncode != (1 if any(r["verdict"] == report.MISSED for r in rows) else 0) or done.stderr:
            self.add(report.unmeasured(program, program, report.FAILED,
                                       done.stderr.strip() or f"exit status {done.returncode}"))

    def skip(self, bench, name):
        if self.options.only in name:
            self.add(report.unmeasured(bench, name, report.SKIPPED, f"no corpus at {CORPUS}"))

    def steps(self, count):
        """Returns a host and device trace of `count` steps of 125 operators."""
        folder = self.work / f"steps{count}"
        folder.mkdir(exist_ok=True)
        if not (folder / "kineto.json").exists():
            subprocess.run([sys.executable, SOURCE / "testdata/pytorch/make_steps.py", f"0-{count - 1}", f"0-{count - 1}"],
                           cwd=folder, check=True)
        return folder / "host.json", folder / "kineto.json"

    def recorded(self, nodes):
        """Returns a host and device trace from the corpus's generator, with `nodes` host nodes."""
        folder = self.work / f"pytorch{nodes}"
        if not (folder / "kineto_0.json").exists():
            subprocess.run([sys.executable, CORPUS / "pytorch/gen_pytorch_trace.py", "--nodes", str(nodes), "--out", folder],
                           check=True, stdout=subprocess.DEVNULL)
        return folder / "host_0.json", folder / "kineto_0.json"

    def recordings(self):
        """Returns (label, (host, device)) for recordings of the corpus."""
        folder = CORPUS / "pytorch/inputs/derived_nccl2rank"
        if self.options.smoke:
            return []
        if not folder.exists():
            self.skip("jobs", "profile and synthesize / convert, a recorded rank")
            return []
        return [("a recorded rank", (folder / "host_0.json.gz", folder / "kineto_0.json.gz"))]

    def pairs(self):
        """Yields (label, host, device, limit in seconds)."""
        if self.options.smoke:
            yield "2 steps", *self.steps(2), 0.5
            return
        yield "100000 operators", *self.steps(800), 0.5
        if self.options.slow:
            yield "1000000 operators", *self.steps(8000), 5
        if not CORPUS.exists():
            self.skip("bench_pytorch", "link, 100000 host nodes of a larger program")
            return
        yield "100000 host nodes", *self.recorded(100_000), 0.5
        if self.options.slow:
            yield "1000000 host nodes", *self.recorded(1_000_000), 5

    def files_of(self, name, pairs):
        """Yields the files of each run of a program."""
        if name == "msccl":
            folder = CORPUS / "msccl/generated"
            found = [folder / f for f in ("direct_a2a_n256_i1_Simple.xml.gz", "direct_ring_n256_i1_LL128.xml.gz",
                                          "direct_ring_n64_i8_LL128.xml.gz")]
            if self.options.smoke or not folder.exists():
                found = []
            if not found and not self.options.smoke:
                self.skip("bench_msccl", "msccl / parse + encode, algorithms of the corpus")
            yield found
        elif name == "flexflow":
            layers, npus = (2, 4) if self.options.smoke else (256, 512)
            path = self.work / f"tasks_{layers}x{npus}.dot"
            if not path.exists():
                make_task_graph(path, layers, npus)
            yield [path]
        elif name == "pytorch":
            yield from ([host, device] for _, host, device, _ in pairs)
        else:
            yield []

    def run(self):
        head = report.head(SOURCE, self.options.build, self.options.slow)
        print(report.TABLE_HEAD, flush=True)
        pairs = list(self.pairs())
        for name in PROGRAMS:
            for files in self.files_of(name, pairs):
                self.run_program(name, files)
        jobs.Jobs(self.options.build / "bin", self.work, self.add, smoke=self.options.smoke, slow=self.options.slow,
                  only=self.options.only).all(pairs, self.recordings())
        pages.measure(self.options.build / "bin", self.work, self.add, smoke=self.options.smoke, only=self.options.only)
        if not self.options.smoke:
            if (CORPUS / "astra/perf.json").exists():
                astra.measure(self.options.build / "bin", CORPUS / "astra", self.work, self.add, self.options.only)
            else:
                self.skip("astra", "replay / ASTRA-sim")
        counts = {}
        for row in self.rows:
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
        print(", ".join(f"{n} {what}" for what, n in counts.items() if what != report.UNJUDGED))
        report.write(self.options.json or self.options.build / "bench.json", head | {"rows": self.rows})
        return 1 if counts.keys() & {report.MISSED, report.FAILED} else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    path = lambda p: pathlib.Path(p).resolve()
    parser.add_argument("--build", type=path, required=True, metavar="DIR", help="of a build with ETKIT_BENCH=ON")
    parser.add_argument("--work", type=path, metavar="DIR", help="for inputs (default: bench in the build)")
    parser.add_argument("--json", type=path, metavar="FILE", help="default: bench.json in the build")
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose names contain it")
    parser.add_argument("--slow", action="store_true", help="also run rows that take minutes")
    parser.add_argument("--smoke", action="store_true", help="small inputs, once, no verdicts: that all of them run")
    return Suite(parser.parse_args()).run()


if __name__ == "__main__":
    sys.exit(main())
