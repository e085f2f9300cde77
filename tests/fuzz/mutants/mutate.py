#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged files of every format for every tool that reads it: rejected properly, or processed completely.

Mutant I of a seed is the same for the same tools and test data. A run may end with 0 or 1, in time and without much
memory. If it rejects its input, it names the error and leaves no files; otherwise its output can be read again. See
judge().
"""
import argparse
import collections
import dataclasses
import gzip
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import cases
import mutations

TIME_LIMIT_S = 10
MEMORY_LIMIT = 1 << 30  # resident memory, for inputs below 100 KB
ADDRESS_LIMIT = 8 << 30
FILE_LIMIT = 1 << 28
JOBS_EVERY = 10  # every tenth run is repeated with another number of threads
# Characters that a terminal could execute: C0 except newline, DEL, C1, separators, direction controls.
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
INTERNAL = re.compile(r"internal error|std::|terminate called|basic_string|vector::|Sanitizer|runtime error:|Assertion|"
                      r"what\(\)|stoi|bad_alloc|json\.exception")
TEMPORARY = re.compile(r"\..*\.etkit-")
# Exit status 2: a file named by another file is missing, or an option is required (or wrong) for this input.
USAGE = re.compile(r"error: (.*: )?(no such file|No such file|Is a directory|Not a directory|File name too long|Permission)|"
                   r"error: .*--\w|(use|requires) the network model links|error: failed link|no run can be executed|"
                   r"error: no network|"
                   r"error: an ideal network has no |error: (bandwidth|latency)\.\d+: the network |: only with ")
TRACE_SUFFIXES = (".et", ".tar", ".zst", ".gz", ".jsonl", ".xml", ".csv", ".json")
WRITERS = ("et-convert", "et-merge", "et-split", "et-link", "et-validate")


@dataclasses.dataclass
class Run:
    command: list
    status: int = 0
    stdout: bytes = b""
    stderr: str = ""
    seconds: float = 0
    resident: int = 0
    late: bool = False
    files: dict = dataclasses.field(default_factory=dict)  # in the folder afterwards


@dataclasses.dataclass
class Mutant:
    number: int
    form: str
    name: str  # of the changed file; empty: a word of the command line was changed
    sample: cases.Sample
    command: list
    data: bytes
    done: list  # names of the mutations
    jobs: str


@dataclasses.dataclass
class Row:
    """The reported result of a mutant."""
    number: int
    form: str
    tool: str
    status: int
    wrong: str
    command: str
    stderr: str
    seconds: float
    resident: int


class Runner:
    def __init__(self, options):
        self.binaries = os.path.abspath(options.bin)
        self.sanitized = options.sanitized
        self.factor = options.slow * (5 if self.sanitized else 1)
        self.environment = {"PATH": f"{self.binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0", "UBSAN_OPTIONS": "halt_on_error=1"}
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        if not self.sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_LIMIT, ADDRESS_LIMIT))

    def run(self, command, folder, jobs="1"):
        """Runs the command in that folder, until it ends or exceeds its time limit."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            begun = time.monotonic()
            child = subprocess.Popen(command, cwd=folder, env=self.environment | {"ET_JOBS": jobs}, stdin=subprocess.DEVNULL,
                                     stdout=out, stderr=err)
            descriptor = os.pidfd_open(child.pid)
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            late = not poll.poll(TIME_LIMIT_S * self.factor * 1000)
            if late:
                child.kill()
            os.close(descriptor)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            return Run(command, child.returncode, out.read(), err.read().decode("utf-8", errors="surrogateescape"),
                       time.monotonic() - begun, usage.ru_maxrss * 1024, late,
                       {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir() if p.is_file()})


# ---- verdicts -------------------------------------------------------------------------------------------------------

def stems(name):
    """A name, and its prefixes without one suffix after the other."""
    parts = pathlib.Path(name).name.split(".")
    return {name} | {".".join(parts[:n]) for n in range(1, len(parts) + 1)}


def named(mutant, line):
    """Whether a message is about a file or network: the mutant, a file beside it, the set, an output."""
    names = list(mutant.sample.files) + mutant.sample.input.split() + mutant.command[1:]
    where = re.match(r"[\w-]+: (?:error: )?([^:\s]+): ?", line)
    if where and where[1].encode("utf-8", errors="surrogateescape") in mutant.data:
        return True  # a configuration names it
    return any(n in line for n in names if "." in n or ":" in n) or bool(where and any(where[1] in stems(n) for n in names))


