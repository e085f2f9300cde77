#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sets that are replaced while the system fails or the process is killed: the old or the new one is there, complete.

    sets.py BIN SHIM TESTDATA

Every call of a run that changes a file fails once alone (EIO), once with all later ones, and is once the last before a
SIGKILL. Then the folder is checked, also by a tool that reads or writes the set.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

BIN, SHIM, TESTDATA = map(os.path.abspath, sys.argv[1:4])
# Names of files that a killed process may leave: they are never read.
LEFT_OVER = re.compile(r"\..*\.etkit-[0-9A-Za-z]{6}")
SYSTEM_ERROR = 2


def run(command, folder, environment=None, **options):
    keep = {"PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "ET_JOBS": "1"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=keep | (environment or {}), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120, check=False, **options)


def check(condition, *what):
    if not condition:
        sys.exit("\n".join(str(w) for w in what))


def must(command, folder):
    done = run(command, folder)
    check(done.returncode == 0, command, done.stderr.decode())
    return done.stdout


def contents(folder, all_names=True):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())
            if p.is_file() and (all_names or not LEFT_OVER.fullmatch(p.name))}


class Case:
    """`old` makes the set to replace, `new` is the command under test, `read` checks the result."""

    def __init__(self, scratch, name, old, new, read, inputs=()):
        self.root, self.name, self.new, self.read, self.inputs = scratch / name, name, new, read, inputs
        self.serial = 0
        template = self.fresh()
        for command in old:
            must(command, template)
        self.template = template
        self.before = contents(template)
        whole = self.copy()
        must(new, whole)
        self.after = contents(whole)
        check(self.before != self.after, name, "the new set is the old one")
        reads = [must(read, f) if (f / "out").exists() or self.has_set(f) else None for f in (template, whole)]
        self.read_before, self.read_after = reads

    @staticmethod
    def has_set(folder):
        return any(re.search(r"\.et$", p.name) for p in folder.iterdir())

    def fresh(self):
        self.serial += 1
        folder = self.root / f"run{self.serial}"
        folder.mkdir(parents=True)
        for source in self.inputs:
            shutil.copy(source, folder)
        return folder

    def copy(self):
        self.serial += 1
        folder = self.root / f"run{self.serial}"
        shutil.copytree(self.template, folder)
        return folder

    def state(self, folder, all_names=True):
        now = contents(folder, all_names)
        return "old" if now == self.before else "new" if now == self.after else None

    def differences(self, folder):
        now = contents(folder)
        return [f"{n}: {'missing' if n not in now else 'old' if now[n] == self.before.get(n) else 'new' if now[n] == self.after.get(n) else 'other'}"
                for n in sorted(now | self.before | self.after)]

    def inject(self, kind, at, repeat):
        """Runs the command with a fault; None if it has fewer calls."""
        folder = self.copy()
        log = self.root / "log"
        log.unlink(missing_ok=True)
        environment = {"LD_PRELOAD": SHIM, "ETKIT_FAULT_AT": str(at), "ETKIT_FAULT_KIND": kind,
                       "ETKIT_FAULT_LOG": str(log)}
        if repeat:
            environment["ETKIT_FAULT_REPEAT"] = "1"
        done = run("exec " + self.new, folder, environment)
        calls = log.read_text().split()
        where = f"{self.name}: {kind} at call {at} ({calls[min(at, len(calls)) - 1]}){', and from there on' if repeat else ''}"
        if len(calls) < at:
            check(done.returncode == 0 and self.state(folder) == "new", where, "a run without a fault", done.stderr)
            return None
        return folder, done, where

    def read_again(self, folder, where, variant):
        """The next process: a reader, a reader of one file, a validator, or the same writer again."""
        if variant == 3:
            must(self.new, folder)
            check(self.state(folder, False) == "new", where, "then written again", *self.differences(folder))
            return
        if variant == 1 and self.has_set(folder):
            run(f"et-validate {next(p for p in sorted(folder.iterdir()) if p.suffix == '.et')}", folder)
        done = run(self.read, folder)
        state = self.state(folder, False)
        check(state is not None, where, "then read", done.stderr.decode(), *self.differences(folder))
        wanted = self.read_before if state == "old" else self.read_after
        if wanted is not None:
            check(done.returncode == 0 and done.stdout == wanted, where, "reads wrongly", state, done.stderr.decode())

    def fail_everywhere(self):
        at, undone = 1, 0
        while (result := self.inject("eio", at, False)) is not None:
            folder, done, where = result
            state = self.state(folder, False)
            if done.returncode == 0:
                self.read_again(folder, where, 0)
                state = self.state(folder, False)
                check(state == "new", where, "exit status 0", *self.differences(folder))
            else:
                undone += 1
                check(done.returncode == SYSTEM_ERROR and b"Input/output error" in done.stderr, where, done.returncode,
                      done.stderr.decode())
                check(self.state(folder, False) == "old", where, done.stderr.decode(), *self.differences(folder))
            shutil.rmtree(folder)
            at += 1
        check(undone > 0, self.name, "no fault was met")
        return at - 1

    def break_down(self):
        at = 1
        while (result := self.inject("eio", at, True)) is not None:
            folder, done, where = result
            check(done.returncode in (0, SYSTEM_ERROR), where, done.returncode, done.stderr.decode())
            if self.state(folder, False) is None:
                check(b"run any etkit tool" in done.stderr or done.returncode == 0, where, done.stderr.decode())
            self.read_again(folder, where, at % 4)
            shutil.rmtree(folder)
            at += 1

    def kill_everywhere(self):
        at, states = 1, set()
        while (result := self.inject("kill", at, False)) is not None:
            folder, done, where = result
            check(done.returncode == -signal.SIGKILL, where, done.returncode, done.stderr.decode())
            states.add(self.state(folder, False))
            self.read_again(folder, where, at % 4)
            shutil.rmtree(folder)
            at += 1
        check(None in states, self.name, "was never killed in between")


