#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Standard streams that are closed, or whose reader has exited: messages may be lost, results never.

    streams.py BIN TESTDATA
"""
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

BIN, TESTDATA = map(os.path.abspath, sys.argv[1:3])
ENVIRONMENT = {"PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}

# Commands with much output that write files at the same time.
WRITERS = [
    "et-convert -vv x.xml -o out",
    "et-convert -vv x.xml -o out.tar.gz",
    "et-generate -vv all_reduce --npus 8 -o out",
    "et-link -vv --host 'link-host.%r.json' --device 'link-kineto.%r.json' -o out --report out.json --unmatched warn",
    "et-split -vv --ranks 0-3 --cross drop x.xml -o out",
    "et-merge -vv x.xml x.xml -o out",
    "et-graph -vv -t dot x.xml -o out.dot",
    "et-replay -vv --progress always -n ring:8,bw=50GB/s,lat=500ns --size 1MiB x.xml -o out.txt --timeline out.json",
]


def check(condition, *what):
    if not condition:
        sys.exit("\n".join(str(w) for w in what))


def run(command, folder, **streams):
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run(["bash", "-c", "exec " + command], cwd=folder, env=ENVIRONMENT, timeout=120, check=False,
                          **options)


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def unread_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


class Place:
    def __init__(self, scratch):
        self.scratch, self.count = scratch, 0
        self.template = scratch / "template"
        self.template.mkdir()
        for source in pathlib.Path(TESTDATA, "pytorch").glob("link-*"):
            shutil.copy(source, self.template)
        made = run("et-generate all_reduce --algorithm ring --npus 8 -t msccl -o x.xml", self.template)
        check(made.returncode == 0, made.stderr)

    def fresh(self):
        self.count += 1
        folder = self.scratch / str(self.count)
        shutil.copytree(self.template, folder)
        return folder


def unread_messages(place):
    for command in WRITERS:
        whole = place.fresh()
        done = run(command, whole)
        check(done.returncode == 0 and len(contents(whole)) > len(contents(place.template)), command, done.stderr)
        check(done.stderr, command, "says nothing: no test")
        for variant in ("", " 2>&-"):
            folder, writer = place.fresh(), unread_pipe()
            again = run(command + variant, folder, stderr=writer)
            os.close(writer)
            check(again.returncode == 0, command + variant, "without a reader of its messages", again.returncode)
            check(contents(folder) == contents(whole), command + variant, "wrote something else")


def unread_results(place):
    for command in ("et-convert x.xml", "et-convert -t json x.xml", "et-convert -v -t json x.xml", "et-validate --list-rules",
                    "et-graph -t dot x.xml", "et-replay -n ring:8,bw=50GB/s,lat=500ns --size 1MiB x.xml",
                    "et-convert x.xml -o /dev/stdout", "et-convert --help"):
        folder, writer = place.fresh(), unread_pipe()
        done = run(command, folder, stdout=writer)
        os.close(writer)
        check(done.returncode == -signal.SIGPIPE, command, "without a reader", done.returncode, done.stderr)
        check(b"pipe" not in done.stderr.lower(), command, done.stderr)
        check(contents(folder) == contents(place.template), command, "left something behind")


def closed_streams(place):
    """An output file must not get the number of a standard stream, and with it the messages."""
    closings = [" 0<&-", " 1>&-", " 2>&-"]
    for command in WRITERS:
        whole = place.fresh()
        run(command, whole)
        for n in range(1, 4):
            for closing in itertools.combinations(closings, n):
                folder = place.fresh()
                done = run(command + "".join(closing), folder)
                check(done.returncode == 0 and contents(folder) == contents(whole), command, closing, done.returncode,
                      done.stderr)
    folder = place.fresh()
    done = run("et-convert x.xml >&-", folder)
    check(done.returncode == 2 and done.stderr == b"et-convert: <stdout>: error: Bad file descriptor\n", done.stderr)
    done = run("et-convert <&-", folder)
    check(done.returncode == 2 and done.stderr == b"et-convert: <stdin>: error: Bad file descriptor\n", done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="etkit-streams-") as name:
        place = Place(pathlib.Path(name))
        unread_messages(place)
        unread_results(place)
        closed_streams(place)


if __name__ == "__main__":
    main()
