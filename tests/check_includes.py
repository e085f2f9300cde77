#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the direction of includes: which module may use which, and where third-party headers may stand."""
import pathlib
import re
import sys

# module: modules it may include besides itself
MAY_INCLUDE = {
    "core": set(),
    "util": set(),
    "io": {"core", "util"},
    "graph": {"core"},
    "collectives": {"core"},
    "passes": {"core", "graph", "collectives", "util"},
    "feeder": {"core", "graph", "util"},
    "config": {"core", "io", "util"},
    "simulate": {"core", "config", "graph", "feeder", "collectives", "util"},
    "generate": {"core", "collectives"},
    "formats": {"core", "config", "graph", "io", "util"},
    "sets": {"core", "util", "io", "graph", "collectives", "passes", "feeder", "config", "generate", "formats"},
    "scenario": {"core", "util", "io", "collectives", "config", "passes", "sets", "simulate"},
}

# pattern of an include: pattern of the files that may have it. Tests may include everything.
THIRD_PARTY = {
    r"pugixml\.hpp": r"libconvert/formats/msccl/.*",
    r"simdjson.*": r"libconvert/(formats|config)/.*",
    r"yaml-cpp/.*": r"libconvert/config/.*",
    r"protozero/.*": r"libconvert/formats/chakra/.*",
    r"(zlib|zstd)\.h|openssl/.*": r"libconvert/io/.*",
    r"boost/.*": r"libconvert/graph/.*\.cpp",
    r"CLI/.*": r"tools/(common|replay|link)/.*\.cpp",
    r"mpi\.h": r"tools/mpi/(session|team|link_team)\.cpp",
    r"google/protobuf/.*|et_def\.pb\.h|gtest/.*": r"tests/.*",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def own_module(header, root):
    """The module a header belongs to, "tools", or None for headers from outside."""
    first = header.split("/")[0]
    if "/" in header and (root / "libconvert" / header).exists():
        return first
    return "tools" if "/" in header and (root / "tools" / header).exists() else None


def problem(path, header, root):
    place = path.relative_to(root).as_posix()
    target = own_module(header, root)
    if target is None:
        for pattern, allowed in THIRD_PARTY.items():
            if re.fullmatch(pattern, header) and not re.fullmatch(allowed, place):
                return f"<{header}> belongs only into {allowed}"
        return None
    parts = place.split("/")
    if parts[0] != "libconvert":
        return None  # tools may include everything
    module = parts[1]
    if module not in MAY_INCLUDE:
        return f"module {module} is not in the table of {pathlib.Path(__file__).name}"
    if target != module and target not in MAY_INCLUDE[module]:
        return f"{module} may not include {target}"
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    checked, failures = 0, 0
    for folder in ("libconvert", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".def"):
                continue
            text = path.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                checked += 1
                finding = problem(path, match[1], root)
                if finding:
                    failures += 1
                    print(f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start(1)) + 1}: {finding}")
    print(f"{checked} includes, {failures} in the wrong direction")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