def append_only(scratch):
    """A file that cannot be replaced, and a stale one that cannot be removed, if file system and rights allow this."""
    for locked in ("ring.3.et", "ring.7.et"):
        case = ring(scratch, "locked-" + locked)
        folder = case.copy()
        if run(f"chattr +a {locked}", folder).returncode != 0:
            print("append-only files: not here")
            return
        try:
            done = run(case.new, folder)
        finally:
            run(f"chattr -a {locked}", folder)
        check(done.returncode == SYSTEM_ERROR, locked, done.returncode)
        message = f"et-convert: {'' if locked < 'ring.6' else str(folder) + '/'}{locked}: error: Operation not permitted\n"
        check(done.stderr.decode() == message, locked, done.stderr.decode(), message)
        check(case.state(folder) == "old", locked, *case.differences(folder))


def half_replaced(case):
    """Folders of the case that a kill has left with a journal: number of the call, folder, progress."""
    for at in range(1, 200):
        result = case.inject("kill", at, False)
        if result is None:
            return
        folder, _, where = result
        if any(p.name.endswith(".etkit-replace") for p in folder.iterdir()):
            yield at, folder, where


def read_only(scratch):
    """A user without write permission reads a whole set, and gets the next step for a half-replaced one."""
    case = ring(scratch, "readonly")
    bin_of_all = scratch / "program/bin"  # others may not enter the folder of the build
    bin_of_all.mkdir(parents=True)
    shutil.copy(pathlib.Path(BIN) / "et-convert", bin_of_all)
    shutil.copytree(pathlib.Path(BIN).parent / "lib", bin_of_all.parent / "lib", symlinks=True)  # where it finds libetkit
    heard = 0
    for _, folder, where in half_replaced(case):
        before = contents(folder)
        folder.chmod(0o555)
        as_other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            done = run(case.read, folder, {"PATH": f"{bin_of_all}:{os.environ['PATH']}"}, **as_other)
        finally:
            folder.chmod(0o755)
        check(contents(folder) == before, where, "a reader without rights has changed something")
        if done.returncode == 0:
            check(done.stdout in (case.read_before, case.read_after), where, "read a mixture")
        else:
            heard += 1
            check(done.returncode == SYSTEM_ERROR and b"run any etkit tool on them with write permission" in done.stderr,
                  where, done.stderr.decode())
    check(heard > 0, "no reader was refused")


