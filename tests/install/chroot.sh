#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs the packages of `./bootstrap deb` in a clean Debian 12, and uses them as their users would:
#   tests/install/chroot.sh [FOLDER of the packages]      (default: build/deb)
# Needs root, debootstrap and a mirror (ETKIT_MIRROR, default http://deb.debian.org/debian).
set -euo pipefail
debs=$(realpath "${1:-$(dirname "$0")/../../build/deb}")
examples=$(realpath "$(dirname "$0")")
root=$(mktemp -d /var/tmp/etkit-chroot-XXXXXX)
chmod 755 "$root"
trap 'umount -q "$root/proc" || true; rm -rf "$root"' EXIT
say() { printf '\n== %s\n' "$*"; }
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  bash -euo pipefail -c "$1"; }

say "Debian 12 in $root"
debootstrap --variant=minbase bookworm "$root" "${ETKIT_MIRROR:-http://deb.debian.org/debian}" >"$root.log" 2>&1 ||
  { tail -20 "$root.log" >&2; exit 1; }
rm "$root.log"
mount -t proc proc "$root/proc"
cp "$debs"/*.deb "$root/tmp"
inside 'apt-get update -qq'

say "The tools, with no package that is only recommended"
inside 'apt-get install -y -qq --no-install-recommends /tmp/etkit_*.deb /tmp/libetkit0*.deb >/dev/null 2>&1 && dpkg -s etkit | grep -E "^(Status|Version|Installed-Size)"'
inside 'for tool in /usr/bin/et-*; do $tool --version | head -1; done'
inside 'cd /usr/share/etkit
  et-convert -f msccl,size=1MiB testdata/msccl/okay-ring8.xml | et-validate --pass | et-replay -q -n testdata/networks/ring8.yml -o /tmp/ring8.run
  et-report /tmp/ring8.run
  et-report /tmp/ring8.run -o /tmp/ring8.html
  grep -c "Content-Security-Policy" /tmp/ring8.html'

say "Manual and completions"
inside 'apt-get install -y -qq --no-install-recommends man-db bash-completion zsh >/dev/null 2>&1
  for page in /usr/share/man/man?/et-*.gz; do man --warnings -l $page >/dev/null; done
  man 7 et-traces | head -5; echo "$(ls /usr/share/man/man?/et-*.gz | wc -l) pages"'
inside 'set +u; . /usr/share/bash-completion/bash_completion; _completion_loader et-replay || [ $? = 124 ]; complete -p et-replay'
inside 'zsh -fc "autoload -Uz compinit && compinit -D -u && print \$_comps[et-replay]"'

say "The library: the examples and the program of the tests"
inside 'apt-get install -y -qq --no-install-recommends g++ cmake make /tmp/libetkit-dev_*.deb >/dev/null 2>&1'
mkdir "$root/tmp/consumer"
cp "$examples"/consumer.cpp "$root/tmp/consumer"
cat >"$root/tmp/consumer/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(etkit REQUIRED)
add_executable(consumer consumer.cpp)
target_link_libraries(consumer PRIVATE etkit::convert etkit::et_proto)
foreach(example build_trace make_workload)
  add_executable(${example} /usr/share/etkit/testdata/examples/${example}.cpp)
  target_link_libraries(${example} PRIVATE etkit::convert)
endforeach()
TEXT
inside 'cmake -S /tmp/consumer -B /tmp/consumer/build >/dev/null && cmake --build /tmp/consumer/build >/dev/null
  /tmp/consumer/build/consumer /tmp/consumer.0.et
  /tmp/consumer/build/build_trace /tmp/toy && et-validate /tmp/toy && echo valid
  /tmp/consumer/build/make_workload /tmp/step.etm && et-validate /tmp/step.etm && echo valid'

say "And away with them"
inside 'apt-get remove -y -qq etkit libetkit-dev "libetkit0*" >/dev/null 2>&1; ls /usr/bin/et-* /usr/share/etkit 2>/dev/null | wc -l'
