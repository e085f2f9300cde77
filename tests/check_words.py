#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the English of the project: phrases that a reader must read twice, each with its plain form.

Usage: check_words.py [--list [FILE...]] [--update] [ROOT]

Scans comments and strings of the code, the manual, README.md and the other pages. words_allowance.txt holds the number
of findings that a file may still have; a file without a line may have none. A file with fewer findings than its
allowance fails too, so that the allowance falls. --list prints every finding, --update rewrites the allowance.
"""
import argparse
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
ALLOWANCE = HERE / "words_allowance.txt"
CODE = (".h", ".cpp", ".def", ".in", ".ts")
PROSE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LONGEST = 25  # words of a sentence in the manual and README.md

REPEAT = "repeat the noun"
NO_SPEECH = "a program prints, reports, records, requires, accepts or rejects"
# Pattern (case is ignored), and the plain form.
PHRASES = [
    (r"those of", REPEAT), (r"that of", REPEAT), (r"of which", REPEAT), (r"of whom", REPEAT), (r"the same of", REPEAT),
    (r"of them", REPEAT), (r"such a one", REPEAT), (r"what is there", REPEAT), (r"of those", REPEAT),
    (r"so many", "N bytes, that number of"), (r"is none", "is not a, has no"), (r"in place of", "instead of"),
    (r"tells?", NO_SPEECH), (r"told", NO_SPEECH), (r"says?", NO_SPEECH), (r"said", NO_SPEECH), (r"hears?", NO_SPEECH),
    (r"knows?", NO_SPEECH), (r"(?<!I )wants?", "requires"), (r"wish(?:es)?", "options"), (r"asks", NO_SPEECH),
    (r"nobody", "unknown, not used"), (r"takes? apart", "splits"), (r"taken apart", "split"),
    (r"takes? over", "copies"), (r"left out", "omitted"), (r"leaves? out", "omits"), (r"circles?", "cycle"),
    (r"in which stands?", "contains"), (r"stands? (?:in|at|beside|there|here|above|below|behind)", "is in, contains"),
    (r"held against", "compared with, checked against"), (r"holds? against", "compare with"), (r"but for", "except"),
    (r"for ever", "forever"), (r"where not", "otherwise"), (r"where none", "otherwise"), (r"wires?", "link"),
    (r"where(?:of|by|in|upon)", REPEAT), (r"there(?:of|upon)", REPEAT), (r"is it none", "is not a"),
    (r"goes? with", "for"), (r"behind", "after"), (r"undone", "unpacked, reverted"), (r"without effect", "is ignored"),
    (r"has no effect that", "is ignored"), (r"by itself alone", "alone"), (r"is by", "is named by, depends on"),
]
FINDERS = [(re.compile(rf"\b{pattern}\b", re.IGNORECASE), pattern, advice) for pattern, advice in PHRASES]
# A sentence that begins without its subject. A question may.
BEGINNING = re.compile(r"(?:^|(?<=[.;!?:]\s))(Of|What|Those|Where|That|Into)\b(?=[^.?!]*(?:[.!]|$))")

Finding = collections.namedtuple("Finding", "line phrase advice")


def code_texts(text):
    """Yields (line, kind, text) of the comments and strings of C++ or TypeScript; lines of one comment are joined."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    comment, start, last = [], 0, -2
    for match in token.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found = match.group()
        if found.startswith("//"):
            if line != last + 1 and comment:
                yield start, "comment", "\n".join(comment)
                comment = []
            if not comment:
                start = line
            comment.append(found[2:].strip())
            last = line
            continue
        kind = "comment" if found.startswith("/*") else "string"
        yield line, kind, found.strip("/*") if kind == "comment" else found[found.index(found[-1]) :]
    if comment:
        yield start, "comment", "\n".join(comment)


def script_texts(text):
    """Yields the comments and the strings of three quotes of a script (#)."""
    for match in re.finditer(r'"""(.*?)"""', text, re.DOTALL):
        yield text.count("\n", 0, match.start()) + 1, "comment", match[1]
    comment, start = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        match = re.search(r"(?:^|\s)#\s(.*)", line)
        if match and "SPDX" not in line:
            start = start if comment else number
            comment.append(match[1])
        elif comment:
            yield start, "comment", "\n".join(comment)
            comment = []
    if comment:
        yield start, "comment", "\n".join(comment)


def prose_texts(path, text):
    """Yields the paragraphs of a page, without its examples and code."""
    roff = path.suffix != ".md"
    paragraph, start, example = [], 0, False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\.EX|```\w", line) or (not roff and line.startswith("```") and not example):
            example = True
        elif re.match(r"\.EE|```", line):
            example = False
            continue
        broken = example or not line.strip() or re.match(r'\.(?:SH|SS|TP|PP|IP|RS|RE|TS|TE|TH|so|\\"|EX)|[#|>]', line)
        if not roff and re.match(r"\s*(?:-|\d+\.) ", line) and paragraph:
            yield start, "prose", "\n".join(paragraph)
            paragraph = []
        if broken and paragraph:
            yield start, "prose", "\n".join(paragraph)
            paragraph = []
        if example or not line.strip():
            continue
        if broken:
            words = re.sub(r"^\.\w+\s*|^[#|>]+\s*", "", line)
            yield number, "heading", plain(words, roff)
            continue
        start = start if paragraph else number
        paragraph.append(plain(line, roff))
    if paragraph:
        yield start, "prose", "\n".join(paragraph)


