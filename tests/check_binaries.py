#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the tools are small programs over one library: check_binaries.py BIN LIBRARY
Sizes are of stripped files, as in packages."""
import pathlib
import subprocess
import sys
import tempfile

MOST_BYTES_OF_TOOL = 500_000
MOST_BYTES = 30_000_000  # library and tools


def stripped_size(path, scratch):
    stripped = pathlib.Path(scratch, path.name)
    subprocess.run(["strip", "-o", stripped, path], check=True)
    return stripped.stat().st_size


def main():
    tools = sorted(p for p in pathlib.Path(sys.argv[1]).glob("et-*") if not p.is_symlink())
    library = pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        sizes = {p.name: stripped_size(p, scratch) for p in [*tools, library]}
    total = sum(sizes.values())
    problems = [f"{name}: {size} bytes; a tool has at most {MOST_BYTES_OF_TOOL}: move code into the library"
                for name, size in sizes.items() if name != library.name and size > MOST_BYTES_OF_TOOL]
    if total > MOST_BYTES:
        problems.append(f"library and tools: {total} bytes; at most {MOST_BYTES}")
    print("\n".join(problems) or f"{len(tools)} tools, the largest {max(sizes[p.name] for p in tools)} bytes; "
          f"library {sizes[library.name]} bytes; together {total} bytes")
    return 1 if problems or not tools else 0


if __name__ == "__main__":
    sys.exit(main())
