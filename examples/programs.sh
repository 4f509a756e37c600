# shellcheck shell=bash
# The common part of the check.sh scripts, to be sourced. It makes a temporary
# directory, $dir, and starts programs. At the end of the script the programs are
# killed and the directory is removed. If the script fails, it prints the ends of
# the logs.

dir=$(mktemp -d)
children=() # programs that must run until the end of the script
finish() {
	local status=$?
	[ "$status" = 0 ] || tail -n 20 "$dir"/*.log >&2 2>/dev/null || true # there are no logs yet if a build failed
	[ "${#children[@]}" = 0 ] || kill "${children[@]}" 2>/dev/null || true
	wait || true
	rm -rf "$dir"
	exit "$status"
}
trap finish EXIT

fail() {
	echo "$0: $*" >&2
	exit 1
}

# need PACKAGES TOOL... ends the script if a tool is missing.
need() {
	local packages=$1 tool
	shift
	for tool; do
		command -v "$tool" >/dev/null || {
			echo "$0: $tool is missing: apt-get install $packages" >&2
			exit 2
		}
	done
}

# start NAME COMMAND... runs a program in the background.
start() {
	local name=$1
	shift
	"$@" >"$dir/$name.log" 2>&1 &
	children+=($!)
}

# start_prometheus [FLAG...] starts Prometheus at $prometheus with $dir/prometheus.yml.
start_prometheus() {
	start prometheus prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/prometheus" \
		--web.listen-address="$prometheus" "$@"
}

# start_alertmanager starts Alertmanager at $manager with $dir/alertmanager.yml.
start_alertmanager() {
	local program
	program=$(command -v prometheus-alertmanager || command -v alertmanager) || # Debian's name, or the original one
		fail "alertmanager is missing"
	start alertmanager "$program" --config.file="$dir/alertmanager.yml" --storage.path="$dir/alertmanager" \
		--web.listen-address="$manager" --cluster.listen-address=
}

# until_is WANT COMMAND... waits until the command prints WANT.
until_is() {
	local want=$1 got= child
	shift
	for _ in $(seq 600); do
		got=$("$@" 2>/dev/null) || true
		[ "$got" != "$want" ] || return 0
		for child in "${children[@]}"; do
			kill -0 "$child" 2>/dev/null || fail "a program ended too early"
		done
		sleep 0.1
	done
	diff <(echo "$want") <(echo "$got") >&2 || true
	fail "not as wanted in time: $*"
}

# status URL prints the HTTP status of an answer.
status() { curl -s -o "$dir/body" -w '%{http_code}' "$1"; }

# query QUERY prints the value of the first series of a query to Prometheus.
query() {
	curl -sfG "http://$prometheus/api/v1/query" --data-urlencode "query=$1" | sed -n 's/.*"value":\[[^"]*"\([^"]*\)".*/\1/p'
}