def judge_refusal(mutant, run, before, runner, folder):
    tool = mutant.command[0]
    errors = [line for line in run.stderr.splitlines() if re.search(r"\berror: ", line)]
    findings_elsewhere = tool == "et-validate" and "--format" in mutant.command
    if not errors and not findings_elsewhere:
        return "refused without an error"
    if mutant.name and run.status == 1 and not findings_elsewhere and "[sweep]" not in run.stderr and \
            not any(named(mutant, line) for line in errors):
        return "the error names no file"
    is_verdict = tool == "et-replay" and re.search(r"\[(deadlock|pairs)\]", run.stderr)  # reports what had run
    is_sweep = "--sweep" in mutant.command  # its table lists the failed runs
    if run.files != before and mutant.form != "journal" and not is_verdict and not is_sweep:
        changed = [n for n in set(run.files) ^ set(before)] + [n for n in before if run.files.get(n) != before[n]]
        return f"refused, and left or changed {sorted(set(changed))[:3]}"
    if run.stdout and not findings_elsewhere and not is_verdict and not is_sweep:
        # Partial output in a pipe must not look complete.
        (folder / "piped").write_bytes(run.stdout)
        again = runner.run(["et-convert", "piped", "-o", "again.tar"], folder)
        if again.status == 0 or tool in ("et-validate", "et-graph"):
            return "refused, with a result on stdout"
    return None


def readable(name, data):
    """Whether other programs can read it, according to the suffix."""
    try:
        if name.endswith(".gz"):
            name, data = name[:-3], gzip.decompress(data)
        if name.endswith(".json"):
            json.loads(data)
        elif name.endswith(".jsonl"):
            for line in data.splitlines():
                json.loads(line)
        elif name.endswith((".graphml", ".svg", ".xml")):
            xml.etree.ElementTree.fromstring(data)
    except (ValueError, OSError, EOFError, xml.etree.ElementTree.ParseError) as error:
        return f"{name} is no longer what its name says: {ascii(str(error))}"
    return None


def results(mutant, run, before):
    """[(name of a result in the folder, is it an input of the tools)] of a run that succeeded."""
    new = {n for n in run.files if run.files[n] != before.get(n)}
    tool, command = mutant.command[0], mutant.command
    sets = {n.rsplit(".", 2)[0] for n in new if re.search(r"\.\d+\.et$", n)}
    found = [(s, True) for s in sorted(sets)]
    for n in sorted(new):
        if re.search(r"\.\d+\.et$|\.groups\.json$", n):
            continue
        is_trace = (tool in WRITERS or "ten" in command) and n.endswith(TRACE_SUFFIXES) and not n.startswith("report") and \
            "linked" not in command[command.index("-t") + 1:][:1] if "-t" in command else \
            tool in WRITERS and n.endswith(TRACE_SUFFIXES) and not n.startswith("report")
        found.append((n, is_trace))
    return found


def judge_result(mutant, run, before, runner, folder):
    if any(TEMPORARY.match(n) for n in run.files) and mutant.form != "journal":
        return "left a temporary file"
    for n, data in run.files.items():
        if n in mutant.sample.files and data != before[n] and mutant.form not in ("journal", "sweep-table"):
            return f"changed its input {n}"
    found = results(mutant, run, before)
    if mutant.command[0] in ("et-convert", "et-split", "et-link") and "-o" not in mutant.command and "dot" not in mutant.command:
        (folder / "piped").write_bytes(run.stdout)
        found.append(("piped", True))
        if "json" in mutant.command or "jsonl" in mutant.command:
            if wrong := readable("stdout." + ("json" if "json" in mutant.command else "jsonl"), run.stdout):
                return wrong
    elif mutant.command[0] in ("et-replay", "et-validate") and "json" in mutant.command:
        if wrong := readable("stdout.json", run.stdout):
            return wrong
    for name, is_trace in found:
        if name in run.files and (wrong := readable(name, run.files[name])):
            return wrong
        if not is_trace:
            continue
        again = runner.run(["et-convert", "-q", name, "-o", "again.tar"], folder)
        if "missing from the set" in again.stderr and mutant.sample.npus == 1:
            continue  # a single rank that is not the first
        if again.status or again.late:
            return f"et-convert cannot read {name} again: {again.stderr[:300]!a}"
        again = runner.run(["et-validate", "-q", name], folder)
        if "[framing]" in again.stderr:
            return f"et-validate: {name} is malformed: {again.stderr[:300]!a}"
    return None


