# SPDX-License-Identifier: MIT
"""Checks the programs of the pages: no list of data is passed as the arguments of a call. About 125,000 arguments
overflow the stack. A loop, or largest() and smallest() of lib/extremes.ts, accepts lists of any length."""
import pathlib
import re
import sys

STRINGS = re.compile(r"//[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"")
CLOSES = {")": "(", "]": "[", "}": "{"}


def blank(text):
    """The text with comments and single-line strings replaced by blanks."""
    return STRINGS.sub(lambda m: " " * len(m[0]), text)


def enclosing(text, at):
    """The position of the innermost open bracket; -1 without one."""
    open_ = []
    for i in range(at - 1, -1, -1):
        if text[i] in CLOSES:
            open_.append(CLOSES[text[i]])
        elif text[i] in "([{":
            if not open_:
                return i
            open_.pop()
    return -1


def findings(text):
    """Yields (line, what) for a program's text."""
    text = blank(text)
    for m in re.finditer(r"\.\.\.", text):
        at = enclosing(text, m.start())
        call = at >= 0 and text[at] == "(" and re.search(r"[\w\])>]\s*$", text[:at])
        parameter = re.match(r"\.\.\.\w+\s*:", text[m.start():])
        if call and not parameter:
            yield text.count("\n", 0, m.start()) + 1, "a list becomes the arguments of a call; use a loop or lib/extremes.ts"
    for m in re.finditer(r"\.(apply\s*\(|fromCharCode\s*\()", text):
        yield text.count("\n", 0, m.start()) + 1, f".{m[1][:-1]} takes its data as arguments; use a loop"


def main():
    for bad in ("Math.max(...rates)", "list.push(1, ...more.map(f))", "h('div', {}, ...children)", "f.apply(null, x)"):
        assert list(findings(bad)), bad
    for good in ("[...list]", "f({...a, b})", "function f(a: A, ...rest: B[]): C {}", "g([...x])", "// Math.max(...rates)"):
        assert not list(findings(good)), good
    folder = pathlib.Path(sys.argv[1], "libconvert/page/web/src")
    wrong = [f"{path.relative_to(sys.argv[1])}:{line}: {what}" for path in sorted(folder.rglob("*.ts"))
             for line, what in findings(path.read_text(encoding="utf-8"))]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
