#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the machine presets as C++: embed.py OUT FILE.yml... Each FILE.yml has its table FILE.csv beside it."""
import pathlib
import sys


def literal(path):
    text = path.read_text(encoding="utf-8")
    assert ')~"' not in text and max(map(len, text.split("\n"))) < 60_000, path
    # Compilers limit the length of one literal; adjacent literals are one text.
    lines = text.splitlines(keepends=True)
    blocks = ["".join(lines[i:i + 200]) for i in range(0, len(lines), 200)]
    return " ".join(f'R"~({block})~"' for block in blocks)


out = pathlib.Path(sys.argv[1])
rows = "".join(f'    {{"{path.stem}", {literal(path)}, {literal(path.with_suffix(".csv"))}}},\n'
               for path in sorted(map(pathlib.Path, sys.argv[2:])))
out.write_text(f'''// Made by {pathlib.Path(__file__).name}.
#include "machine/presets.h"

namespace convert {{
std::span<const MachinePreset> machine_presets() {{
  static constexpr MachinePreset presets[] = {{
{rows}  }};
  return presets;
}}
}}  // namespace convert
''', encoding="utf-8")