def judge(mutant, run, before, runner, folder):
    """The error of that run, or None."""
    tool = mutant.command[0]
    if run.late:
        return f"no end after {TIME_LIMIT_S * runner.factor} s"
    if run.status < 0:
        return f"ended by signal {-run.status}"
    if found := INTERNAL.search(run.stderr):
        return f"says {found[0]}"
    if run.status not in (0, 1) and mutant.name and not (run.status == 2 and USAGE.search(run.stderr)):
        return f"exit status {run.status}"
    if run.status not in (0, 1, 2):
        return f"exit status {run.status}"
    if run.resident > MEMORY_LIMIT * (4 if runner.sanitized else 1):
        return f"took {run.resident >> 20} MiB"
    if found := CONTROL.search(run.stderr):
        return f"{ascii(found[0])} in a message"
    if any(not line.startswith(tool + ": ") for line in run.stderr.splitlines()):
        return "a message without the tool's name"
    if run.status:
        return judge_refusal(mutant, run, before, runner, folder)
    return judge_result(mutant, run, before, runner, folder)


# ---- mutants --------------------------------------------------------------------------------------------------------

class Population:
    """All mutants of a seed, by number."""

    def __init__(self, formats, options):
        self.seed = options.seed
        self.formats = formats
        self.pairs = [(form, command) for form, f in formats.items() for command in f.commands]
        if options.only:
            form, _, tool = options.only.partition("/")
            self.pairs = [(f, c) for f, c in self.pairs
                          if (not form or f == form) and (not tool or c.split()[0] == tool)]
        if not self.pairs:
            raise SystemExit(f"--only {options.only}: formats are {', '.join(formats)}")
        random.Random(self.seed).shuffle(self.pairs)  # so that a small count includes every kind

    def mutant(self, number):
        rng = random.Random(f"{self.seed}:{number}")
        form, template = self.pairs[number % len(self.pairs)]
        samples = self.formats[form].samples
        sample, other = rng.choice(samples), rng.choice(samples)
        jobs = rng.choice("12")
        if self.formats[form].kind == "argument":
            data, done = mutations.mutate(rng, sample.input.encode(), "text", other.input.encode())
            word = data.decode("utf-8", errors="surrogateescape").replace("\0", "")[:10000]
            command = [word if w == "{in}" else w for w in template.split()]
            return Mutant(number, form, "", sample, command, b"", done, jobs)
        name = rng.choice(sample.targets)
        other_data = other.files[rng.choice(other.targets)]
        kind = self.formats[form].kind
        if sample.inner and rng.random() < 0.6:
            data, done = mutations.mutate(rng, sample.files[name], sample.inner, other_data)
            data = gzip.compress(data, 1, mtime=0)
        else:
            data, done = mutations.mutate(rng, self.packed(sample, name), kind, other_data)
        return Mutant(number, form, name, sample, cases.filled(template, sample), data, done, jobs)

    @staticmethod
    def packed(sample, name):
        return gzip.compress(sample.files[name], 1, mtime=0) if sample.inner else sample.files[name]

    def files(self, mutant):
        files = {n: self.packed(mutant.sample, n) if n in mutant.sample.targets else d
                 for n, d in mutant.sample.files.items()}
        return files | ({mutant.name: mutant.data} if mutant.name else {})


