#!/usr/bin/env bash
# Runs the agent and the gateway of collector/kubernetes on loopback, with the real
# Collector, Prometheus and Alertmanager. Programs in Go, Python, JavaScript and
# Java write logs as containers do. A client sends traces. The script exits with 0
# if every record has the right category and reason, the pager was notified of the
# refused key, refused keys are in a file of their own, and every trace with a fatal
# error was kept, and about 1 % of the others.
#
# Needs prometheus, alertmanager, curl, python3, node and java; on Debian:
#   apt-get install prometheus prometheus-alertmanager curl python3 nodejs default-jre-headless
set -euo pipefail
cd "$(dirname "$0")"
. ../programs.sh
need "prometheus prometheus-alertmanager curl python3 nodejs default-jre-headless" prometheus curl python3 node java
../../.ci/collector
collector=$PWD/../../.bin/otelcol-errclass
config=$PWD/../../collector/kubernetes/config

go test -count=1 ./manifests # their files are outside of the module, so a cached result may be old
go build -o "$dir" ./checkout ./container ./load ./records ./traces
(cd ../alerting && go build -o "$dir" ./webhook)

# Free ports. All are open at once, so none is chosen twice.
read -r -a port < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(12)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))')
prometheus=127.0.0.1:${port[0]} manager=127.0.0.1:${port[1]} webhook=127.0.0.1:${port[2]} metrics=127.0.0.1:${port[3]}

# Scrape and evaluate each second. The jobs are the services that the counters name.
sed -e "s/127.0.0.1:9464/$metrics/; s/127.0.0.1:9093/$manager/; s/_interval: 15s/_interval: 1s/" \
	-e 's/job_name: service/&\n    honor_labels: true/' ../alerting/prometheus.yml >"$dir/prometheus.yml"
sed "s/127.0.0.1:9095/$webhook/" ../alerting/alertmanager.yml >"$dir/alertmanager.yml"
cp ../alerting/rules.yml "$dir"

mkdir "$dir/pods" "$dir/out"
export CONFIG=$config LISTEN=127.0.0.1
agent=(env LOGS="$dir/pods" STATE="$dir/agent" GATEWAY="127.0.0.1:${port[4]}" METRICS_PORT="${port[3]}" OWN_METRICS_PORT="${port[5]}"
	HEALTH_PORT="${port[6]}" OTLP_GRPC_PORT="${port[7]}" OTLP_HTTP_PORT="${port[8]}" "$collector")
gateway=(env STATE="$dir/gateway" OUT="$dir/out" DECISION_WAIT=3s OTLP_GRPC_PORT="${port[4]}" OWN_METRICS_PORT="${port[9]}"
	HEALTH_PORT="${port[10]}" OTLP_HTTP_PORT="${port[11]}" "$collector")
"${agent[@]}" validate --config "$config/agent.yaml"
"${gateway[@]}" validate --config "$config/gateway.yaml"
start gateway "${gateway[@]}" --config "$config/gateway.yaml" --config files.yaml
start agent "${agent[@]}" --config "$config/agent.yaml" --feature-gates=stanza.synchronousLogEmitter
start_alertmanager
start_prometheus
"$dir/webhook" -listen "$webhook" -receiver pager -label error_reason=authentication -timeout 90s \
	>"$dir/alerts" 2>"$dir/webhook.log" &
waiting=$!

until_is 200 status "http://127.0.0.1:${port[6]}"
until_is 200 status "http://127.0.0.1:${port[10]}"
until_is 200 status "http://$manager/-/healthy"
# Prometheus has to see the zero before the error.
until_is 0 query 'errclass_errors_total{job="checkout",provider="anthropic",error_reason="authentication",signal="log"}'

container() { # NAME COMMAND... runs a program in a pod of its name
	local name=$1
	shift
	"$dir/container" "$dir/pods/shop_$name-5d8f9c7b6d-x2x4z_0b5b5a0e-6f4f-4d0e-9c39-7d1f8a3b2c10/$name/0.log" "$@"
}
programs=()
container checkout "$dir/checkout" & programs+=($!)
container inventory python3 programs/inventory.py & programs+=($!)
container frontend node programs/frontend.js & programs+=($!)
container ledger java programs/Ledger.java & programs+=($!)
for program in "${programs[@]}"; do
	wait "$program" || fail "a program failed"
done

# A stack trace belongs to its message, so that record has several lines.
until_is "$(cat want.txt)" "$dir/records" "$dir/out/logs.jsonl"
until_is "$(grep 'fatal authentication' want.txt)" "$dir/records" "$dir/gateway/authentication.jsonl"
echo "$(wc -l <want.txt) log records of 4 languages, as in want.txt"

# Each error is counted once.
count() { # prints the counts by service and reason
	curl -sf "http://$metrics/metrics" |
		sed -n 's/^errclass_errors_total{.*error_category="\([^"]*\)",error_reason="\([^"]*\)",.*job="\([^"]*\)",.*signal="log".*} 1$/\3 \1 \2/p' | sort
}
until_is "$(sed -n 's/ lines*$//; / - -/!p' want.txt)" count

wait "$waiting" || fail "the pager was not notified"
cat "$dir/alerts"

# Traces are classified and counted before they are sampled.
"$dir/traces" -endpoint "127.0.0.1:${port[8]}" -ok 4000 -retryable 1000 -fatal 30 >"$dir/sent"
until_is 30 query 'errclass_errors_total{job="assistant",error_category="fatal",signal="span"}'
until_is 1000 query 'errclass_errors_total{job="assistant",error_category="retryable",signal="span"}'
kept() { # prints how many traces were kept that have such a span, with both spans
	"$dir/records" "$dir/out/traces.jsonl" | awk -v like="$1" '
		{ spans[$1]++ }
		$0 ~ like { is[$1] = 1 }
		END { for (id in is) n += spans[id] == 2; print n + 0 }'
}
decided() { # prints for how many traces the gateway has decided
	curl -sf "http://127.0.0.1:${port[9]}/metrics" |
		awk '/^otelcol_processor_tail_sampling_global_count_traces_sampled/ { n += $NF } END { print n + 0 }'
}
until_is 5030 decided
until_is 30 kept 'chat fatal authentication'
# The client's trace ids are the same in each run, and so is the share that is kept.
rest=$(($(kept 'chat - -') + $(kept 'chat retryable transient')))
[ "$rest" -ge 25 ] && [ "$rest" -le 75 ] || fail "$rest of 5000 other traces were kept, not about 1 %"
echo "30 of 30 traces with a fatal error were kept, $rest of 5000 others"

# The same with more records, and with kill -9: nothing is lost or changed.
"$dir/load" -collector "$collector" -records 20000 -errors 10 -transform-rules 10 -transform-records 2000 otlp
"$dir/load" -collector "$collector" -records 20000 -errors 10 files
"$dir/load" -collector "$collector" -records 20000 -kills 2 kill
