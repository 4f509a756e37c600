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
. ../programs.sh
need "prometheus prometheus-alertmanager curl" prometheus promtool amtool curl

promtool check config prometheus.yml
promtool test rules rules_test.yml rules_traces_test.yml
amtool check-config alertmanager.yml >/dev/null

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

start service "$dir/service" -listen "$service"
start_alertmanager
start_prometheus
"$dir/webhook" -listen "$webhook" -receiver pager -label error_reason=authentication -timeout 60s \
	>"$dir/alerts" 2>"$dir/webhook.log" &
waiting=$!
children+=("$waiting")

until_is 200 status "http://$manager/-/healthy"
# Prometheus has to see the zero before the failure.
until_is 0 query 'errclass_errors_total{provider="anthropic",error_reason="authentication",signal="log"}'

curl -sf -X POST "http://$service/call?provider=anthropic&status=401"

wait "$waiting" || fail "the pager was not notified"
cat "$dir/alerts"
