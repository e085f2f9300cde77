#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each type of a namespace is defined in one file. Two types of one name in different files violate the
one-definition rule, which no compiler reports and which lets one file run the other's constructor."""
import collections
import pathlib
import re
import sys

FOLDERS = ("libconvert", "tools")
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
END = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:template <[^;{]*> )?(?:struct|class|enum class|union) (?:alignas\(\d+\) )?(\w+)(?![\w:]| *<)[^;]*$")


def definitions(text):
    """Yields the full names of the types that a file defines directly in a named namespace."""
    within = []
    for line in text.splitlines():
        if match := NAMESPACE.match(line):
            within.append(match[1])
        elif END.match(line) and within:
            within.pop()
        elif (match := TYPE.match(line)) and within and None not in within:
            yield "::".join(within) + "::" + match[1]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    files = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for name in sorted(set(definitions(path.read_text()))):
                    files[name].append(path.relative_to(root).as_posix())
    twice = {name: places for name, places in files.items() if len(places) > 1}
    for name, places in sorted(twice.items()):
        print(f"{name} is defined in {' and '.join(places)}")
    print(f"{len(files)} types, {len(twice)} findings")
    return 1 if twice or not files else 0


if __name__ == "__main__":
    sys.exit(main())
