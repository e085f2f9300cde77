#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs ninja and shows the share of the work done and the estimated remaining time: progress.py FOLDER JOBS [TARGET...]
On a terminal one line is rewritten; elsewhere a line is printed every ten seconds. Everything else that ninja prints,
such as the messages of compilers, is passed on."""
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")
COMPILE = "Building CXX object "
# Cost of one source file, in CPU seconds of the machine where it was measured: headers, and code by its bytes.
UNIT_SECONDS = 3.0
SECONDS_BY_LEVEL = {"-O0": 3e-5, "-Og": 4.5e-5, "-Os": 8e-5, "-O2": 9e-5, "-O3": 11e-5}
OTHER_SECONDS = 0.3  # of other steps: links, scripts


def code_bytes(source):
    """Size of a source file with the source files that it includes, as files of unity builds do."""
    text = source.read_text(errors="replace")
    parts = [pathlib.Path(path) for path in re.findall(r'^#include "(/[^"]+\.cpp)"', text, re.MULTILINE)]
    return sum(part.stat().st_size for part in parts if part.exists()) or len(text)


def costs(folder):
    """Returns the cost of each object."""
    found = {}
    for command in json.loads((folder / "compile_commands.json").read_text()):
        source = folder / command["file"]
        levels = re.findall(r" (-O[023gs])\b", command["command"])
        name = command.get("output") or re.search(r" -o (\S+)", command["command"])[1]
        size = code_bytes(source) if source.exists() else 0
        found[name] = UNIT_SECONDS + size * SECONDS_BY_LEVEL[levels[-1] if levels else "-O0"]
    return found


class Work:
    """Steps that are done and to do, and how fast they are done."""

    def __init__(self, known, planned, jobs):
        self.known, self.jobs, self.planned = known, jobs, set(planned)
        self.total = sum(map(self.cost, self.planned))
        self.done = self.finished = 0
        self.steps = len(planned)

    def cost(self, step):
        return self.known.get(step.removeprefix(COMPILE), OTHER_SECONDS)

    def finish(self, step, finished, steps):
        cost = self.cost(step)
        if step.removeprefix(COMPILE) not in self.planned:
            self.total += cost  # outdated, or a command without -o
        self.done += cost
        self.finished, self.steps = finished, steps

    def left(self, elapsed):
        """Seconds that are left: at first as on the machine where costs were measured, then by how fast it goes."""
        learnt = 30.0
        rate = (self.done + learnt * self.jobs) / (elapsed + learnt)
        return max(0.0, self.total - self.done) / rate

    def text(self, end, now):
        left = max(0, round(end - now))
        time_left = f"{left // 60} min {left % 60:02} s" if left >= 60 else f"{left} s"
        share = 100 if self.total == 0 else min(100, int(100 * self.done / self.total))
        return f"{self.finished} of {self.steps} steps, {share} % of the work, about {time_left} left"


def missing_outputs(folder, targets):
    """Returns the outputs of the targets' commands that do not exist yet. A dry run of ninja would stop at CMake's check
    of globbed folders."""
    commands = subprocess.run(["ninja", "-C", str(folder), "-t", "commands", *targets], capture_output=True, text=True)
    outputs = re.findall(r" -o (\S+)", commands.stdout)
    return [output for output in outputs if not (folder / output).exists()]


def run(folder, jobs, targets):
    ninja = ["ninja", "-C", str(folder), "-j", str(jobs), *targets]
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    work = Work(costs(folder), missing_outputs(folder, targets), jobs)
    terminal = sys.stdout.isatty()
    process = subprocess.Popen(ninja, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace")
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    begin = shown = time.monotonic()
    end = begin + work.left(0)
    while True:
        try:
            line = lines.get(timeout=1)
        except queue.Empty:
            line = ""
        if line is None:
            break
        now = time.monotonic()
        if step := STEP.match(line):
            work.finish(step[3], int(step[1]), int(step[2]))
            end = now + work.left(now - begin)
        elif line and not line.startswith("ninja: Entering"):
            print(("\r\033[K" if terminal else "") + line, flush=True)
        if terminal:
            print("\r\033[K" + work.text(end, now), end="", flush=True)
        elif now - shown >= 10:
            shown = now
            print(work.text(end, now), flush=True)
    status = process.wait()
    if terminal:
        print("\r\033[K", end="")
    if status == 0 and work.finished:
        seconds = round(time.monotonic() - begin)
        print(f"{work.finished} steps in {seconds // 60} min {seconds % 60:02} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(run(pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
