#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages about inputs with control characters: each stays on its line, and controls no terminal.

    messages.py BIN TESTDATA

An escape sequence, a newline, a Unicode control character and a direction control are inserted into names, keys and
values of every sample, and into the names of files and the values of options.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BIN, TESTDATA = map(os.path.abspath, sys.argv[1:3])
PLACES = 12  # per sample
EVIL = "\x1b[31m\nINJECTED\u009b\u202e"
# Characters that a terminal could execute: C0 except the newline after a message, DEL, C1, separators, directions.
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def mutants(path, data):
    """Copies of a sample, each with the text at another position."""
    text = data.decode("utf-8", errors="surrogateescape")
    is_json = path.suffix in (".json", ".jsonl")
    evil = json.dumps(EVIL)[1:-1] if is_json else EVIL.replace("\n", " ") if path.suffix != ".csv" else EVIL
    words = [m.end() for m in re.finditer(r'"[^"\\\n]+(?=")' if is_json else r"[A-Za-z_][A-Za-z_0-9]*", text)]
    step = max(1, len(words) // PLACES)
    for at in words[::step]:
        yield (text[:at] + evil + text[at:]).encode("utf-8", errors="surrogateescape")


def commands(path, name):
    """Commands that read a sample of that kind."""
    folder = path.parent.name
    if folder == "networks":
        return [["et-replay", "-v", "--show", "links", "--model", "links", "-n", name, "--size", "1MiB", "ok.xml"]]
    if folder == "kineto":
        return [["et-link", "-v", "--host", "host.json", "--device", name, "-o", "/dev/null"]]
    read = [["et-validate", "-v", "--dataflow", name], ["et-replay", "-v", "-n", "ideal", "--explain", "end", name],
            ["et-convert", "-vv", name, "-o", "/dev/null"], ["et-merge", "-v", "-a", "all_reduce=ring", name],
            ["et-split", "-v", name, "-o", "/dev/null"]]
    if path.suffix in (".csv", ".yml", ".yaml", ".json"):
        read += [["et-split", "--split-by", f"map:{name}", "ok.et", "-o", "/dev/null"],
                 ["et-merge", "--map", name, "ok.et", "-o", "/dev/null"],
                 ["et-replay", "-n", "ideal", "--groups", name, "ok.et"],
                 ["et-replay", "-n", "ideal", "--system", name, "ok.et"], ["et-replay", "--sweep", name, "ok.et"]]
    return read


def arguments():
    """Names and values that come from the command line; none of the files exists."""
    for tool in sorted(p.name for p in pathlib.Path(BIN).glob("et-*")):
        yield [tool, EVIL]
        yield [tool, "--" + EVIL]
        for option in ("-f", "-t", "-o", "--jobs", "--color", "-n", "--host", "--device", "-w", "-a", "--split-by", "--ranks",
                       "--map", "--sweep", "--set", "--system", "--memory", "--groups", "--collective", "--show",
                       "--report", "--timeline", "--plot", "--size", "--rules", "--ignore", "--npus", "--slow"):
            yield [tool, option, EVIL, "ok.xml"]
            yield [tool, option, "x=" + EVIL, "ok.et"]


def run(command, folder):
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "ET_JOBS": "1"}
    return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)


def defect(command, done):
    """The error in the messages, or in a report as text."""
    streams = [done.stderr] + ([done.stdout] if command[0] == "et-replay" else [])
    for stream in streams:
        text = stream.decode("utf-8", errors="surrogateescape")
        if found := FORBIDDEN.search(text):
            return f"{ascii(found[0])} in {ascii(text)}"
        if re.search("^INJECTED", text, re.MULTILINE):
            return f"a line of its own in {ascii(text)}"
    if b"internal error" in done.stderr or done.returncode not in (0, 1, 2):
        return f"exit {done.returncode}: {ascii(done.stderr)}"
    return None


def write_samples(folder):
    """[(a name with the text in it, a command)]"""
    runs = []
    samples = sorted(p for p in pathlib.Path(TESTDATA).rglob("*") if p.is_file() and p.stat().st_size < 100_000 and
                     p.suffix not in (".py", ".md"))
    for number, path in enumerate(samples):
        for serial, mutant in enumerate(mutants(path, path.read_bytes())):
            name = f"{number}-{serial}{path.suffix}"
            (folder / name).write_bytes(mutant)
            choices = commands(path, name)
            runs.append(choices[serial % len(choices)])
    for path in samples[::7]:
        name = f"named {EVIL}{path.suffix}"
        (folder / name).write_bytes(path.read_bytes())
        runs += commands(path, name)
        (folder / ("cut" + name)).write_bytes(path.read_bytes()[:-20])
        runs += commands(path, "cut" + name)
    return runs


def write_traces(folder, runs):
    """Traces of our own whose nodes and tensors have such names."""
    node = {"id": 1, "name": EVIL, "type": "COMP_NODE", "duration_micros": 3}
    lost = {"id": 2, "name": EVIL, "type": "COMM_COLL_NODE", "data_deps": [7], "attrs": {EVIL: 1}}
    for name, nodes in (("one.jsonl", [node]), ("two.jsonl", [node, lost])):
        lines = [{"rank": 0, "version": "1"}] + nodes
        (folder / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        runs += commands(folder / name, name)


def main():
    with tempfile.TemporaryDirectory(prefix="etkit-messages-") as name:
        folder = pathlib.Path(name)
        for command in (["et-generate", "all_reduce", "--npus", "4", "-t", "msccl", "-o", "ok.xml"],
                        ["et-generate", "all_reduce", "--npus", "1", "-o", "ok.et"]):
            run(command, folder)
        (folder / "host.json").write_bytes(pathlib.Path(TESTDATA, "pytorch/link-host.0.json").read_bytes())
        runs = write_samples(folder)
        write_traces(folder, runs)
        runs += arguments()
        quoted = 0
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            for command, done in zip(runs, pool.map(lambda c: run(c, folder), runs)):
                quoted += b"\\x1b" in done.stderr + done.stdout
                if wrong := defect(command, done):
                    sys.exit(f"{ascii(command)}: {wrong}")
        print(f"{len(runs)} runs, {quoted} of them quote the text")
        if quoted < 25 * PLACES:
            sys.exit("too few messages quote what they are about")


if __name__ == "__main__":
    main()