def plain(line, roff):
    """Returns a line without its markup; code becomes one word."""
    if not roff:
        line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
        return re.sub(r"`[^`]*`", "CODE", line)
    line = re.sub(r"\\fB[^\\]*(?:\\[^f][^\\]*)*\\f[PR]", "CODE", line.replace("\\-", "-"))
    line = re.sub(r"^\.(?:[BI]R?|RB|RI|BI|IB)\s+", "", line)
    return re.sub(r"\\f[BIPR]|\\[&/,]", "", line)


def texts(path):
    text = path.read_text(errors="replace")
    if path.suffix in (".1", ".5", ".7", ".inc", ".md") or re.search(r"\.[157]\.in$", path.name):
        return prose_texts(path, text)
    if path.suffix in CODE:
        return code_texts(text)
    return script_texts(text)


def findings(path):
    """Yields the findings of a file."""
    pages = path.parent.name == "man" or path.name == "README.md" and path.parent.name != "libconvert"
    for start, kind, text in texts(path):
        for finder, _, advice in FINDERS:
            for match in finder.finditer(text.replace("\n", " ")):
                yield Finding(start + text.count("\n", 0, match.start()), match.group(), advice)
        if kind in ("comment", "prose"):
            for match in BEGINNING.finditer(text.replace("\n", " ")):
                sentence = text[match.start() :].replace("\n", " ")
                if re.match(r"[^.!]*\?", sentence):
                    continue
                yield Finding(start + text.count("\n", 0, match.start()), match.group() + " …", "begin with the noun")
        if kind == "prose" and pages:
            yield from long_sentences(start, text)


def long_sentences(start, text):
    at = 0
    for sentence in re.split(r"(?<=[.!?:;])(?=\s)", text):
        words = len(re.findall(r"[\w'’%./=-]*\w[\w'’%./=-]*", sentence))
        if words > LONGEST and not re.match(r"\s*(?:[\w-]+ ?\(\d\),?\s*)+", sentence):
            line = start + text.count("\n", 0, at + len(sentence) - len(sentence.lstrip()))
            yield Finding(line, " ".join(sentence.split()[:4]) + " …", f"{words} words; one fact a sentence")
        at += len(sentence)


def scanned(root):
    """Yields the files with English in them, in order."""
    for name in PROSE:
        if (root / name).exists():
            yield root / name
    yield root / "bootstrap"
    for folder in ("libconvert", "man", "proto", "tests", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in CODE + (".md", ".inc", ".py", ".cmake", ".proto") or path.name == "CMakeLists.txt":
                if "node_modules" not in path.parts and path != HERE / "check_words.py":
                    yield path


def read_allowance():
    if not ALLOWANCE.exists():
        return {}
    lines = (line.split() for line in ALLOWANCE.read_text().splitlines() if line and not line.startswith("#"))
    return {name: int(count) for count, name in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=HERE.parent, type=pathlib.Path)
    parser.add_argument("--list", nargs="*", metavar="FILE", help="print every finding (of these files or folders)")
    parser.add_argument("--update", action="store_true", help="rewrite the allowance")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    wanted = tuple(arguments.list or [""])
    names = {path.relative_to(root).as_posix(): path for path in scanned(root)}
    found = {name: list(findings(path)) for name, path in names.items() if name.startswith(wanted)}
    counts = {name: len(list_) for name, list_ in found.items() if list_}
    if arguments.update:
        lines = [f"{count} {name}\n" for name, count in sorted(counts.items())]
        ALLOWANCE.write_text("# Findings of check_words.py that a file may still have. Numbers only fall.\n" + "".join(lines))
    allowed = read_allowance()
    listed = arguments.list is not None
    failed = 0
    for name in sorted(found):
        over = len(found[name]) > allowed.get(name, 0)
        if over or listed:
            for finding in sorted(found[name]):
                print(f'{name}:{finding.line}: "{finding.phrase}": {finding.advice}')
        if over:
            failed += 1
            if not listed:
                print(f"{name}: {len(found[name])} findings, {allowed.get(name, 0)} allowed")
    for name, count in sorted(allowed.items()):
        if counts.get(name, 0) < count and not listed:
            failed += 1
            print(f"{name}: {counts.get(name, 0)} findings, fewer than the {count} allowed; run check_words.py --update")
    print(f"{len(found)} files, {sum(counts.values())} findings, {failed} files to mend")
    return 1 if failed and not arguments.update else 0


if __name__ == "__main__":
    sys.exit(main())
