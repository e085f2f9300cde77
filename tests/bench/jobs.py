# SPDX-License-Identifier: MIT
"""Whole jobs of the tools: CPU seconds (user and system, all threads) and peak memory of each command."""
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys

import report

BENCH = "jobs"
MIB = 1 << 20
LEVELS = "switch:8,bw=450GB/s,lat=300ns+switch:128,bw=50GB/s,lat=2us+switch:16,bw=50GB/s,lat=3us"
CROSSING = "switch:8,bw=450GB/s,lat=300ns+switch:16,bw=50GB/s,lat=2us+switch:128,bw=50GB/s,lat=3us"
PODS = "switch:8,bw=450GB/s,lat=300ns+switch:128,bw=50GB/s,lat=2us"


def run(command, folder, most=None):
    """Returns (CPU seconds, peak bytes, exit status) of a command, with None as status if `most` seconds were exceeded."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if most is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))

    with open(folder / "stderr", "w", encoding="utf-8") as errors:
        process = subprocess.Popen([str(c) for c in command], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors,
                                   preexec_fn=limits)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    stopped = most is not None and process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, None if stopped else process.returncode


class Jobs:
    """Measures jobs with the tools in `bin`, in the folder `work`, and passes each row to `add`."""

    def __init__(self, tools, work, add, *, smoke=False, slow=False, only=""):
        self.tools, self.work, self.add = tools, work, add
        self.smoke, self.slow, self.only = smoke, slow, only
        self.inputs = {}

    def tool(self, name, *arguments):
        return [self.tools / name, *(["-q"] if name != "et-stats" else []), *arguments]

    def make(self, name, *arguments):
        """Returns the path of et-generate's output for the arguments, which is generated once."""
        if name not in self.inputs:
            path = self.work / name
            path.parent.mkdir(exist_ok=True)
            subprocess.run(self.tool("et-generate", "--no-history", "--force", *arguments, "-o", path), check=True,
                           cwd=self.work)
            self.inputs[name] = path
        return self.inputs[name]

    def wants(self, name, slow=False):
        if self.only not in name:
            return False
        if slow and not self.slow:
            self.add(report.unmeasured(BENCH, name, report.SKIPPED, "takes minutes: --slow"))
            return False
        return True

    def measure(self, name, commands, *, limit=None, memory=None, floor_memory=None):
        """Adds rows for the total time of the commands and for the largest memory; returns whether all succeeded."""
        if not isinstance(commands[0], list):
            commands = [commands]
        rounds, peak = [], 0
        while not rounds or len(rounds) < 3 and sum(rounds) < 15 and not self.smoke:
            total = 0
            for command in commands:
                seconds, peak_of_this, status = run(command, self.work, None if limit is None else max(60, int(limit * 4)))
                total, peak = total + seconds, max(peak, peak_of_this)
                if status is None:
                    self.add(report.row(BENCH, name, "s CPU", total, limit=limit, note="stopped there"))
                    return False
                if status != 0:
                    error = (self.work / "stderr").read_text(encoding="utf-8").strip().rpartition("\n")[2]
                    self.add(report.unmeasured(BENCH, name, report.FAILED, error or f"exit status {status}"))
                    return False
            rounds.append(total)
        best = min(rounds)
        self.add(report.row(BENCH, name, "s CPU", best, limit=limit, spread=statistics.median(rounds) / best - 1
                            if best else 0.0))
        if memory is not None:
            of = "ratio" if floor_memory else "figure"
            self.add(report.row(BENCH, name + ", memory", "MiB", peak / MIB, limit=memory, limit_of=of,
                                floor=floor_memory))
        return True

    def replay(self, name, traces, network, *options, limit, memory=None, simulated=None, slow=False):
        """Adds rows for the time and memory of a replay and, if expected, the number of simulated NPUs."""
        if not self.wants(name, slow):
            return
        result = self.work / "result.json"
        command = self.tool("et-replay", "--format", "json", "-o", result, "-n", network, *options, traces())
        if self.measure(name, command, limit=limit, memory=memory) and simulated is not None:
            count = json.loads(result.read_text(encoding="utf-8"))["symmetry"]["simulated"]
            self.add(report.row(BENCH, name + ", simulated", "NPUs", count, limit=simulated))

    def training(self):
        self.replay("replay, gpt3-175b, FSDP on 1024", lambda: self.make("gpt3.etm", "gpt3-175b", "--plan", "zero3"),
                    PODS, limit=0.5)
        if self.smoke:
            return
        big = lambda: self.make("llama3-405b.etm", "llama3-405b", "--npus", "16384")
        for levels, network in (("a level each", LEVELS), ("data across levels", CROSSING)):
            for compat in ("none", "astra"):
                for model in ("unaware", "aware", "links"):
                    self.replay(f"replay, llama3-405b on 16384, {levels}, {model}, compat {compat}", big, network,
                                "--model", model, "--compat", compat, limit=10,
                                memory=4096 if model == "links" else None,
                                simulated=16 if levels == "a level each" else None)
        self.replay("replay, llama3-405b on 16384, machine dgx-h100", big, "dgx-h100,nodes=2048", limit=1, memory=100,
                    simulated=16)
        name = "generate and replay, llama3-405b on 131072"
        if self.wants(name):
            path = self.work / "largest.etm"
            network = LEVELS.replace("switch:128", "switch:1024")
            self.measure(name, [
                self.tool("et-generate", "llama3-405b", "--npus", "131072", "--set", "plan.data=1024", "--force", "-o",
                          path),
                self.tool("et-replay", "-n", network, "-o", self.work / "result.txt", path)], limit=30, memory=4096)
        experts = lambda: self.make("deepseek.etm", "deepseek-v3", "--npus", "2048")
        for compat in ("none", "astra"):
            for model in ("unaware", "aware", "links"):
                self.replay(f"replay, deepseek-v3 on 2048, experts on a level, {model}, compat {compat}", experts,
                            "switch:64,bw=450GB/s,lat=300ns+switch:32,bw=50GB/s,lat=2us", "--model", model, "--compat",
                            compat, limit=20, slow=compat == "astra" and model != "unaware")
        for compat in ("none", "astra"):
            for model in ("unaware", "aware", "links"):
                self.replay(f"replay, deepseek-v3 on 2048, data on a level, {model}, compat {compat}", experts,
                            "switch:128,bw=450GB/s,lat=300ns+switch:16,bw=50GB/s,lat=3us", "--model", model, "--compat",
                            compat, limit=20, simulated=16)
        self.replay("replay, deepseek-v3 on 2048, experts across levels", experts,
                    "switch:8,bw=450GB/s,lat=300ns+switch:256,bw=50GB/s,lat=2us", limit=20, slow=True)
        self.replay("replay, llama3-405b from 16384 files",
                    lambda: self.make("llama3-405b/w", "llama3-405b", "--npus", "16384"), LEVELS, limit=25, slow=True)
        shutil.rmtree(self.work / "llama3-405b", ignore_errors=True)

    def rings(self):
        calls = lambda: self.make("ring.etm", "collectives", "--npus", "1024", "--call", "all_reduce:1MB", "--count", "24")
        network = "ring:1024,bw=50GB/s,lat=500ns"
        self.replay("replay, 24 rings of 1 MB on 1024", calls, network, limit=0.2)
        self.replay("replay, 24 rings of 1 MB on 1024, exact", calls, network, "--no-symmetry", limit=5)
        self.replay("replay, 24 rings of 1 MB on 1024, every NPU, unaware, compat astra", calls, network, "--no-symmetry",
                    "--model", "unaware", "--compat", "astra", limit=5)
        for npus, seconds in ((64, 1),) if self.smoke else ((16_384, 1), (100_000, 5)):
            files = lambda: self.make(f"ring{npus}/w", "collectives", "--npus", str(npus), "--call", "all_reduce:1GiB")
            for model in ("unaware", "aware"):
                self.replay(f"replay, ring of 1 GiB on {npus}, {npus} files, {model}", files,
                            f"ring:{npus},bw=50GB/s,lat=500ns", "--model", model, limit=seconds, memory=2048)
            shutil.rmtree(self.work / f"ring{npus}", ignore_errors=True)

    def link(self, pairs):
        """Adds rows for linking pairs: (label, host, device, limit in seconds)."""
        for what, host, device, seconds in pairs:
            size = (host.stat().st_size + device.stat().st_size) / MIB
            for options in ([], ["--no-history"], ["--compat", "chakra"]):
                name = " ".join(["link,", what, *options])
                if self.wants(name):
                    self.measure(name, self.tool("et-link", "--force", "--host", host, "--device", device, *options, "-o",
                                                 "linked.et"), limit=seconds, memory=3, floor_memory=size)

    def analysis(self):
        size = ["--iterations", "2"] if self.smoke else ["--iterations", "333"]
        one = lambda: self.make("one.et", "layers", "--npus", "1", "--layers", "1000", *size)
        for name, tool, files, seconds in (("diff, two files of a million nodes", "et-diff", 2, 3),
                                           ("validate, a million nodes", "et-validate", 1, 0.2)):
            if self.wants(name):
                self.measure(name, self.tool(tool, *[one()] * files), limit=seconds)
        name = "stats beyond sizes, a million nodes"
        if self.wants(name):
            runs = [[run(self.tool("et-stats", *options, one()), self.work) for _ in range(1 if self.smoke else 3)]
                    for options in ([], ["--show", "sizes"])]
            if any(status != 0 for some in runs for _, _, status in some):
                self.add(report.unmeasured(BENCH, name, report.FAILED, "et-stats failed"))
            else:
                whole, sizes = (min(seconds for seconds, _, _ in some) for some in runs)
                self.add(report.row(BENCH, name, "s CPU", whole - sizes, limit=1))

    def convert(self, source):
        return self.tool("et-convert", "--force", "--no-history", source, "-o", self.beside(source, "converted"))

    def beside(self, source, name):
        """Returns an output path for a trace set: a file for one file, a prefix for several files."""
        return self.work / (name + ".et") if source.suffix == ".et" else self.work / name / "w"

    def pair(self, name, commands, floor, *, limit):
        """Adds a row for the total time of the commands, compared with another command; both alternate."""
        rounds = []
        for _ in range(1 if self.smoke else 5):
            done = [run(command, self.work) for command in (floor, *commands)]
            if any(status != 0 for _, _, status in done):
                self.add(report.unmeasured(BENCH, name, report.FAILED, (self.work / "stderr").read_text().strip()))
                return
            rounds.append((sum(seconds for seconds, _, _ in done[1:]), done[0][0]))
        best, least = (min(pair[i] for pair in rounds) for i in (0, 1))
        self.add(report.row(BENCH, name, "s CPU", best, floor=least, limit=limit, limit_of="ratio",
                            spread=statistics.median(pair[0] for pair in rounds) / best - 1 if best else 0.0))

    def anonymizing(self):
        """et-anonymize compared with et-convert on the same data: 3/5 of its speed, unless most names are new."""
        layers = lambda npus, count, iterations: ["layers", "--npus", npus, "--layers", count, "--iterations",
                                                  "2" if self.smoke else iterations]
        for what, limit, path, *options in (
                ("a training step", 1 / 0.6, "step/w", "mlp" if self.smoke else "llama3-70b"),
                ("tiny nodes", 1 / 0.6, "tiny/w", *layers("8", "100", "400")),
                ("tiny nodes, one file", 1 / 0.6, "one.et", *layers("1", "1000", "333")),
                ("two names for three nodes", 4, "names.et", *layers("1", "1000" if self.smoke else "333000", "1"))):
            name = f"anonymize / convert, {what}"
            if not self.wants(name):
                continue
            source = self.make(path, *options)
            hide = self.tool("et-anonymize", "--force", "--no-history", source, "-o", self.beside(source, "hidden"))
            self.pair(name, [hide], self.convert(source), limit=limit)
            for out in ("step", "tiny", "hidden", "converted"):
                shutil.rmtree(self.work / out, ignore_errors=True)
                self.inputs.pop(out + "/w", None)

    def fidelity(self):
        """et-diff --statistics compared with et-stats, or with a replay, of one of the sets."""
        for name, iterations, limit, options, tool, *floor in (
                ("fidelity as recorded / stats, two sets of a million nodes", 400, 7, ["--no-simulation"], "et-stats"),
                ("fidelity simulated / replay, two sets of 24,000 nodes", 10, 35, [], "et-replay", "--no-symmetry", "-n",
                 "switch:8,bw=50GB/s,lat=1us", "-o", self.work / "result.txt")):
            if not self.wants(name):
                continue
            files = self.make(f"eight{iterations}/w", "layers", "--npus", "8", "--layers", "100", "--noise", "node=0.1",
                              "--iterations", "2" if self.smoke else str(iterations))
            self.pair(name, [self.tool("et-diff", "--statistics", *options, files, files)],
                      self.tool(tool, *floor, files), limit=limit)

    def profiles(self, recorded):
        """et-profile and et-synthesize compared with et-convert; memory of et-profile for many ranks compared with one rank."""
        made = self.work / "profile.json"
        sets = [("tiny nodes", lambda: self.make(
            "eight10/w", "layers", "--npus", "8", "--layers", "100", "--noise", "node=0.1", "--iterations",
            "2" if self.smoke else "10"), 9)]
        sets += [(what, lambda files=files: self.linked(*files), 9) for what, files in recorded]
        for what, source, limit in sets:
            name = f"profile and synthesize / convert, {what}"
            if self.wants(name):
                path = source()
                self.pair(name, [self.tool("et-profile", path, "-o", made),
                                 self.tool("et-synthesize", "--force", made, "-o", self.beside(path, "drawn"))],
                          self.convert(path), limit=limit)
        for jobs in (1, 2):
            name = f"profile / one of its ranks, 64 ranks, {jobs} job{'s' if jobs > 1 else ''}, memory"
            if not self.wants(name):
                continue
            files = self.make("many64/w", "layers", "--npus", "64", "--layers", "100", "--iterations",
                              "1" if self.smoke else "40")
            peaks = [run(self.tool("et-profile", "--jobs", str(jobs), path, "-o", made), self.work)
                     for path in (files, files.parent / "w.0.et")]
            if any(status != 0 for _, _, status in peaks):
                self.add(report.unmeasured(BENCH, name, report.FAILED, "et-profile failed"))
                continue
            many, one = (peak / MIB for _, peak, _ in peaks)
            self.add(report.row(BENCH, name, "MiB", many, floor=one, limit=8, limit_of="ratio"))

    def linked(self, host, device):
        """Returns the path of the linked trace of a pair."""
        path = self.work / (host.parent.name + ".et")
        subprocess.run(self.tool("et-link", "--force", "--host", host, "--device", device, "-o", path), check=True)
        return path

    def streaming(self, host, device):
        """Memory of the tools that read a large trace: a linked pair of a million operators."""
        large = self.work / "large.et"
        for name, tool, *options in (("validate", "et-validate"), ("stats", "et-stats"),
                                     ("convert to dot", "et-convert", "-o", "large.dot"),
                                     ("recorded replay", "et-replay", "--compute", "recorded", "--comm", "recorded")):
            name += ", a trace of a million operators"
            if self.wants(name):
                if not large.exists():
                    subprocess.run(self.tool("et-link", "--host", host, "--device", device, "-o", large), check=True)
                self.measure(name, self.tool(tool, *options, large), memory=200)
        for name in ("large.et", "large.dot"):
            (self.work / name).unlink(missing_ok=True)

    def schedules(self):
        """Time per transfer of a synthesized schedule of a million transfers, compared with a schedule of 1/16 of the size."""
        npus, network = (16, "torus:4x4") if self.smoke else (256, "torus:16x16")
        network += ",bw=50GB/s,lat=500ns"

        def made(chunks):
            return self.make(f"gather{chunks}.ten.csv", "all_gather", "--algorithm", "synthesized", "-n", network, "--method",
                             "greedy", "--effort", "fast", "--chunks", str(chunks), "--size", f"{npus}MiB", "-t",
                             "ten,form=csv")

        for what, command in (
                ("validate", lambda file: self.tool("et-validate", "--dataflow", file)),
                ("convert to MSCCL-IR", lambda file: self.tool("et-convert", "--force", "-t", "msccl", file, "-o",
                                                               file.with_suffix(".xml"))),
                ("validate MSCCL-IR", lambda file: self.tool("et-validate", "--dataflow", file.with_suffix(".xml"))),
                ("replay", lambda file: self.tool("et-replay", "-n", network, "--model", "links", "--forwarding", "store",
                                                  "-o", self.work / "result.txt", file))):
            name = f"{what}, a schedule of a million transfers / 65000"
            if not self.wants(name):
                continue
            figures, peak, failed = [], 0, False
            for chunks in (1, 16):
                file = made(chunks)
                if what == "validate MSCCL-IR":
                    run(self.tool("et-convert", "--force", "-t", "msccl", file, "-o", file.with_suffix(".xml")), self.work)
                done = [run(command(file), self.work) for _ in range(1 if self.smoke else 3)]
                failed = failed or any(status != 0 for _, _, status in done)
                figures.append(min(seconds for seconds, _, _ in done) * 1e9 / (npus * (npus - 1) * chunks))
                peak = max(p for _, p, _ in done)
            if failed:
                self.add(report.unmeasured(BENCH, name, report.FAILED, (self.work / "stderr").read_text().strip()))
                continue
            self.add(report.row(BENCH, name, "ns/transfer", figures[1], floor=figures[0], limit=4, limit_of="ratio"))
            self.add(report.row(BENCH, name + ", memory", "MiB", peak / MIB, limit=2048))
        for file in self.work.glob("gather*"):
            file.unlink()
            self.inputs.pop(file.name, None)

    def all(self, pairs, recorded=()):
        self.training()
        self.rings()
        self.link(pairs)
        self.analysis()
        self.anonymizing()
        self.fidelity()
        self.profiles(recorded)
        self.schedules()
        for what, host, device, _ in pairs:
            if what == "1000000 operators":
                self.streaming(host, device)
