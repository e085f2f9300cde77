#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes OUT/bash/TOOL and OUT/zsh/_TOOL from what `TOOL --help` and `TOOL --list-formats` say."""
import os
import re
import subprocess
import sys

FILES = ("FILE", "PATH", "INPUT", "PREFIX", "DIR")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def parse_help(text):
    """[(short or '', long or '', value, description)] in the order of the help."""
    options = []
    for line in text.split("\nExamples:")[0].splitlines():
        m = re.match(r"  (?:(-\w), |    )?(-[\w-]+)(?: (\S+))?(?:  +(\S.*))?$", line)
        if m and (m[1] or m[2].startswith("-")):
            options.append([m[1] or "", m[2], m[3] or "", m[4] or ""])
        elif options and line.startswith(" " * 26):
            options[-1][3] = (options[-1][3] + " " + line.strip()).strip()
        elif not line.startswith("      "):
            options.append(["", "", "", ""])  # a heading or an operand: ends the description before it
    return [tuple(o) for o in options if o[1]]


def words(value, formats, direction):
    """The values to offer, or None for file names."""
    if value.startswith("FORMAT"):
        return formats[direction]
    parts = value.split("|")
    if any(p in FILES for p in parts):
        return None
    return parts if len(parts) > 1 else []


def bash(tool, options, formats):
    cases = []
    for short, long, value, _ in options:
        if not value:
            continue
        offered = words(value, formats, "write" if long == "--to" else "read")
        pattern = f"{short}|{long}" if short else long
        action = "_et_files" if offered is None else f'COMPREPLY=($(compgen -W "{" ".join(offered)}" -- "$cur"))'
        cases.append(f"    {pattern}) {action}; return ;;")
    name = tool.replace("-", "_")
    everything = " ".join(w for o in options for w in o[:2] if w)
    return f"""# Completion of {tool} for bash, made from its --help.
_{name}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  _et_files() {{
    # files, and the prefix of each trace set: ring for ring.0.et
    COMPREPLY=($(compgen -f -- "$cur"; compgen -f -X '!*.0.et' -- "$cur" | sed 's/\\.0\\.et$//'))
    compopt -o filenames 2>/dev/null
  }}
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case $prev in
{chr(10).join(cases)}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "{everything}" -- "$cur"))
  else
    _et_files
  fi
}}
complete -F _{name} {tool}
"""


def zsh(tool, options, formats):
    def escape(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")

    lines = []
    for short, long, value, description in options:
        argument = ""
        if value:
            offered = words(value, formats, "write" if long == "--to" else "read")
            action = "_et_files" if offered is None else f"({' '.join(offered)})" if offered else " "
            argument = f":{escape(value)}:{action}"
        text = f"[{escape(description)}]{argument}"
        several = "*" if value.endswith(",...") or long == "--verbose" else ""
        for name in (n for n in (short, long) if n):
            glue = "=" if value and name.startswith("--") else ""
            lines.append(f"    '{several}{name}{glue}{text}'")
    name = tool.replace("-", "_")
    arguments = " \\\n".join(lines)
    return f"""#compdef {tool}
# Completion of {tool} for zsh, made from its --help.
_et_files() {{
  # files, and the prefix of each trace set: ring for ring.0.et
  local -a sets
  sets=(${{PREFIX}}*.0.et(N:r:r))
  (( $#sets )) && compadd -f -- $sets
  _files
}}
_{name}() {{
  _arguments -s -S \\
{arguments} \\
    '*:INPUT:_et_files'
}}
_{name} "$@"
"""


def main():
    program, out = sys.argv[1:]
    tool = os.path.basename(program)
    options = parse_help(output_of(program, "--help"))
    formats = {"read": [], "write": []}
    for line in output_of(program, "--list-formats").splitlines():
        name, *able = line.split()[:3]
        for direction in formats:
            if direction in able:
                formats[direction].append(name)
    for folder, name, text in (("bash", tool, bash(tool, options, formats)),
                               ("zsh", "_" + tool, zsh(tool, options, formats))):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
        with open(os.path.join(out, folder, name), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
