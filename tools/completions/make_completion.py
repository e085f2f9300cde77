#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes OUT/bash/TOOL and OUT/zsh/_TOOL from `TOOL --help all` and the lists of the tool."""
import os
import re
import subprocess
import sys

FILES = ("FILE", "PATH", "INPUT", "PREFIX", "DIR", "NETWORK", "RUN", "ALGORITHM")


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


def names(program, options):
    """Returns the words of the tool's lists, by option or operand."""
    result = {}
    if "--list-formats" not in options:  # etkit, whose first operand is a tool
        return {"KIND": re.findall(r"^  ([a-z]+) ", output_of(program), re.MULTILINE) + ["doctor"]}
    formats = {"read": [], "write": []}
    for line in output_of(program, "--list-formats").splitlines():
        name, *able = line.split()[:3]
        for direction in formats:
            if direction in able:
                formats[direction].append(name)
    result["--from"], result["--to"] = formats["read"], formats["write"]
    if "--list-rules" in options:
        result["--rules"] = re.findall(r"^(\S+)", output_of(program, "--list-rules"), re.MULTILINE)
        result["--ignore"] = result["--rules"]
    if "--list" in options:
        sections = re.split(r"^(?=\S)", output_of(program, "--list"), flags=re.MULTILINE)
        heads = {s.split()[0].rstrip(":"): re.findall(r"^  (\w+)", s, re.MULTILINE) for s in sections if s.strip()}
        result["--algorithm"] = heads.pop("Algorithms") + ["synthesized"]
        result["KIND"] = sorted(set(sum(heads.values(), [])))
    return result


def words(option, value, listed):
    """The values to offer, and whether a value may be a file."""
    value = value.removeprefix("[WHICH[:CONDITION...]=]")
    parts = re.split(r"[|\[,]", value.split("[")[0]) if "|" not in value else value.split("|")
    literals = [p for p in parts if re.fullmatch(r"[a-z][\w.-]*|[A-Z]+[a-z]\w*|LL\w*", p)]
    if any(p in FILES for p in parts):
        return literals or listed.get(option, []), True
    return (listed[option] if option in listed and not literals else literals), False


def bash(tool, options, listed):
    cases = []
    for short, long, value, _ in options:
        if not value:
            continue
        offered, files = words(long, value, listed)
        pattern = f"{short}|{long}" if short else long
        action = f"_et_files {' '.join(offered)}".strip() if files else f"_et_words {' '.join(offered)}".strip()
        cases.append(f"    {pattern}) {action}; return ;;")
    name = tool.replace("-", "_")
    operand = f"_et_words {' '.join(listed['KIND'])}" if "KIND" in listed else "_et_files"
    everything = " ".join(w for o in options for w in o[:2] if w)
    return f"""# Completion of {tool} for bash, made from its --help.
_{name}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  _et_words() {{
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
  }}
  _et_files() {{
    # files, the prefix of each trace set (ring for ring.0.et), and the words given
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur"; compgen -f -- "$cur"
      compgen -f -X '!*.0.et' -- "$cur" | sed 's/\\.0\\.et$//')
    compopt -o filenames 2>/dev/null
  }}
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case $prev in
{chr(10).join(cases)}
  esac
  if [[ $cur == -* ]]; then
    _et_words {everything}
  else
    {operand}
  fi
}}
complete -F _{name} {tool}
"""


def zsh(tool, options, listed):
    def escape(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")

    lines = []
    for short, long, value, description in options:
        argument = ""
        if value:
            offered, files = words(long, value, listed)
            action = f"({' '.join(offered)})" if offered else " "
            if files:
                action = f"{{_et_files {' '.join(offered)}}}" if offered else "_et_files"
            argument = f":{escape(value)}:{action}"
        text = f"[{escape(description)}]{argument}"
        several = "*" if value.endswith(",...") or "=" in value or long == "--verbose" else ""
        for name in (n for n in (short, long) if n):
            glue = "=" if value and name.startswith("--") else ""
            lines.append(f"    '{several}{name}{glue}{text}'")
    name = tool.replace("-", "_")
    operand = f"KIND:({' '.join(listed['KIND'])})" if "KIND" in listed else "INPUT:_et_files"
    arguments = " \\\n".join(lines)
    return f"""#compdef {tool}
# Completion of {tool} for zsh, made from its --help.
_et_files() {{
  # files, and the prefix of each trace set: ring for ring.0.et
  local -a sets
  sets=(${{PREFIX}}*.0.et(N:r:r))
  (( $#sets )) && compadd -f -- $sets
  (( $# )) && compadd -- "$@"
  _files
}}
_{name}() {{
  _arguments -s -S \\
{arguments} \\
    '*:{operand}'
}}
_{name} "$@"
"""


def main():
    program, out = sys.argv[1:]
    tool = os.path.basename(program)
    options = parse_help(output_of(program, "--help", "all"))
    listed = names(program, {long for _, long, _, _ in options})
    for folder, name, text in (("bash", tool, bash(tool, options, listed)),
                               ("zsh", "_" + tool, zsh(tool, options, listed))):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
        with open(os.path.join(out, folder, name), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
