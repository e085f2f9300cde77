#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what bash and zsh offer after a command line, with the completions of a build.

    completions.py bash|zsh DIRECTORY_OF_COMPLETIONS
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FILES = ("ring.0.et", "ring.1.et", "with space.json", "net.yml")
# The words of a command line, with the last one to be completed; what must be offered, and what must not.
CASES = (
    (("et-replay", "--net"), ("--network", "--network-configuration"), ("--set",)),
    (("et-replay", "--model", ""), ("unaware", "aware", "links"), FILES),
    (("et-replay", "--model", "a"), ("aware",), ("unaware", "links")),
    (("et-replay", "--compute", ""), ("recorded",), FILES),
    (("et-replay", "-n", ""), ("net.yml",), ()),
    (("et-link", "--compat", ""), ("chakra",), FILES),
    (("et-convert", "-f", ""), ("chakra", "pytorch", "kineto"), ("dot", *FILES)),
    (("et-convert", "-t", ""), ("chakra", "dot", "linked"), ("kineto", *FILES)),
    (("et-graph", "-t", "p"), ("png", "pdf"), ("svg",)),
    (("et-validate", "--rules", "de"), ("deps", "deadlock"), ("ids",)),
    (("et-generate", "-a", ""), ("ring", "rabenseifner"), ("layers",)),
    (("et-generate", ""), ("all_reduce", "layers"), ("ring", *FILES)),
    (("et-merge", "-w", "ri"), ("ring", "ring.0.et", "ring.1.et"), ("net.yml",)),
    (("et-convert", "with"), ("with space.json",), ("ring",)),
    (("etkit", "re"), ("replay", "report"), ("et-replay", *FILES)),
)
BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
spec=($(complete -p "$1")); "${spec[-2]}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
# A separate shell in a pseudo-terminal; compadd prints its arguments, and adds nothing.
ZSH = r"""
zmodload zsh/zpty
directory=$1; shift
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; cd ${(q)PWD}; fpath=(${(q)directory} \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w shell 'zstyle ":completion:*" completer _complete; stty cols 500 -echo
compadd () { local -a hits; builtin compadd -O hits "$@"; (( $#hits )) && print -rl -- $hits >> offered; builtin compadd "$@" }
done-with () { print end > finished }; zle -N done-with; bindkey "^X^E" done-with; bindkey "^I" complete-word
print ready > started'
repeat 100; do [[ -s started ]] && break; sleep 0.1; done
line=${(j: :)${(q)@[1,-2]}}
zpty -w -n shell "$line ${@[-1]}"$'\t'$'\x18\x05'
repeat 100; do [[ -s finished ]] && break; sleep 0.1; done
zpty -d shell
[[ -e offered ]] && cat offered
true
"""


def offered(shell, directory, words):
    with tempfile.TemporaryDirectory(prefix="etkit-completions-") as scratch:
        for name in FILES:
            pathlib.Path(scratch, name).touch()
        where = f"{directory}/{words[0]}" if shell == "bash" else directory
        command = ["bash", "--norc", "-c", BASH] if shell == "bash" else ["zsh", "-f", "-c", ZSH]
        environment = os.environ | {"TERM": "dumb", "LC_ALL": "C.UTF-8", "HOME": scratch, "ZDOTDIR": scratch}
        done = subprocess.run([*command, shell, where, *words], cwd=scratch, env=environment, capture_output=True,
                              text=True, timeout=60, check=False)
        return {line.replace("\\ ", " ").rstrip("=") for line in done.stdout.splitlines()}


def main():
    shell, directory = sys.argv[1], os.path.abspath(sys.argv[2])
    if shutil.which(shell) is None:
        print(f"no {shell} here")
        return 0
    failures = 0
    for words, wanted, unwanted in CASES:
        found = offered(shell, directory, words)
        missing, surplus = [w for w in wanted if w not in found], [w for w in unwanted if w in found]
        if missing or surplus:
            failures += 1
            print(f"FAIL {shell}: {' '.join(words)!r}: missing {missing}, not wanted {surplus}; offered {sorted(found)}")
    print(f"{len(CASES)} command lines, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
