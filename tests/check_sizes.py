#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks how long functions, files and tools are, and how full folders. With --list N: prints functions above N lines."""
import argparse
import pathlib
import re
import sys

MOST_LINES_OF_FUNCTION = 60  # from the first line of the signature to the closing brace
MOST_LINES_OF_FILE = 500
MOST_FILES_OF_FOLDER = 25
MOST_LINES_OF_TOOL = 120
FOLDERS = ("libconvert", "tools")

# Comments, literals and preprocessor lines: text that may contain braces outside of code.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"\b(?:class|struct|union|enum)\b[^()]*$")


def kind_of(head, within):
    """Returns the kind of block that a brace opens after `head` in a block `within`: namespace, type, function or other."""
    if within not in ("namespace", "type"):
        return "other"
    if re.search(r"\bnamespace\b", head) or re.search(r'\bextern\s*$', head):
        return "namespace"
    head = re.sub(r"\btemplate\s*<.*?>\s*(?=[A-Za-z\[])", "", head, flags=re.DOTALL)
    if TYPE.search(head):
        return "type"
    if "(" not in head or re.search(r"(?<![=!<>])=(?!=)", head.split("(")[0].replace("operator=", "")):
        return "other"
    return "function"


def functions(text):
    """Yields (first line, lines, name) of each function that is defined in a namespace or a type."""
    text = NO_CODE.sub(lambda m: "\n" * m[0].count("\n"), text)
    stack = []  # kind, first line, name
    begin = 0
    for match in re.finditer(r"[{};]", text):
        head, at = text[begin:match.start()], match.start()
        if match[0] == "{":
            kind = kind_of(head, stack[-1][0] if stack else "namespace")
            first = begin + len(head) - len(head.lstrip())
            name = re.search(r"([\w:~]+|operator\W+)\s*\(", head)
            stack.append((kind, text.count("\n", 0, first) + 1, name[1].strip() if name else ""))
        elif match[0] == "}" and stack:
            kind, line, name = stack.pop()
            if kind == "function":
                yield line, text.count("\n", 0, at) + 2 - line, name
        begin = match.end()


def sources(root):
    for folder in FOLDERS:
        yield from sorted(p for p in (root / folder).rglob("*") if p.suffix in (".h", ".cpp", ".def"))


def findings(root):
    for path in sources(root):
        place, text = path.relative_to(root), path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > MOST_LINES_OF_FILE:
            yield f"{place}: {lines} lines, more than {MOST_LINES_OF_FILE}: split it by subject"
        if place.match("tools/et-*.cpp") and lines > MOST_LINES_OF_TOOL:
            yield f"{place}: {lines} lines, more than {MOST_LINES_OF_TOOL}: a tool reads as its data flow"
        for line, length, name in functions(text):
            if length > MOST_LINES_OF_FUNCTION:
                yield f"{place}:{line}: {name} has {length} lines, more than {MOST_LINES_OF_FUNCTION}"
    for top in FOLDERS:
        for folder in [root / top, *sorted(p for p in (root / top).rglob("*") if p.is_dir())]:
            files = sum(p.is_file() for p in folder.iterdir())
            if files > MOST_FILES_OF_FOLDER:
                yield f"{folder.relative_to(root)}: {files} files, more than {MOST_FILES_OF_FOLDER}: make rooms in it"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parent.parent, type=pathlib.Path)
    parser.add_argument("--list", type=int, metavar="N", help="only print the functions above N lines, longest first")
    args = parser.parse_args()
    root = args.root.resolve()
    if args.list is not None:
        found = [(length, f"{path.relative_to(root)}:{line}: {name}")
                 for path in sources(root) for line, length, name in functions(path.read_text(encoding="utf-8"))]
        for length, where in sorted(found, reverse=True):
            if length > args.list:
                print(f"{length:5} {where}")
        return 0
    checked, problems = sum(1 for _ in sources(root)), list(findings(root))
    print("\n".join([*problems, f"{checked} files, {len(problems)} findings"]))
    return 1 if problems or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
