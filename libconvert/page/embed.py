#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the C++ source that holds the pages' programs and style: embed.py OUT.cpp STYLE.css KIND=SCRIPT.js…
Without a style and scripts, writes the source of a library without pages."""
import base64
import hashlib
import pathlib
import sys


def literal(data):
    """Returns C++ string literals with the bytes, a hundred in each line."""
    safe = {ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}
    lines = []
    for begin in range(0, len(data), 100):
        lines.append('"' + "".join(
            safe.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in data[begin:begin + 100]) + '"')
    return "\n    ".join(lines) or '""'


def view(data):
    return f"std::string_view({literal(data)}, {len(data)})"


def main():
    out, style, scripts = sys.argv[1], b"", {}
    if len(sys.argv) > 2:
        style = pathlib.Path(sys.argv[2]).read_bytes().strip()
        scripts = {kind: pathlib.Path(path).read_bytes().strip() for kind, path in (a.split("=", 1) for a in sys.argv[3:])}
    for name, data in [("style", style), *scripts.items()]:
        if b"</script" in data.lower() or b"</style" in data.lower():
            sys.exit(f"embed.py: {name} contains its own end tag")
        if b"<!--" in data:
            sys.exit(f"embed.py: {name} contains <!--, which changes how the element is parsed")
    cases = "".join(
        f"    case PageKind::{kind}:\n      return {{{view(data)},\n"
        f'              "sha256-{base64.b64encode(hashlib.sha256(data).digest()).decode()}"}};\n'
        for kind, data in scripts.items())
    switch = f"  switch (kind) {{\n{cases}    default: break;\n  }}\n" if cases else "  static_cast<void>(kind);\n"
    pathlib.Path(out).write_text(
        '// Made by embed.py.\n#include "page/assets.h"\n\nnamespace convert {\n\n'
        f"PageProgram page_program(PageKind kind) {{\n{switch}  return {{}};\n}}\n\n"
        f"std::string_view page_style() {{\n  return {view(style)};\n}}\n\n}}  // namespace convert\n", encoding="ascii")


if __name__ == "__main__":
    main()