def edited(scratch):
    """A file of a set that was edited after a kill is kept, and a message names it; otherwise the set is complete."""
    case = ring(scratch, "edited")
    kept = 0
    for at, folder, where in half_replaced(case):
        name = sorted(p.name for p in folder.glob("ring.*.et"))[at % len(list(folder.glob("ring.*.et")))]
        with (folder / name).open("ab") as f:
            f.write(b"by hand")
        text = (folder / name).read_bytes()
        done = run(case.read, folder)
        check(done.returncode != 0 and (folder / name).read_bytes() == text, where, name, "was overwritten")
        check(f"{name} has been changed since" in done.stderr.decode(), where, name, done.stderr.decode())
        kept += 1
    check(kept > 0, "nothing was edited")


def copied(scratch):
    """A copy with other times is the old set or the new one."""
    case = ring(scratch, "copied")
    states = set()
    for _, folder, where in half_replaced(case):
        must(f"cp -r {folder} {folder}.copy && touch {folder}.copy/.[a-z]* {folder}.copy/*", folder)
        copy = pathlib.Path(f"{folder}.copy")
        done = run(case.read, copy)
        state = case.state(copy, False)
        check(done.returncode == 0 and state is not None, where, "copied", done.stderr.decode(), *case.differences(copy))
        check(done.stdout == (case.read_before if state == "old" else case.read_after), where, "copied, reads wrongly")
        states.add(state)
    check(states == {"old", "new"}, "copies end as", states)


def ring(scratch, name):
    """Eight ranks with groups become six without groups: a new file, stale ranks, stale groups."""
    return Case(scratch, name,
                old=["et-generate all_reduce --algorithm ring --npus 8 --size 64KiB -o ring",
                     "echo '{\"1\":[0,1]}' > ring.groups.json",
                     "et-generate all_reduce --algorithm direct --npus 6 --size 1MiB -t msccl -o new.xml"],
                new="et-convert --force -q new.xml -o ring", read="et-convert -t jsonl ring")


def main():
    with tempfile.TemporaryDirectory(prefix="etkit-faults-") as name:
        scratch = pathlib.Path(name)
        scratch.chmod(0o755)
        pytorch = pathlib.Path(TESTDATA) / "pytorch"
        link = "et-link --host 'link-host.%r.json' --device 'link-kineto.%r.json' -o set --report set.json"
        replay = "et-replay -n ring:8,bw=50GB/s,lat=500ns --size 1MiB x.xml --timeline t.json -o r.txt"
        cases = [
            ring(scratch, "smaller"),
            Case(scratch, "first", old=["et-generate all_reduce --algorithm direct --npus 10 --size 1MiB -t msccl -o x.xml"],
                 new="et-convert x.xml -o ring", read="et-convert -t jsonl ring"),
            Case(scratch, "report", old=[link + " --gaps drop"], new=link, read="et-convert -t jsonl set",
                 inputs=sorted(pytorch.glob("link-*"))),
            Case(scratch, "timeline",
                 old=["et-generate all_reduce --algorithm ring --npus 8 --size 1MiB -t msccl -o x.xml",
                      replay + " --slow 3=2"], new=replay, read="et-convert -t jsonl x.xml > /dev/null; " + replay),
        ]
        for case in cases:
            calls = case.fail_everywhere()
            case.break_down()
            case.kill_everywhere()
            print(f"{case.name}: {calls} calls, each failed, failed with the later ones, and was the last")
        append_only(scratch)
        read_only(scratch)
        edited(scratch)
        copied(scratch)


if __name__ == "__main__":
    main()