def fill_folder(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for n, d in files.items():
        (folder / n).write_bytes(d)
        os.utime(folder / n, ns=(cases.FILE_TIME_NS, cases.FILE_TIME_NS))


def try_mutant(population, number, runner, scratch):
    """(mutant, run, error)"""
    mutant = population.mutant(number)
    before = population.files(mutant)
    folder = scratch / "run"
    fill_folder(folder, before)
    run = runner.run(mutant.command, folder, mutant.jobs)
    wrong = judge(mutant, run, before, runner, folder)
    is_repeatable = "et-anonymize" not in mutant.command  # its key is random
    if not wrong and is_repeatable and number // len(population.pairs) % JOBS_EVERY == number % JOBS_EVERY:
        fill_folder(folder, before)
        again = runner.run(mutant.command, folder, "2" if mutant.jobs == "1" else "1")
        if (run.status, run.stdout, run.stderr, run.files) != (again.status, again.stdout, again.stderr, again.files):
            wrong = "another result with another number of threads"
    return mutant, run, wrong


def keep(folder, population, mutant, wrong, run):
    target = pathlib.Path(folder) / str(mutant.number)
    target.mkdir(parents=True, exist_ok=True)
    fill_folder(target, population.files(mutant))
    (target / "COMMAND").write_text(f"# {wrong}\n# {', '.join(mutant.done)} of {mutant.name}\n"
                                    f"ET_JOBS={mutant.jobs} {' '.join(mutant.command)}\n{run.stderr[:4000]!a}\n",
                                    encoding="utf-8", errors="backslashreplace")


def begin_worker(options, population):
    """State of a worker process for all its mutants."""
    global state
    state = (options, population, Runner(options))


def try_number(number):
    options, population, runner = state
    with tempfile.TemporaryDirectory(prefix="etkit-mutants-") as scratch:
        mutant, run, wrong = try_mutant(population, number, runner, pathlib.Path(scratch))
    if wrong and options.keep:
        keep(options.keep, population, mutant, wrong, run)
    return Row(number, mutant.form, mutant.command[0], run.status, wrong, " ".join(mutant.command), run.stderr[:400],
               run.seconds, run.resident)


def run_all(options, population):
    rows = []
    numbers = range(options.first, options.first + options.count)
    with multiprocessing.Pool(options.jobs, begin_worker, (options, population)) as pool:
        for row in pool.imap_unordered(try_number, numbers, chunksize=4):
            rows.append(row)
            if row.wrong:
                print(f"FAIL {row.number} {row.form}: {ascii(row.command)}\n    {row.wrong}\n    {row.stderr!a}", flush=True)
    return rows


def report(rows, pairs):
    """Runs, rejections and failures of each format and tool."""
    table = collections.defaultdict(lambda: [0, 0, 0])
    for r in rows:
        for key in ((r.form, r.tool), ("all", r.tool), (r.form, "all"), ("all", "all")):
            table[key][0] += 1
            table[key][1] += r.status != 0
            table[key][2] += bool(r.wrong)
    tools = sorted({t for _, t in table if t != "all"}) + ["all"]
    print("runs / refused / failed".ljust(24) + "".join(t.rjust(16) for t in tools))
    for form in list(dict.fromkeys(f for f, _ in sorted(pairs))) + ["all"]:
        cells = ["{}/{}/{}".format(*table[form, t]) if (form, t) in table else "-" for t in tools]
        print(form.ljust(24) + "".join(c.rjust(16) for c in cells))
    slow, big = max(r.seconds for r in rows), max(r.resident for r in rows)
    print(f"slowest {slow:.1f} s, largest {big >> 20} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="directory of the built tools")
    parser.add_argument("--testdata", required=True)
    parser.add_argument("--corpus", default=os.environ.get("ETKIT_CORPUS"), help="more samples (default: ETKIT_CORPUS)")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", help="FORMAT, FORMAT/TOOL or /TOOL")
    parser.add_argument("--keep", help="folder for the inputs and command lines of what fails")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--sanitized", action="store_true", help="the tools have sanitizers, which take time and memory")
    parser.add_argument("--slow", type=float, default=1, help="factor for the time that a run may take")
    options = parser.parse_args()
    if options.corpus and not os.path.isdir(options.corpus):
        parser.error(f"no corpus at {options.corpus}")
    formats = cases.all_formats(os.path.abspath(options.bin), os.path.abspath(options.testdata), options.corpus)
    population = Population(formats, options)
    rows = run_all(options, population)
    report(rows, population.pairs)
    if len(rows) != options.count:
        sys.exit(f"{len(rows)} of {options.count} mutants were tried")
    if any(r.wrong for r in rows):
        sys.exit(f"{sum(bool(r.wrong) for r in rows)} mutants failed")


if __name__ == "__main__":
    main()
