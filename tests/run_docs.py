#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands in README.md and the manual pages, as in the top folder of a clone.

In README.md these are fenced blocks with lines that begin with `$ `; a command is followed by its output (a line
that begins with `> ` continues the command). In a manual page these are .EX blocks that begin with `$ `, read in
the same way, or with a tool or a loop of the shell: such a block must end with status 0 and print no error. A block
below `.\\" not run: REASON` is not run. The blocks of one page run one after the other; /tmp/ in the blocks is a
separate folder.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 120
MARKDOWN = re.compile(r"^```\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
MAN = re.compile(r"^(?P<skip>\.\\\" not run: [^\n]*\n(?:\.RS\n)?)?\.EX\n(?P<body>.*?)^\.EE$", re.DOTALL | re.MULTILINE)
RUN = re.compile(r"\$ |et-\w+ |for |diff |mpirun ")


# Markup that groff reads, and the character that a terminal shows.
GLYPHS = {"\\(->": "→", "\\(mc": "µ", "\\(+-": "±", "\\(mi": "−", "\\[u2026]": "…"}


def plain(man):
    text = man.replace("\\&", "").replace("\\-", "-").replace("\\(aq", "'")
    for glyph, shown in GLYPHS.items():
        text = text.replace(glyph, shown)
    return text.replace("\\e", "\\")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    for glyph, shown in GLYPHS.items():
        text = text.replace(shown, glyph)
    return re.sub(r"^([.])", r"\\&\1", text, flags=re.MULTILINE)


def run(command, options, scratch):
    environment = os.environ | {"PATH": f"{options.bin}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", command.replace("/tmp/", f"{scratch}/tmp/")], cwd=scratch, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
    text = (done.stdout + done.stderr).decode("utf-8", errors="backslashreplace")
    return text.replace(f"{scratch}/tmp/", "/tmp/"), done


def run_console(body, options, scratch):
    """The block as it would be shown with current output."""
    commands = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append([line])
        elif commands and (line.startswith("> ") or commands[-1][-1].endswith("\\")):
            commands[-1].append(line)
    shown = ""
    for lines in commands:
        command = "\n".join(line.removeprefix("$ ").removeprefix("> ") for line in lines)
        shown += "\n".join(lines) + "\n" + run(command, options, scratch)[0]
    return shown


def run_script(body, options, scratch):
    text, done = run("set -o pipefail; " + body, options, scratch)
    return "" if done.returncode == 0 and b"error" not in done.stderr else f"status {done.returncode}\n{text}"


def check(path, options):
    """Number of blocks that ran, and number of blocks with other results than shown."""
    text = path.read_text(encoding="utf-8")
    man = path.suffix == ".in"
    ran, failures, new, at = 0, 0, "", 0
    with tempfile.TemporaryDirectory(prefix="etkit-docs-") as scratch:
        os.mkdir(f"{scratch}/tmp")
        os.symlink(options.testdata, f"{scratch}/testdata")
        for block in (MAN if man else MARKDOWN).finditer(text):
            body = plain(block["body"]) if man else block["body"]
            console = re.search(r"^\$ ", body, re.MULTILINE) is not None
            if (man and block["skip"]) or not (console or (man and RUN.match(body))):
                continue
            ran += 1
            where = f"{path}:{text.count(chr(10), 0, block.start('body')) + 1}"
            if not console:
                wrong = run_script(body, options, scratch)
                if wrong:
                    failures += 1
                    print(f"FAIL {where}\n{body}{wrong}")
                continue
            shown = run_console(body, options, scratch)
            new += text[at:block.start("body")] + (roff(shown) if man else shown)
            at = block.end("body")
            if shown != body and not options.update:
                failures += 1
                print(f"FAIL {where}\n--- says\n{body}--- does\n{shown}")
    new += text[at:]
    if options.update and new != text:
        path.write_text(new, encoding="utf-8")
        print(f"updated {path}")
    return ran, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="directory of the built tools")
    parser.add_argument("--testdata", default=str(pathlib.Path(__file__).parent.parent / "testdata"))
    parser.add_argument("--update", action="store_true", help="write what is printed into the pages")
    parser.add_argument("pages", nargs="+", help="README.md and man/*.in")
    options = parser.parse_args()
    options.bin, options.testdata = os.path.abspath(options.bin), os.path.abspath(options.testdata)
    results = [check(pathlib.Path(page), options) for page in options.pages]
    ran, failures = (sum(r[i] for r in results) for i in (0, 1))
    print(f"{ran} blocks, {failures} failures")
    return 1 if failures or not all(r[0] for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
