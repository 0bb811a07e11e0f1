#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts rely on in fairway analyze: which files it takes, what it says of
# them, where that goes, and how it refuses. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

head=arrival_s,cached_tokens,uncached_tokens

# log_of GAP: eight misses of 6,000 tokens and 92 hits in turn, GAP ms apart.
log_of()
{
	awk -v gap="$1" -v head=$head 'BEGIN {
		print head
		for (i = 0; i < 600; i++)
			printf "%.3f,%s\n", i * gap / 1000,
				i % 100 < 8 ? "0,6000" : "6000," 100 + i * 37 % 400
	}'
}

log_of 120 >busy.csv
log_of 5000 >idle.csv
gzip -c busy.csv >busy.csv.gz
"$fairway" gen --workload sec-dynamic --output spike.jsonl
awk 'BEGIN { for (i = 0; i < 300; i++)
	printf "{\"timestamp\":%d,\"input_length\":3000,\"hash_ids\":[%d,%d," \
		"%d,%d,%d]}\n", i * 300, 9 * i, 9 * i + 1, 9 * i + 2, \
		9 * i + 3, 9 * i + 4 }' >alike.jsonl
for i in 1 2 3; do
	printf '{"prompt_tokens": 1324, "cached_tokens": 1024, %s, %s}\n' \
		"\"request_received_ts\": 170000000$i.5" \
		"\"forward_entry_time\": 170000000$i.75"
done >export.log

silent() { went && ! [ -s "$cli_dir/err" ]; }

json() { run analyze --quiet --json - "$@"; }

# same ARGUMENT...: standard output equals that of the last run.
same()
{
	cp "$cli_dir/out" "$cli_dir/first"
	"$fairway" "$@" 2>&1 | sed 's/"name": "[^"]*"/"name": "X"/' \
		>"$cli_dir/second"
	sed -i 's/"name": "[^"]*"/"name": "X"/' "$cli_dir/first"
	diff "$cli_dir/first" "$cli_dir/second"
}

check_verdicts()
{
	"$fairway" gen --workload flood --output flood.jsonl
	run analyze flood.jsonl
	check "a flood: not by the order that starves its misses" says \
		'Verdict: reordering pays, with fairway'
	run analyze spike.jsonl
	check "a spike of questions over documents: it pays" says \
		'Verdict: reordering pays' 'largest / smallest' 'p90 / p10' \
		'Thresholds:'
	check "and nothing on standard error" silent
	run analyze alike.jsonl
	check "equal prompts that share nothing: it does not" says \
		'Verdict: not worth it' '0.0% of the prompt tokens are cached'
	run analyze idle.csv
	check "a queue of one: it does not" says \
		'Verdict: not worth it' 'fewer than two requests wait at 100.0%'
	run analyze busy.csv
	check "a busy log of hits and misses: it pays" says \
		'Verdict: reordering pays' 'hits as logged' 'simulated on a6000'
	run analyze busy.csv --device h200
	check "the same on a node that keeps up: it does not" says \
		'Verdict: not worth it'
	awk -F, 'NR == 1 { print $0 ",start_s" }
		NR > 1 { print $0 "," $1 + 0.01 }' busy.csv >short.csv
	run analyze short.csv
	check "a log that the simulated node contradicts: no verdict" says \
		'Verdict: this is not the node that was logged' 'as logged' \
		'fairway calibrate'
}

# What an h100 logs under first come, first served, from a simulated one.
log_of_h100()
{
	"$fairway" sim --trace spike.jsonl --device h100 --load 0.9 \
		--policy fcfs --quiet --requests - |
		awk -F, -v head=$head 'NR == 1 { print head ",ttft_s" }
		NR > 1 { printf "%s,%d,%d,%s\n", $4, $6, $5 - $6, $7 }'
}

check_node()
{
	log_of_h100 >h100.csv
	run analyze h100.csv
	check "a log of another device: no verdict, but that device" says \
		'Verdict: this is not the node that was logged' \
		'--device h100 fits the log' 'a6000'
	check "and no gain" lacks_gain
	json h100.csv
	check "nor in JSON" says '"gain": null' '"fits": true' \
		'"device": "h100"'
	run analyze h100.csv --device h100
	check "with its device there is a verdict, with an order" says \
		'Verdict: reordering pays, with '
	awk -F, -v OFS=, 'NR > 1 { $4 += 37 } { print }' h100.csv >decode.csv
	run analyze decode.csv --device h100
	check "a queue that waits for more than prefill: no verdict" says \
		'Verdict: this is not the node that was logged' decode
	run analyze busy.csv
	check "a log without times is not checked, and says so" says \
		'The log has no times'
	head -n 900 spike.jsonl >few.jsonl
	json few.jsonl
	check "nothing of a p99 gain where requests are few" says \
		'"p99": null' 'requests are too few to tell'
}

lacks_gain() { ! grep -E '[0-9]% shorter' "$cli_dir/out"; }

check_forms()
{
	json busy.csv
	check "JSON: schema and verdict" says \
		'"schema": "fairway.analyze/2"' '"kind": "log"' \
		'"verdict": "reordering pays"' '"kv_blocks": null' \
		'"from": "simulation"'
	check "the same again, byte for byte" same analyze --quiet --json - \
		busy.csv
	check "packed by gzip" same analyze --quiet --json - busy.csv.gz
	check "by standard input" same analyze --quiet --json - - <busy.csv
	json export.log
	check "SGLang's export is known by its first line" says \
		'"form": "sglang"' '"from": "start_s"' \
		'"requests": 3'
	json spike.jsonl
	check "a trace is known too" says '"kind": "trace"' '"form": "mooncake"'
	check "a trace by standard input is named so" same analyze --quiet \
		--json - - --format mooncake <spike.jsonl
	run analyze busy.csv --json report.json
	check "a table and a file" says 'Verdict:'
	check "the file is whole" grep -q '"thresholds"' report.json
	rm -f report.json
	run analyze busy.csv --json - --quiet
	check "--quiet leaves JSON alone on standard output" silent
	run analyze --help
	check "help names the forms" says 'Usage: fairway analyze' sglang \
		mooncake
	check "the manual has every option of analyze" documented analyze
}

