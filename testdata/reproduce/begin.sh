# SPDX-License-Identifier: MIT
# Begins a recipe: run [--quick] [FOLDER [NPUS]]. Goes to the folder of its results, NAME.out by default. $here is the
# recipe's folder, $quick is set with --quick. Tools come from the folder $BIN if it is set, then from PATH.
set -e
here=$(cd "$(dirname "$0")" && pwd)
quick=
if [ "$1" = --quick ]; then quick=1; shift; fi
case $1 in -*)
  echo "usage: $0 [--quick] [FOLDER]" >&2
  exit 2
esac
PATH=${BIN:+$(cd "$BIN" && pwd):}$PATH
PYTHONPATH=$here/..
PYTHONDONTWRITEBYTECODE=1
export PATH PYTHONPATH PYTHONDONTWRITEBYTECODE
out=${1:-$(basename "$here").out}
mkdir -p "$out"
cd "$out"
