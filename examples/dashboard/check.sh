#!/usr/bin/env bash
# Checks that the page works. The script starts the service of examples/alerting
# and Prometheus on loopback, makes calls that fail in many ways, and opens the
# page in a browser. It exits with 0 if every panel has the right figures. It
# writes screenshots:
#
#   check.sh [SECONDS [DIRECTORY]]
#
# SECONDS is the duration of the calls (default 5; use up to 240 for a better
# picture). DIRECTORY gets page.html, light.png and dark.png; the default is a
# temporary directory, which the script prints.
#
# Needs prometheus, chromium and curl; on Debian:
#   apt-get install prometheus chromium curl
set -euo pipefail
cd "$(dirname "$0")"
. ../programs.sh
need "prometheus chromium curl" prometheus chromium curl
seconds=${1:-5}
out=${2:-$(mktemp -d)}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# Use random ports, and scrape so often that the extrapolation of increase()
# rounds to the right number.
base=$((20000 + RANDOM % 10000))
service=127.0.0.1:$base prometheus=127.0.0.1:$((base + 1))
sed -e "s/127.0.0.1:9464/$service/; s/_interval: 15s/_interval: 200ms/" ../alerting/prometheus.yml >"$dir/prometheus.yml"
cp ../alerting/rules.yml "$dir"
(cd ../alerting && go build -o "$dir" ./service)

start service "$dir/service" -listen "$service"
start_prometheus --web.console.templates=consoles
# Wait until Prometheus has scraped the zeros, before the failures.
until_is 0 query 'sum(errclass_errors_total{signal="log"})'

# The script makes 40 attempts with 22 errors, one of them canceled, 12 retries, of
# which 8 succeed, and 3 fallbacks.
call() { curl -sf -X POST "http://$service/call?$1"; }
report() { curl -sf -X POST "http://$service/$1" -d "endpoint=https://api.$2.example" -d "$3"; }
breaker() { report breaker "$1" "state=$2"; }
script=(
	'breaker anthropic closed' 'breaker openai closed' 'breaker mistral closed'
	'report health anthropic state=healthy' 'report health openai state=unhealthy'
	'call provider=anthropic&status=200' 'call provider=openai&status=200'
	'report hold anthropic left=1ms' 'report hold openai left=1h' 'report hold anthropic left=1ms'
	'report restart any state=queued' 'report restart any state=started' 'report restart any state=queued'
	'call provider=anthropic&status=429,200' 'call provider=openai&status=200'
	'call provider=anthropic&status=200' 'call provider=openai&status=429,429,200'
	'call provider=anthropic&status=503,200' 'call provider=openai&status=deadline'
	'call provider=anthropic&status=overflow' 'call provider=openai&status=504,200'
	'call provider=anthropic&status=503,503,503&fallback=openai' 'breaker anthropic open'
	'call provider=openai&status=200' 'breaker mistral open'
	'call provider=openai&status=401' 'call provider=openai&status=canceled'
	'breaker anthropic half_open'
	'call provider=anthropic&status=503,503&fallback=openai' 'breaker anthropic open'
	'call provider=openai&status=overflow' 'call provider=openai&status=429,200'
	'call provider=anthropic&status=400' 'call provider=openai&status=503,200'
	'breaker mistral half_open' 'breaker anthropic half_open'
	'call provider=anthropic&status=503,200' 'breaker anthropic closed'
	'call provider=openai&status=402' 'call provider=anthropic&status=429,200'
	'call provider=anthropic&status=200' 'breaker openai open'
	'call provider=openai&status=401&fallback=anthropic' 'call provider=anthropic&status=200'
)
for step in "${script[@]}"; do
	$step
	sleep "$(awk "BEGIN {print $seconds / ${#script[@]}}")"
done
until_is 40 query 'sum(errclass_attempts_total)'
until_is 1 query 'count_over_time(up[5m]) >= bool 50'
# The last state is drawn once it has lasted for a step of the timeline.
until_is 1 query 'min_over_time(errclass_breaker_state{endpoint="https://api.openai.example",state="open"}[10s])'

browser() { # FLAGS
	chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$dir/chromium" \
		--window-size=1280,1060 --virtual-time-budget=10000 "$@" \
		"http://$prometheus/consoles/errclass.html?range=5m" 2>>"$dir/chromium.log"
}
browser --dump-dom >"$out/page.html"
browser --screenshot="$out/light.png" >/dev/null
browser --screenshot="$out/dark.png" --blink-settings=preferredColorScheme=0 >/dev/null # 0 is dark

wrong=0
expect() { # PANEL TEXT
	local text
	text=$(sed -n "/<section id=\"$1\"/,/<\/section>/p" "$out/page.html" | tr '\n' ' ' |
		sed -E 's/<text[^>]*>[^<]*<\/text>//g; s/<title>[^<]*<\/title>//g; s/<[^>]*>/ /g; s/ +/ /g; s/^ //; s/ $//')
	if ! grep -Eqx "$2" <<<"$text"; then
		printf '%s: panel %s shows\n  %s\nwant\n  %s\n' "$0" "$1" "$text" "$2" >&2
		wrong=1
	fi
}
expect fatal-now 'Fatal now 4'
expect authentication-now 'Authentication now 2'
expect failed-attempts 'Failed attempts 54%'
expect unknown-per-error 'Unknown per error 0%'
expect retries-that-helped 'Retries that helped 67%'
expect breakers-open 'Breakers open 2'
rate='[0-9]+\.[0-9]' # depends on the time since the errors
expect errors-by-category "Errors per minute, by category fatal $rate retryable $rate context_overflow $rate timeout $rate aborted $rate"
expect errors-by-reason "Errors by reason retryable: transient 8 retryable: rate_limit 5 (context_overflow: context_overflow 2 fatal: authentication 2|fatal: authentication 2 context_overflow: context_overflow 2) \
((aborted: aborted|fatal: budget_exceeded|fatal: invalid_request|retryable: timeout|timeout: timeout) 1 ?){5}"
expect retries-by-outcome "Retries per minute, by outcome failure $rate success $rate"
expect fallbacks 'Fallbacks anthropic → openai 2 openai → anthropic 1'
expect breaker-states 'Circuit breakers https://api.anthropic.example closed https://api.mistral.example half-open https://api.openai.example open'
expect top-providers 'Top providers job provider failed fatal calls failed per attempt (service anthropic 11 1 20 55% ?|service openai 10 3 20 53% ?){2}'
expect unhealthy-now 'Unhealthy 1'
expect held-now 'Held 1'
expect holds 'Rate limits https://api.anthropic.example 2 https://api.openai.example 1'
expect restarts 'Restarts queued 2 started 1'

# There are areas for five categories and two outcomes, and strips for three states.
areas=$(grep -o '<path class="c-[a-z_]*" d="M[^"]*L' "$out/page.html" | wc -l)
[ "$areas" = 7 ] || { echo "$0: $areas areas are drawn, not 7" >&2; wrong=1; }
for state in closed half_open open; do
	grep -q "<rect class=\"c-$state\"" "$out/page.html" || { echo "$0: no breaker is shown as $state" >&2; wrong=1; }
done
[ "$wrong" = 0 ]
echo "all panels have the right figures: $out/page.html, light.png, dark.png"
