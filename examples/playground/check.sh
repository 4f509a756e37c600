#!/usr/bin/env bash
# Checks that the page works: builds it, measures it, and opens it in a headless
# browser. Writes the page and screenshots:
#
#   check.sh [DIRECTORY]
#
# DIRECTORY gets playground.html and the pictures; the default is a temporary
# directory, which the script prints.
#
# Needs chromium; on Debian: apt-get install chromium
set -euo pipefail
cd "$(dirname "$0")"
command -v chromium >/dev/null || {
	echo "$0: chromium is missing: apt-get install chromium" >&2
	exit 2
}
out=${1:-$(mktemp -d)}
mkdir -p "$out"
out=$(cd "$out" && pwd)

go run . -out "$out/playground.html"
size=$(gzip -9 <"$out/playground.html" | wc -c)
echo "the page has $(wc -c <"$out/playground.html") bytes, $size compressed"
[ "$size" -le 4000000 ] || {
	echo "$0: the compressed page has more than 4 MB" >&2
	exit 1
}
PLAYGROUND=$out/playground.html SCREENSHOTS=$out go test -count=1 -v -tags browser -run Playground ../../internal/pages/test
echo "the page answers: $out"
