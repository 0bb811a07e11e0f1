#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts rely on: the reports of fairway sim, their bytes, and where
# they go. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
shared=${FAIRWAY_SHARED:-}
case $shared in
"" | /*) ;;
*) shared=$PWD/$shared ;;
esac
cli_begin

# Runs the command; its streams and status are left in out, err and status.
run()
{
	"$fairway" "$@" >out 2>err
	echo $? >status
}

status_is()
{
	[ "$(cat status)" = "$1" ] || {
		echo "status $(cat status), not $1"
		cat err
		return 1
	}
}

empty() { [ -f "$1" ] && [ ! -s "$1" ]; }

one_line() { [ "$(wc -l <"$1")" -eq 1 ]; }

# Lines of a file that match an extended regular expression.
count() { grep -Ec -- "$1" "$2"; }

# helps COMMAND...: help on standard output alone, with examples, that fits an
# old terminal.
helps()
{
	run "$@" --help
	status_is 0 && empty err && grep -q '^Usage: fairway' out &&
		grep -q '^Example' out && ! grep -Eq '.{81}' out
}

refuses()
{
	local part=$1

	shift
	run "$@"
	status_is 2 && empty out && one_line err && grep -qF -- "$part" err
}

# Names in the order in which they first appear.
keys() { grep -o '"[a-z0-9_]*":' "$1" | tr -d '":' | awk '!seen[$0]++'; }

has_keys()
{
	local file=$1 key

	shift
	for key in "$@"; do
		keys "$file" | grep -qx "$key" || {
			echo "no $key"
			return 1
		}
	done
}

small() { "$fairway" sim --workload "$workload" --quiet "$@"; }

workload=sec-dynamic
policies=fcfs,lpm,fairway,fairway:weight=0.5:protect

check_help()
{
	check "--help goes to standard output" helps
	check "sim --help goes to standard output" helps sim
	check "gen --help goes to standard output" helps gen
	for command in analyze paper calibrate flood replay bench; do
		check "$command --help fits a terminal" helps "$command"
	done
	run --version
	check "--version tells the version" grep -Eq '^fairway [0-9]+\.' out
	check "the manual has every option of sim" documented sim
	check "the manual has every option of gen" documented gen
}

documented()
{
	local option missing=0

	run "$1" --help
	while read -r option; do
		grep -q "^\.It Fl -${option#--}\\( \\|\$\\)" \
			"$cli_source/man/fairway-$1.1" || {
			echo "$option"
			missing=1
		}
	done < <(grep -Eo '^  --[a-z-]+' out)
	return "$missing"
}

check_json()
{
	small --policy "$policies" --json a.json
	check "JSON has the fields of the contract" has_keys a.json schema \
		workload device policies name requests completed rejected \
		worst_ttft_s miss hit ttft_s mean p50 p90 p99 max hit_rate \
		starved worst_over_p99 steps busy_s phases
	check "JSON names its schema" grep -q '"schema": "fairway.sim/1"' a.json
	check "JSON tells pool, block and budget" has_keys a.json kv_blocks \
		block_size budget max_running seed
	check "JSON holds no real time" lacks a.json wall_s
	check "policies keep the names they were given" \
		grep -q '"name": "fairway:weight=0.5:protect"' a.json
	check "the phases of a workload come in order" phases_in_order
}

lacks() { ! grep -q "\"$2\"" "$1"; }

phases_in_order()
{
	grep -o '"name": "[a-z]*"' a.json | cut -d'"' -f4 |
		sed -n '/^fcfs$/,/^lpm$/p' | tr '\n' ' ' |
		grep -qx 'fcfs steady burst spike after lpm '
}

all_reports()
{
	small --policy "$policies" --json "$1.json" --csv "$1.csv" \
		--requests "$1.req" --jobs "$2"
}

same_reports()
{
	cmp "$1.json" "$2.json" && cmp "$1.csv" "$2.csv" &&
		cmp "$1.req" "$2.req"
}

check_repeats()
{
	all_reports one 1
	all_reports two 2
	all_reports again 2
	check "the number of jobs changes no byte" same_reports one two
	check "a second run changes no byte" same_reports two again
}

check_streams()
{
	run sim --workload $workload --policy "$policies"
	check "the table goes to standard output" grep -q '^policy ' out
	check "a pipe sees no progress" empty err
	check "the table takes at most 100 columns" narrow out
	run sim --workload $workload --policy "$policies" --json -
	check "with JSON on standard output nothing else is there" \
		cmp out one.json
	check "the table then goes to standard error" grep -q '^policy ' err
	run sim --workload $workload --policy "$policies" --requests -
	check "requests can go to standard output" cmp out one.req
	run sim --workload $workload --policy "$policies" --csv - --quiet
	check "CSV can go to standard output" cmp out one.csv
	check "--quiet shows no table" empty err
	check "two reports do not share standard output" \
		refuses '--json and --csv' sim --workload $workload \
		--json - --csv -
	run sim --workload $workload --policy "$policies" --csv - --timing \
		--quiet
	check "--timing changes no report" cmp out one.csv
	check "--timing tells rates" grep -Eq '^fcfs: .* requests/s$' err
}

narrow() { awk 'length($0) > 100 { print; bad = 1 } END { exit bad }' "$1"; }

# Thousands of requests take long enough to show a line, without a queue that
# would make it minutes.
check_terminal()
{
	local what="a terminal sees progress, wiped at the end"
	local why

	if why=$(no_terminal); then
		skip "$what" "$why"
		return
	fi
	many_requests >many.jsonl
	script -qec "'$fairway' sim --trace many.jsonl --policy fcfs,lpm,fairway \
		--jobs 1 --csv many.csv" /dev/null </dev/null >typescript 2>&1
	check "$what" progressed typescript
	script -qec "'$fairway' sim --trace many.jsonl --policy fcfs \
		--quiet" /dev/null </dev/null >typescript 2>&1
	check "--quiet shows no progress on a terminal" \
		lacks_bytes typescript 'requests'
}

many_requests()
{
	awk 'BEGIN { for (i = 0; i < 200000; i++)
		printf "{\"timestamp\": %d, \"input_length\": 2000, " \
			"\"hash_ids\": [%d, %d, %d]}\n",
			i * 300, 3 * i, 3 * i + 1, 3 * i + 2 }'
}

progressed()
{
	grep -aq $'\r.*requests  [0-9]*%' "$1" && grep -aq $'\r\033\[K' "$1"
}

lacks_bytes() { ! grep -aq "$2" "$1"; }

check_requests()
{
	local header='policy,id,phase,arrival_s,prompt_tokens,cached_tokens'
	local requests

	header=$header,ttft_s,outcome
	check "requests have the columns of the contract" \
		test "$(head -1 one.req)" = "$header"
	check "every line of requests has their form" test 1 -eq "$(grep -Evc \
		'^[a-z0-9:=.]+,[0-9]+,[a-z]+(,[0-9]+\.[0-9]{9})(,[0-9]+){2}(,-?[0-9]+\.[0-9]{9}),(done|rejected)$' one.req)"
	requests=$(count '^fcfs,' one.req)
	check "each policy has each request once" test "$(tail -n +2 one.req |
		cut -d, -f1,2 | sort -u | wc -l)" -eq $((4 * requests))
	check "what is done is counted as completed" \
		grep -q "^fcfs,all,$requests,$(count '^fcfs,.*,done$' one.req)," \
		one.csv
	check "CSV has a line for each policy and phase" \
		test "$(wc -l <one.csv)" -eq $((1 + 4 * (1 + 4)))
}

check_gen()
{
	"$fairway" gen --workload $workload --seed 7 --output t.jsonl
	small --seed 7 --policy "$policies" --csv w.csv --requests w.req
	"$fairway" sim --trace t.jsonl --quiet --policy "$policies" \
		--csv t.csv --requests t.req
	check "a generated trace gives the run of its workload" cmp w.req t.req
	check "and the same figures" cmp w.csv t.csv
	check "the seed counts" differ w.csv one.csv
	run gen --workload $workload --seed 7 --output -
	check "gen writes to standard output" cmp out t.jsonl
	check "gen needs an output" refuses --output gen --workload $workload
	check "gen needs a workload" refuses --workload gen --output x
}

# Every family, to the nanosecond, the pool that it asks for included.
check_gen_families()
{
	local spec

	for spec in sec:requests=60 sec-dynamic:seconds=12 flood:requests=60 \
		long:requests=20 mixed:requests=20 musique:requests=30 \
		agent:sessions=4 toolagent:requests=60 \
		sec-whole:requests=60 sec-whole-dynamic:seconds=12 \
		mixed-halves:requests=20 musique-unique:requests=30; do
		"$fairway" gen --workload "$spec" --seed 3 --output f.jsonl
		"$fairway" sim --trace f.jsonl --quiet --requests f.req
		"$fairway" sim --workload "$spec" --seed 3 --quiet \
			--requests g.req
		check "the trace of ${spec%%:*} gives the run of the workload" \
			cmp f.req g.req
	done
}

differ() { ! cmp -s "$1" "$2"; }

# Three prompts of 2, 3 and 9 blocks, the last one longer than the pool.
tiny_trace()
{
	printf '{"timestamp": %s, "input_length": %s, "hash_ids": %s%s}\n' \
		0 32 '[1, 2]' ', "block_size": 16, "phase": "a,\"b\""' \
		1000 48 '[1, 2, 3]' ', "phase": "c"' \
		2000 144 '[11, 12, 13, 14, 15, 16, 17, 18, 19]' \
		', "phase": "c"'
}

check_rejected()
{
	tiny_trace >tiny.jsonl
	run sim --trace tiny.jsonl --policy fcfs --kv-blocks 8 --json r.json \
		--requests r.req --csv r.csv
	check "a prompt longer than the pool is rejected" \
		grep -qx 'fcfs,2,c,2.000000000,144,0,-1.000000000,rejected' \
		r.req
	check "and has a column of its own" grep -q rejected out
	check "a hit is counted at admission" \
		grep -q '^fcfs,1,c,1.000000000,48,32,' r.req
	check "phases are quoted as RFC 4180 has it" \
		grep -q '^fcfs,0,"a,""b""",0.000000000,32,0,' r.req
	check "the pool is as large as asked for" \
		grep -q '"kv_blocks": 8,' r.json
	run sim --trace tiny.jsonl --policy fcfs --kv-blocks 1 --json n.json \
		--csv n.csv
	check "figures of nothing are null" grep -q '"p99": null' n.json
	check "and empty in CSV" grep -q '^fcfs,all,3,0,3,,,,,,,,,0,,0,0$' n.csv
	check "a run that rejects everything is no failure" status_is 0
	run sim --trace tiny.jsonl --policy fcfs --json -
	check "the pool holds four times the longest prompt" \
		grep -q '"kv_blocks": 36,' out
}

check_cuts()
{
	run sim --trace tiny.jsonl --policy fcfs --quiet --until 1 --json -
	check "--until drops what comes later" grep -q '"requests": 2,' out
	run sim --trace tiny.jsonl --policy fcfs --quiet --max-prompt 40 \
		--json -
	check "--max-prompt drops longer prompts" grep -q '"requests": 1,' out
	run sim --trace tiny.jsonl --policy fcfs --quiet --time-scale 0.5 \
		--requests -
	check "--time-scale scales arrivals" grep -q '^fcfs,2,c,1.000000000,' out
	run sim --trace tiny.jsonl --policy fcfs --quiet --time-scale 0.5 \
		--until 1 --json -
	check "--until counts scaled seconds" grep -q '"requests": 3,' out
}

# The first of two policies that fails is told, and no file is left.
check_refusals()
{
	check "a workload or a trace is needed" refuses --workload sim
	check "not both" refuses exclude sim --workload $workload --trace t.jsonl
	check "a pool has one size" refuses exclude sim --workload $workload \
		--kv-blocks 9 --kv-fraction 0.3
	check "a mistyped option names the closest" refuses '"--policy"' sim \
		--workload $workload --polcy fcfs
	check "a mistyped command names the closest" refuses '"sim"' smi
	check "an operand is refused" refuses '"x"' sim --workload $workload x
	check "a value is needed" refuses 'needs a value' sim --workload
	check "a device is known" refuses 'expected a6000' sim --workload $workload \
		--device a600
	check "no report is left by bad input" refuses 't.nowhere' sim \
		--trace t.nowhere --json left.json
	check "nor is a temporary" test -z "$(find . -name '*left.json*')"
}

check_golden()
{
	local pools=(0 1000 100 10 8 2000 400) i

	if [ ! -f "$shared/golden/expected.csv" ]; then
		skip "the golden times come out" "no FAIRWAY_SHARED"
		return
	fi
	for i in 1 2 3 4 5 6; do
		"$fairway" sim --trace "$shared/golden/g$i.jsonl" --quiet \
			--block-size 16 --kv-blocks "${pools[$i]}" \
			--policy "$golden_policies" --requests g.req || return
		tail -n +2 g.req | cut -d, -f1,2,5,6,7 | sed "s/^/g$i,/"
	done | sort >got
	awk -F, -v OFS=, -v known=",$golden_policies," \
		'index(known, "," $2 ",") { print $1, $2, $3, $5, $7, $6 }' \
		"$shared/golden/expected.csv" | sort >expected
	check "the golden times come out" same_times got expected
}

# To a nanosecond: the last digit may be rounded the other way.
same_times()
{
	paste -d, "$1" "$2" | awk -F, '
		{ late = $6 - $12 }
		$1 $2 $3 $4 $5 != $7 $8 $9 $10 $11 ||
			late > 1.5e-9 || late < -1.5e-9 { print; bad = 1 }
		END { exit bad || !NR }'
}
golden_policies=fcfs,lpm,lpm:dedupe,lpm:limit=4,fairway,fairway:lane=off
golden_policies=$golden_policies,fairway:protect,fairway:wait=absolute
golden_policies=$golden_policies,klpm:k=4,klpm:k=8,ragcache,ragcache:window=3
golden_policies=$golden_policies,ragcache:pgdsf,preble,peek,hrrn
golden_policies=$golden_policies,hrrn:clock=tokens,spf

# The figure of a policy by the times of its requests: what one line of sort and
# a rank give. at_rank POLICY THOUSANDTHS
at_rank()
{
	awk -F, -v p="$1" '$1 == p && $8 == "done" { print $7 }' each.csv |
		sort -g | awk -v at="$2" '{ v[NR] = $1 }
			END { print v[int((NR * at + 99999) / 100000)] }'
}

# column NAME POLICY: of the whole run
column()
{
	awk -F, -v name="$1" -v p="$2" 'NR == 1 {
			for (i = 1; i <= NF; i++) if ($i == name) k = i }
		$1 == p && $2 == "all" { printf "%.9f\n", $k }' all.csv
}

same_percentile()
{
	local policy

	for policy in fcfs lpm fairway; do
		[ "$(column "$1_s" "$policy")" = "$(at_rank "$policy" "$2")" ] ||
			return
	done
}

check_percentiles()
{
	run sim --workload "$workload" --percentiles p95,99.9 --csv all.csv \
		--targets 'p97.5<=1xfcfs,p100<=1xfcfs' --json all.json \
		--requests each.csv
	check 'percentiles that are asked for' status_is 0
	check 'stand in the table' grep -Eq ' p95 +p99\.9' out
	check 'p95 is that of the requests' same_percentile p95 95000
	check 'p99.9 is that of the requests' same_percentile p99.9 99900
	check 'p99 still is' same_percentile p99 99000
	check 'JSON has them' has_keys all.json p95
	check 'targets take any' grep -q '"metric": "p97.5"' all.json
	check 'and are judged' grep -q 'targets met: fcfs 8 of 8' out
	check 'not over 100' refuses '0.001 to 100' sim --workload flood \
		--percentiles 101
}

check_percentiles
check_help
check_json
check_repeats
check_streams
check_terminal
check_requests
check_gen
check_gen_families
check_rejected
check_cuts
check_refusals
check_golden
cli_end
