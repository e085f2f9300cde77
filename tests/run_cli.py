#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs command-line tests: text files with commands and their expected output.

        Description of the test; any line without one of the marks is a comment.
    $ et-validate $TESTDATA/chakra/bad-dangling.0.et
    > a line of standard output
    ! a line of standard error
    ? 1

`$` is a command for bash (a line that ends in \\ continues in the next one). Without `>` and `!` lines nothing may be
printed; without `?` the exit status must be 0. Commands of one file run one after the other in the same fresh
directory, with the built tools first in PATH. $TESTDATA is the absolute path of testdata/; if output contains this
path, $TESTDATA is expected. Output that does not end in a newline is expected as a last line `%no newline`.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

NO_NEWLINE = "%no newline"
TIMEOUT_S = 300


def parse(text):
    """[(comment lines, command lines, expectation lines)]; the last block may be comments only."""
    blocks = []
    comments, command, expected, continued = [], [], [], False
    for line in text.splitlines():
        if continued or line.startswith("$"):
            if not continued and command:
                blocks.append((comments, command, expected))
                comments, command, expected = [], [], []
            command.append(line)
            continued = line.endswith("\\")
        elif line[:1] in (">", "!", "?") and command:
            expected.append(line)
        else:
            if command:
                blocks.append((comments, command, expected))
                comments, command, expected = [], [], []
            comments.append(line)
    blocks.append((comments, command, expected))
    return blocks


def marked(mark, data, testdata):
    text = data.decode("utf-8", errors="backslashreplace").replace(testdata, "$TESTDATA")
    lines = text.split("\n")
    if lines.pop():
        lines = text.split("\n") + [NO_NEWLINE]
    return [f"{mark} {line}".rstrip() if not line else f"{mark} {line}" for line in lines]


def run_command(command, options, scratch, jobs):
    keep = ("HOME", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")
    environment = {k: v for k, v in os.environ.items() if k in keep}
    environment |= {"PATH": f"{options.bin}:{os.environ['PATH']}", "TESTDATA": options.testdata, "LC_ALL": "C.UTF-8",
                    "TMPDIR": scratch, "TERM": "dumb"}
    if jobs:
        environment["ET_JOBS"] = jobs
    try:
        done = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return [f"? no end after {TIMEOUT_S} s"]
    result = marked(">", done.stdout, options.testdata) + marked("!", done.stderr, options.testdata)
    return result + ([f"? {done.returncode}"] if done.returncode else [])


def normalized(expected):
    order = {">": 0, "!": 1, "?": 2}
    return sorted((line for line in expected if line.split() != ["?", "0"]), key=lambda line: order[line[0]])


def run_file(path, options, jobs):
    """Number of commands with unexpected results; with --update always 0, but the file changes."""
    failures, lines = 0, []
    original = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="etkit-cli-") as scratch:
        blocks = parse(original)
        if not any(command for _, command, _ in blocks):
            print(f"FAIL {path}: no command")
            return 1
        for comments, command, expected in blocks:
            lines += comments + command
            if not command:
                continue
            actual = run_command("\n".join(command)[1:].strip(), options, scratch, jobs)
            lines += actual
            wanted = normalized(expected)
            if actual != wanted and not options.update:
                failures += 1
                variant = f" (ET_JOBS={jobs})" if jobs else ""
                print(f"FAIL {path}{variant}\n{chr(10).join(command)}")
                diff = difflib.unified_diff(wanted, actual, "expected", "actual", lineterm="", n=2)
                print("\n".join("    " + line for line in diff))
    new = "\n".join(lines) + "\n"
    if options.update and new != original:
        path.write_text(new, encoding="utf-8")
        print(f"updated {path}")
    return failures


def generate_help(options):
    for tool in sorted(pathlib.Path(options.bin).glob("et-*")):
        path = pathlib.Path(options.generate_help) / f"{tool.name}.test"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"The help of {tool.name}.\n$ {tool.name} --help\n", encoding="utf-8")
            options.paths.append(str(path))
    options.update = True


def cases(path, text):
    """(line, title) of each case whose title or path contains `text`; a file without a title is one case."""
    found, number = [(1, "")], 1
    for comments, command, expected in parse(path.read_text(encoding="utf-8")):
        if any(comments):
            found.append((number, " ".join(filter(None, comments))))
        number += len(comments) + len(command) + len(expected)
    for line, title in found[1:] or found:
        if text.lower() in f"{path} {title}".lower():
            yield line, title


def list_cases(files, text):
    listed = [f"{path}:{line}: {title}" for path in files for line, title in cases(path, text)]
    print("\n".join(listed))
    return 0 if listed else 1


def newest_build():
    """The folder of tools of the last built preset."""
    built = sorted(pathlib.Path(__file__).parent.parent.glob("build/*/bin/et-convert"), key=lambda p: p.stat().st_mtime)
    return str(built[-1].parent) if built else "build/dev/bin"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=newest_build(), help="directory of the built tools (%(default)s)")
    parser.add_argument("--testdata", default=str(pathlib.Path(__file__).parent.parent / "testdata"))
    parser.add_argument("--update", action="store_true", help="write what happens into the files as expectation")
    parser.add_argument("-k", metavar="TEXT", default="",
                        help="only files whose path, or the title of a case, contains TEXT (in any case)")
    parser.add_argument("--list", action="store_true", help="print place and title of each case that -k selects")
    parser.add_argument("--jobs", nargs="+", metavar="N", help="run each test once with each ET_JOBS=N")
    parser.add_argument("--generate-help", metavar="DIR", help="write a --help test for each tool that has none")
    parser.add_argument("paths", nargs="*", help=".test files, or directories of them (all)")
    options = parser.parse_args()
    options.bin, options.testdata = os.path.abspath(options.bin), os.path.abspath(options.testdata)
    options.paths = options.paths or [pathlib.Path(__file__).parent / "cli"]
    if options.generate_help:
        generate_help(options)
    files = []
    for path in map(pathlib.Path, options.paths):
        files += sorted(path.rglob("*.test")) if path.is_dir() else [path]
    if options.list:
        return list_cases(files, options.k)
    files = [f for f in files if any(cases(f, options.k))]
    variants = options.jobs if options.jobs and not options.update else [None]
    failures = sum(run_file(f, options, jobs) for f in files for jobs in variants)
    print(f"{len(files)} files, {failures} failures")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
