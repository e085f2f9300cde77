#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every option in a tool's --help is in its manual page and completions, and vice versa.

    check_man.py TOOL MANUAL_PAGE BASH_COMPLETION ZSH_COMPLETION
    check_man.py MANUAL_PAGE
If groff or mandoc is installed, the page must also format without a warning.
"""
import os
import re
import shutil
import subprocess
import sys

LINTERS = (["groff", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-T", "lint", "-W", "warning"])


def options_in_help(tool):
    text = subprocess.run([tool, "--help", "all"], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in text.split("\nExamples:")[0].splitlines():
        match = re.match(r"  (?:(-\w), |    )?(--?[a-z][\w-]*)", line)
        if match:
            found |= {name for name in match.groups() if name}
    return found, text


def options_in_man(page):
    """Options with their own entry: lines .BR/.B/.IP/.TP that begin with one."""
    with open(page, encoding="utf-8") as f:
        text = re.sub(r"\\f[BIPR]", "", f.read().replace("\\-", "-"))
    section = re.search(r"^\.SH OPTIONS\n(.*?)(?=^\.SH )", text, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^\.TP\n(.*)$", section[1] if section else "", re.MULTILINE)
    return {name for entry in entries for name in re.findall(r"(?<![\w-])--?[a-z][\w-]*", entry)}


def options_in_completion(path):
    with open(path, encoding="utf-8") as f:
        return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", f.read()))


def remarks(page):
    """Warnings of the installed formatters about it."""
    for linter in LINTERS:
        if shutil.which(linter[0]):
            done = subprocess.run([*linter, page], capture_output=True, text=True, check=False)
            yield from (f"{linter[0]}: {line}" for line in (done.stdout + done.stderr).splitlines())


def main():
    if len(sys.argv) == 2:
        problems = list(remarks(sys.argv[1]))
        print("\n".join(problems) or "no remarks")
        return 1 if problems else 0
    tool, page, bash, zsh = sys.argv[1:]
    wanted, text = options_in_help(tool)
    problems = []
    if not wanted:
        problems.append("no options in --help")
    problems += [f"--help has a line of {len(line)} columns: {line}" for line in text.splitlines() if len(line) > 80]
    if not os.path.exists(page):
        problems.append(f"there is no manual page {page}")
    else:
        documented = options_in_man(page)
        problems += [f"{o} is not in OPTIONS of {page}" for o in sorted(wanted - documented)]
        problems += [f"{o} is in {page} but not in --help" for o in sorted(documented - wanted)]
        problems += remarks(page)
    for path in (bash, zsh):
        problems += [f"{o} is not in {path}" for o in sorted(wanted - options_in_completion(path))]
    print("\n".join(f"{os.path.basename(tool)}: {p}" for p in problems) or f"{len(wanted)} options")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