# refused DESCRIPTION PART... -- ARGUMENT...
refused()
{
	refuses analyze "$@" --json o.json
	check "$1: nothing is left behind" [ ! -e o.json ]
}

check_refusals()
{
	printf '%s\n1,2,x\n' $head >bad.csv
	printf '%s,start_s\n5,2,3,4\n' $head >early.csv
	printf 'arrival_s,uncached_tokens\n1,2\n' >lacks.csv
	printf '{"request_received_ts": 1, "cached_tokens": -1}\n' >bad.log
	: >empty.csv
	refused "a bad field" 'bad.csv:2: uncached_tokens: ' '(x)' -- bad.csv
	refused "a start before the arrival" 'early.csv:2: start_s: ' '(4)' \
		-- early.csv
	refused "a missing column" 'lacks.csv:1: cached_tokens: ' -- lacks.csv
	refused "a bad export" 'bad.log:1: cached_tokens: ' -- bad.log
	refused "an empty file" 'no requests' -- empty.csv
	refused "a file that is not there" 'none.csv' -- none.csv
	refused "no file" 'FILE is missing' --
	refused "two files" 'unexpected argument "idle.csv"' -- busy.csv \
		idle.csv
	refused "an option for traces" '--tick' 'busy.csv is a log' -- \
		busy.csv --tick 5
	refused "an unknown option" 'did you mean "--device"' -- busy.csv \
		--devise x
	refused "an unknown form" '--format' -- busy.csv --format lgo
	run analyze busy.csv --json busy.csv
	check "a report over its own input" told 2 'FILE and --json' \
		'written over'
	run analyze busy.csv --json /nowhere/x
	check "a report that cannot be written" told 2 '/nowhere/x'
}

# A log that takes its time, seen on a terminal.
check_progress()
{
	local why

	if why=$(no_terminal); then
		skip "a log that is being read shows so" "$why"
		return
	fi
	mkfifo slow
	# Were there no reader, it would wait for one for ever.
	timeout 60 bash -c '(sleep 1; cat busy.csv) >slow' &
	timeout 60 script -qec "'$fairway' analyze slow --format log" typed \
		</dev/null >/dev/null 2>&1
	check "a log that is being read shows so" grep -q 'reading: ' typed
	wait
	"$fairway" analyze busy.csv >piped 2>&1
	check "a pipe does not" awk '/reading: / { bad = 1 } END { exit bad }' \
		piped
	rm -f slow typed piped
}

# lines_at FORMAT FIRST: three requests whose times begin there.
lines_at()
{
	local i

	for i in 0 1 2; do
		# shellcheck disable=SC2059 # the format is the argument
		printf "{\"timestamp\":$1,\"input_length\":900}\n" $(($2 + i))
	done
}

check_units()
{
	lines_at %d.124 1796000000 >seconds.jsonl
	lines_at %d000 1796000000124 >micros.jsonl
	refused "seconds since 1970 in a form of milliseconds" \
		'seconds.jsonl: timestamp: ' '--time-unit s ' -- seconds.jsonl
	refused "microseconds since 1970" 'micros.jsonl: timestamp: ' \
		'--time-unit us ' -- micros.jsonl
	run analyze seconds.jsonl --time-unit s
	check "a trace without ids says that all is uncached" says \
		'this trace says nothing of prefixes'
	check "form, unit and rate are said" says 'read as mooncake, times in s \
as asked from the first arrival on, 1 requests a second'
	json seconds.jsonl --time-unit s
	check "in JSON too" says '"form": "mooncake"' '"time_unit": "s"' \
		'"requests_per_s": 1'
	lines_at %d 5 >dense.jsonl
	run analyze dense.jsonl
	check "a load that no node has is a warning" says 'Warning: a load of'
	rm seconds.jsonl micros.jsonl dense.jsonl
}

check_columns()
{
	printf '%s\n' when,prompt,cached_tokens 0,900,1 1,800,2 2,700,3 >own.csv
	json own.csv --columns arrival=when,input=prompt
	check "--columns makes a trace of a file with a log's column" \
		says '"form": "columns"' '"requests": 3'
	refused "without it, the file is no log" '--columns' \
		'when,prompt,cached_tokens' -- own.csv
	run sim --quiet --trace own.csv --columns arrival=when,input=prompt
	check "sim takes it too" went
	rm own.csv
}

check_messages()
{
	printf '{"prompt_tokens":9,"cached_tokens":1}\n' >timeless.log
	refused "a log without arrivals" 'request_received_ts: ' \
		'expected the arrival (missing in all 1 lines)' -- \
		timeless.log --format sglang
	printf '{"timestamp":1,"prompt_len":9}\n' >short.jsonl
	refused "a trace without lengths" 'input_length: ' \
		'input_tokens is taken too' -- short.jsonl
	rm timeless.log short.jsonl
}

check_verdicts
check_messages
check_units
check_columns
check_node
check_forms
check_refusals
check_progress
cli_end
