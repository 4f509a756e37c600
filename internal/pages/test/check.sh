#!/usr/bin/env bash
# Checks the page of errclass triage --html: builds the command, lets it read a log,
# and uses the page in a headless browser. Writes screenshots:
#
#   check.sh [DIRECTORY]
#
# DIRECTORY gets the pictures; the default is a temporary directory, which the script
# prints. The page of examples/playground has a check.sh of its own.
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
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

go build -o "$bin" ../../../cmd/errclass
ERRCLASS=$bin/errclass SCREENSHOTS=$out go test -count=1 -tags browser -run Triage .
echo "the page of errclass triage works: $out"
