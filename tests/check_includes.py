#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks includes: which module may use which, where third-party headers may be used, and that a source file includes
its own header first, so that each header with a source file is self-contained."""
import pathlib
import re
import sys

# module: modules it may include besides itself
MAY_INCLUDE = {
    "core": set(),
    "util": set(),
    "io": {"core"},
    "graph": {"core"},
    "collectives": {"core"},
    "passes": {"core", "graph", "util"},
    "feeder": {"core", "graph", "util"},
    "config": {"collectives", "core", "io", "util"},
    "machine": {"core", "config", "io", "util"},
    "calibrate": {"core", "config", "formats", "io", "machine", "page", "util"},
    "simulate": {"core", "config", "graph", "feeder", "machine", "util"},
    "analyze": {"core", "graph", "util"},
    "generate": {"core", "config", "util"},
    "synthesis": {"core", "config", "util"},
    "formats": {"core", "config", "graph", "io", "util"},
    "profile": {"config", "core", "graph", "passes", "util"},
    "page": {"analyze", "core", "graph", "io", "passes", "util"},
    "sets": {"core", "graph", "util", "io", "analyze", "collectives", "passes", "profile", "config", "formats",
             "machine", "synthesis"},
    "scenario": {"analyze", "core", "util", "io", "collectives", "config", "generate", "machine", "page", "passes",
                 "sets", "simulate", "synthesis"},
}

# pattern of an include: patterns of the files that may contain it, at least one each. Tests may include everything.
THIRD_PARTY = {
    r"pugixml\.hpp": [r"libconvert/config/xml_document\.h"],
    r"simdjson\.h": [r"libconvert/formats/json/.*", r"libconvert/formats/pytorch/.*", r"libconvert/config/.*",
                      r"libconvert/profile/json/.*"],
    r"yaml-cpp/.*": [r"libconvert/config/.*"],
    r"protozero/.*": [],
    r"zlib\.h": [r"libconvert/io/.*"],
    r"zstd\.h": [r"libconvert/io/.*"],
    r"openssl/.*": [r"libconvert/io/.*"],
    r"boost/.*": [r"libconvert/graph/.*\.cpp"],
    r"CLI/.*": [r"tools/common/app\.cpp"],
    r"mpi\.h": [r"tools/mpi/module\.cpp"],
    r"google/protobuf/.*": [],
    r"et_def\.pb\.h": [],
    r"gtest/.*": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def own_module(header, root):
    """The module a header belongs to, "tools", or None for headers from outside."""
    first = header.split("/")[0]
    if "/" in header and (root / "libconvert" / header).exists():
        return first
    return "tools" if "/" in header and (root / "tools" / header).exists() else None


def problem(path, header, root, used):
    """Returns what is wrong with an include, or None; adds the permissions that it uses to `used`."""
    place = path.relative_to(root).as_posix()
    target = own_module(header, root)
    if target is None:
        for pattern, allowed in THIRD_PARTY.items():
            if not re.fullmatch(pattern, header):
                continue
            places = [a for a in allowed if re.fullmatch(a, place)]
            if not places:
                return f"<{header}> belongs only into {', '.join(allowed) or 'tests'}"
            used.update((a, pattern) for a in places)
        return None
    parts = place.split("/")
    if parts[0] != "libconvert":
        return None  # tools may include everything
    module = parts[1]
    if module not in MAY_INCLUDE:
        return f"module {module} is not in the table of {pathlib.Path(__file__).name}"
    if target != module and target not in MAY_INCLUDE[module]:
        return f"{module} may not include {target}"
    used.add((module, target))
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    checked, failures, used = 0, 0, set()
    for folder in ("libconvert", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".def"):
                continue
            text = path.read_text(encoding="utf-8")
            own = path.with_suffix(".h").relative_to(root / folder).as_posix()
            first = INCLUDE.search(text)
            if path.suffix == ".cpp" and (root / folder / own).exists() and (not first or first[1] != own):
                failures += 1
                print(f"{path.relative_to(root)}: includes another header before {own}, or not that one")
            for match in INCLUDE.finditer(text):
                checked += 1
                finding = problem(path, match[1], root, used)
                if finding:
                    failures += 1
                    print(f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start(1)) + 1}: {finding}")
    for place, target in [(a, t) for t, allowed in THIRD_PARTY.items() for a in allowed] + [
            (m, t) for m, targets in MAY_INCLUDE.items() for t in targets]:
        if (place, target) not in used:
            failures += 1
            print(f"no file of {place} includes {target}: take the permission out of {pathlib.Path(__file__).name}")
    print(f"{checked} includes, {failures} findings")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
