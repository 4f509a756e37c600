#!/usr/bin/env bash
# Checks that the alerts work: promtool's tests of the rules, then an end-to-end
# test on loopback. The script starts a service, Prometheus, Alertmanager and a
# webhook. The provider answers one call with 401. The script exits with 0 once
# the pager's webhook was called.
#
# Needs prometheus, promtool, alertmanager, amtool and curl; on Debian:
#   apt-get install prometheus prometheus-alertmanager curl
set -euo pipefail
cd "$(dirname "$0")"

for tool in prometheus promtool amtool curl; do
	command -v "$tool" >/dev/null || {
		echo "$0: $tool is missing: apt-get install prometheus prometheus-alertmanager curl" >&2
		exit 2
	}
done
alertmanager=$(command -v prometheus-alertmanager || command -v alertmanager) # Debian's name, or the original one

promtool check config prometheus.yml
promtool test rules rules_test.yml rules_traces_test.yml
amtool check-config alertmanager.yml >/dev/null

dir=$(mktemp -d)
children=()
finish() {
	status=$?
	[ "$status" = 0 ] || tail -n 20 "$dir"/*.log >&2
	[ "${#children[@]}" = 0 ] || kill "${children[@]}" 2>/dev/null || true
	wait || true
	rm -rf "$dir"
	exit "$status"
}
trap finish EXIT

# Use the configuration of this directory with random ports, which avoids
# conflicts, and with intervals of a second.
base=$((20000 + RANDOM % 10000))
service=127.0.0.1:$base prometheus=127.0.0.1:$((base + 1)) manager=127.0.0.1:$((base + 2)) webhook=127.0.0.1:$((base + 3))
for file in prometheus.yml alertmanager.yml; do
	sed -e "s/127.0.0.1:9464/$service/; s/127.0.0.1:9093/$manager/; s/127.0.0.1:9095/$webhook/" \
		-e 's/_interval: 15s/_interval: 1s/' "$file" >"$dir/$file"
done
cp rules.yml "$dir"

go build -o "$dir" ./service ./webhook

start() { # NAME COMMAND...
	local name=$1
	shift
	"$@" >"$dir/$name.log" 2>&1 &
	children+=($!)
}
start service "$dir/service" -listen "$service"
start alertmanager "$alertmanager" --config.file="$dir/alertmanager.yml" --storage.path="$dir/alertmanager" \
	--web.listen-address="$manager" --cluster.listen-address=
start prometheus prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/prometheus" \
	--web.listen-address="$prometheus"
"$dir/webhook" -listen "$webhook" -receiver pager -label error_reason=authentication -timeout 60s \
	>"$dir/alerts" 2>"$dir/webhook.log" &
waiting=$!
children+=("$waiting")

# Wait until Prometheus has scraped the zeros, before the failure.
until_answer() { # WORD URL [CURL'S OPTIONS]
	local word=$1 child
	shift
	for _ in $(seq 300); do
		if curl -sfG "$@" 2>/dev/null | grep -q "$word"; then return; fi
		for child in "${children[@]}"; do
			kill -0 "$child" 2>/dev/null || { echo "$0: a program ended too early" >&2; return 1; }
		done
		sleep 0.1
	done
	echo "$0: no answer in time from $1" >&2
	return 1
}
until_answer OK "http://$manager/-/healthy"
until_answer anthropic "http://$prometheus/api/v1/query" \
	--data-urlencode 'query=errclass_errors_total{error_reason="authentication",signal="log"}'

curl -sf -X POST "http://$service/call?provider=anthropic&status=401"

wait "$waiting" || { echo "$0: the pager was not notified" >&2; exit 1; }
cat "$dir/alerts"
