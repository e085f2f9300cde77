#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the options of all tools: one name, one letter, one meaning, one help text except for
its default.

    check_options.py DIRECTORY_OF_TOOLS

Checks that the help of daily use fits a screen, that `--help all` has every option of it, that etkit lists the tools, and
that messages name options that exist.
"""
import collections
import pathlib
import re
import subprocess
import sys

LINES, COLUMNS = 50, 80  # of a screen
ASTRA_GROUP = "As ASTRA-sim"  # ASTRA-sim's own names
OTHERS = {"--no", "--sparse", "--hard-dereference"}  # in messages: a prefix of options, and options of tar
ROOT = pathlib.Path(__file__).parent.parent


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def options(text):
    """Yields (group, short or '', long, help) of a help text."""
    group, found = "", []
    for line in text.split("\nExamples:")[0].splitlines():
        heading = re.match(r"(\S.*):$", line)
        option = re.match(r"  (?:(-\w), |    )(--[\w-]+)(?: \S+)?(?:  +(\S.*))?$", line)
        if heading:
            group = heading[1]
        elif option:
            found.append([group, option[1] or "", option[2], option[3] or ""])
        elif found and line.startswith(" " * 26):
            found[-1][3] = (found[-1][3] + " " + line.strip()).strip()
    return found


def check_help(tool, short, all_):
    lines = short.splitlines()
    if len(lines) > LINES:
        yield f"{tool}: --help has {len(lines)} lines; a screen has {LINES}"
    for line in lines + all_.splitlines():
        if len(line) > COLUMNS:
            yield f"{tool}: a line of the help has {len(line)} columns: {line}"
    missing = {o[2] for o in options(short)} - {o[2] for o in options(all_)}
    if missing:
        yield f"{tool}: --help all lacks {', '.join(sorted(missing))}"


def check_meanings(by_tool):
    texts, letters = collections.defaultdict(dict), collections.defaultdict(set)
    for tool, found in by_tool.items():
        for group, short, long, text in found:
            if group == ASTRA_GROUP:
                continue
            texts[long].setdefault((short, re.sub(r" \(default: [^()]*\)$", "", text)), []).append(tool)
            if short:
                letters[short].add(long)
    for long, uses in sorted(texts.items()):
        if len(uses) > 1:
            yield f"{long} has several meanings:"
            yield from (f"    {short or '  '} {text}  ({', '.join(tools)})" for (short, text), tools in uses.items())
    for short, longs in sorted(letters.items()):
        if len(longs) > 1:
            yield f"{short} is several options: {', '.join(sorted(longs))}"


def check_messages(known):
    """Yields options in strings of the code that no tool has."""
    for folder in ("libconvert", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".def", ".ts"):
                continue
            code = re.sub(r"//[^\n]*", "", path.read_text())
            for text in re.findall(r'"((?:\\.|[^"\\\n])*)"', code):
                for option in re.findall(r"(?<![\w-])--[a-z][\w-]*[a-z]", text):
                    if option not in known:
                        yield f"{path.relative_to(ROOT)}: {option} is not an option of any tool: {text}"


def main():
    folder = pathlib.Path(sys.argv[1])
    tools = sorted(path.name for path in folder.glob("et-*"))
    problems, by_tool = [], {}
    listed = output_of(folder / "etkit")
    for tool in tools:
        short, all_ = output_of(folder / tool, "--help"), output_of(folder / tool, "--help", "all")
        problems += check_help(tool, short, all_)
        by_tool[tool] = options(all_)
        entry = "  " + tool.removeprefix("et-").ljust(12) + all_.splitlines()[0].split(" - ", 1)[1]
        if entry not in listed.splitlines():
            problems.append(f"etkit does not list {tool} as in its help")
    problems += check_meanings(by_tool)
    problems += check_messages({o[2] for found in by_tool.values() for o in found} | OTHERS)
    print("\n".join(problems) or f"{len(tools)} tools, {len({o[2] for f in by_tool.values() for o in f})} options")
    return 1 if problems or not tools else 0


if __name__ == "__main__":
    sys.exit(main())
