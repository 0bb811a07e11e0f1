#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every input of fairway sim by way of the command: forms of traces, packed and
# by standard input, tables, loads and rates, and what is wrong with any of
# them. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

day=2023-11-16
printf '%s\n' 'TIMESTAMP,ContextTokens,GeneratedTokens' \
	"$day 18:17:03.9799600,4808,10" "$day 18:17:04.0319600,3180,8" \
	"$day 18:17:09.0781490,110,27" >azure.csv
for i in 1 2 3; do
	printf '{"timestamp":%d,"input_length":600,"hash_ids":[1]}\n' \
		"${i}000"
done >mooncake.jsonl
printf '0\t500\ta\n1\t300\tb\n' >pair.docs
printf '0\t-\t20\t0,1\n900\t-\t20\t0,1\n1800\t-\t9\t1\n' >pair.reqs
cp pair.docs timeless.docs
printf -- '-\t-\t20\t0,1\n-\t-\t20\t0\n-\t-\t9\t1\n' >timeless.reqs
printf '%s\n' '# t0=1 a=0 b=0 Tw=0' 'tokens,seconds' '100,1' '9000,2' \
	>table.csv

# The value of the first KEY in the JSON of the last run.
value()
{
	sed -n "s/^ *\"$1\": \\(.*[^,]\\),\\{0,1\\}\$/\\1/p" "$cli_dir/out" |
		head -1
}

sim() { run sim --quiet --policy fcfs,fairway --json - "$@"; }

is()
{
	went || return
	[ "$(value "$1")" = "$2" ] && return
	echo "$1: expected $2, found $(value "$1")"
	return 1
}

# close KEY VALUE: equal but for the rounding of a few operations.
close()
{
	went || return
	awk -v a="$(value "$1")" -v b="$2" \
		'BEGIN { d = a - b; exit !(d * d <= 1e-18 * b * b) }' && return
	echo "$1: expected $2, found $(value "$1")"
	return 1
}

figures() { sed '/"name"/d' "$cli_dir/out"; }

# The last run gave the figures of an earlier one, in the variable expected.
same()
{
	went && [ "$(figures)" = "$expected" ] && return
	echo "other figures than before"
	return 1
}

refused() { told 2 'fairway sim: ' "$@"; }

check_forms()
{
	sim --trace azure.csv
	check 'azure has blocks of 16' is block_size 16
	sim --trace azure.csv --block-size 32
	check 'azure has the blocks that were asked for' is block_size 32
	sim --trace mooncake.jsonl
	check 'mooncake has blocks of 512' is block_size 512
	sim --trace pair.docs
	check 'docs have blocks of 16' is block_size 16
	check 'a pair is read by its .docs file' is requests 3
	sim --trace pair.reqs
	check 'a pair is read by its .reqs file' is requests 3
	cp azure.csv other.jsonl
	sim --trace other.jsonl --format azure
	check '--format overrides the name' is requests 3
	sim --trace azure.csv --format azur
	check 'a form that is unknown' refused '--format' 'did you mean "azure"'
	sim --trace azure.csv --format ''
	check 'a form of no name' refused '--format'
	sim --workload mixed --format azure
	check 'a form of a workload' refused '--format goes with --trace only'
	rm other.jsonl
}

# Equal ids that are no equal prefixes: read, and no harm.
check_contradictions()
{
	printf '{"timestamp":%d,"input_length":1536,"hash_ids":[%s]}\n' \
		0 1,2,3 1 2,1,3 2 1,1,1 5000 1,2,3 5001 3,2,1 >odd.jsonl
	sim --trace odd.jsonl
	check 'ids that contradict each other' is completed 5
	rm odd.jsonl
}

check_packed()
{
	local file

	for file in azure.csv mooncake.jsonl; do
		sim --trace "$file"
		expected=$(figures)
		run sim --quiet --policy fcfs,fairway --json - --trace - \
			<"$file"
		check "$file by standard input" same
		gzip -c "$file" >"$file.gz"
		sim --trace "$file.gz"
		check "$file.gz" same
		run sim --quiet --policy fcfs,fairway --json - --trace - \
			<"$file.gz"
		check "$file.gz by standard input" same
		head -c 40 "$file.gz" >cut.gz
		sim --trace cut.gz
		check "$file.gz cut off" refused cut.gz 'gzip data is cut off'
		rm "$file.gz" cut.gz
	done
	sim --trace pair.docs
	expected=$(figures)
	gzip -c pair.docs >half.docs.gz
	cp pair.reqs half.reqs
	sim --trace half.reqs
	check 'half of a pair packed' same
	rm half.*
	run sim --quiet --trace - --format docs <pair.reqs
	check 'a pair by standard input' refused 'standard input' 'X.docs'
	run sim --quiet --trace - </dev/null
	check 'nothing by standard input' refused 'standard input' \
		'no requests'
	run sim --quiet --trace - --format csv <azure.csv
	check 'standard input of an unknown form' refused '--format'
}

check_rate()
{
	sim --trace timeless.docs
	check 'a trace without times' refused timeless.reqs '--rate R'
	sim --trace timeless.docs --rate 2 --seed 5
	expected=$(figures)
	check 'a rate gives times' is requests 3
	sim --trace timeless.docs --rate 2 --seed 5
	check 'a seed gives the same times again' same
	sim --trace pair.docs --rate 2
	check 'a rate for a trace that has times' refused '--rate'
	sim --workload mixed --rate 2
	check 'a rate of a workload' refused '--rate goes with --trace only'
	for bad in 0 -1 x nan 1e9; do
		sim --trace timeless.docs --rate $bad
		check "a rate of $bad" refused '--rate: expected a number' \
			"\"$bad\""
	done
}

check_load()
{
	local busy

	sim --trace azure.csv
	busy=$(value busy_s)
	sim --trace azure.csv --load 0.8
	check 'a load is reported' is load 0.80000000000000004
	check 'a load sets the span' close span_s \
		"$(awk -v b="$busy" 'BEGIN { printf "%.17g", b / 0.8 }')"
	sim --trace azure.csv --time-scale "$(value time_scale)"
	check 'without a load none is reported' is load null
	sim --trace azure.csv --load 1 --time-scale 1
	check 'a load and a scale' refused '--load and --time-scale'
	for bad in 0 -1 x inf; do
		sim --trace azure.csv --load $bad
		check "a load of $bad" refused '--load: expected a number' \
			"\"$bad\""
	done
	head -2 azure.csv >one.csv
	sim --trace one.csv --load 1
	check 'a load of one request' refused '--load: expected arrivals'
	rm one.csv
	sim --workload mixed:requests=20 --load 0.5
	check 'a load of a workload' is load 0.5
	# 5.1 s unscaled; half the load is twice the span of the busy time.
	sim --trace azure.csv --load 0.01 --until 1
	check '--until cuts what the load has scaled' is requests 1
}

check_table()
{
	sim --trace azure.csv --table table.csv
	check 'a table is reported' is table '"table.csv"'
	check 'steps take the time of its header' is busy_s \
		"$(value steps).0"
	check 'the device is the table' grep -q '"name": "table"' "$cli_dir/out"
	sim --trace azure.csv --table table.csv --device h100
	check 'a named device has its own steps' \
		grep -q '"name": "h100"' "$cli_dir/out"
	run sim --quiet --policy fcfs --json - --trace azure.csv \
		--table - <table.csv
	check 'a table by standard input' went
	sed 1d table.csv | gzip >plain.gz
	sim --trace azure.csv --table plain.gz
	check 'a packed table without a device' went
	sim --trace - --table -
	check 'two readers of standard input' refused '--trace and --table'
	sim --trace azure.csv --table ''
	check 'a table of no name' refused '--table: expected a path'
	sim --trace azure.csv --table none.csv
	check 'a table that is not there' refused none.csv 'can be read'
	sim --trace azure.csv --table azure.csv
	check 'a trace in place of a table' refused azure.csv:1: 'tokens'
	printf 'tokens,seconds\n5,1\n4,1\n' >bad.csv
	sim --trace azure.csv --table bad.csv
	check 'a table that falls' refused 'bad.csv:3: tokens: '
	rm plain.gz bad.csv
}

# Every request's time, which does not say where the requests are from.
each() { run sim --quiet --policy fcfs,fairway --requests - "$@"; }

same_times() { went && cmp "$cli_dir/before" "$cli_dir/out"; }

# The workloads of records are their files, read with a rate.
check_records()
{
	local name pair

	unset FAIRWAY_TRACES
	sim --workload secqa
	check 'records without a folder' refused '--workload' FAIRWAY_TRACES
	mkdir records
	for name in secqa secqa-chunks; do
		pair=secqa_whole
		[ $name = secqa ] || pair=secqa_chunks
		cp timeless.docs records/$pair.docs
		cp timeless.reqs records/$pair.reqs
		each --trace records/$pair.docs --rate 2 --seed 5
		cp "$cli_dir/out" "$cli_dir/before"
		each --workload $name:dir=records:rate=2 --seed 5
		check "$name is its pair with a rate" same_times
		FAIRWAY_TRACES=records each --workload $name:rate=2 --seed 5
		check "$name by the environment" same_times
		FAIRWAY_TRACES=none sim --workload $name:rate=2
		check "$name in a folder without it" refused \
			none/$pair.reqs 'can be read'
		FAIRWAY_TRACES=none each --workload $name:dir=records:rate=2 \
			--seed 5
		check "the key of $name goes before the environment" same_times
	done
	rm -r records
}

# Where the recorded filings are, the same for them.
check_filings()
{
	local dir=${FAIRWAY_SHARED:-../shared}/traces pair=secqa_chunks

	if ! [ -r "$dir/$pair.reqs" ]; then
		skip 'the recorded filings' "no $dir/$pair.reqs"
		return
	fi
	each --trace "$dir/$pair.reqs" --rate 1.5
	cp "$cli_dir/out" "$cli_dir/before"
	FAIRWAY_TRACES=$dir each --workload secqa-chunks
	check 'the recorded filings' same_times
}

check_own_load()
{
	local spec

	sim --workload mixed:load=0.8:rate=2
	check 'a load and a rate of a workload' refused '"load" and "rate"'
	sim --workload mixed:load=0.8 --load 0.8
	check 'a load of a workload and of a run' refused \
		'--load and the key "load"'
	for bad in 0 -1 x; do
		sim --workload mixed:load=$bad
		check "a workload's load of $bad" refused 'key "load"' \
			"\"$bad\""
	done
	sim --workload mixed:load=0.8:requests=1
	check 'a load of a workload of one request' refused 'key "load"' \
		'different times'
	sim --workload mixed:requests=50
	close time_scale 1 || return
	# Whole milliseconds: a hundredth is more than they can change.
	busy=$(value busy_s)
	sim --workload mixed:requests=50:load=0.8
	check 'a load of a workload sets its span' awk -v s="$(value span_s)" \
		-v b="$busy" 'BEGIN { exit !(s > 1.24 * b && s < 1.26 * b) }'
	for spec in mixed:load=0.7:requests=40 sec-dynamic:load=0.9 \
		agent:load=0.8:sessions=9; do
		"$fairway" gen --workload $spec --seed 3 --device h100 \
			--output own.jsonl
		each --trace own.jsonl --device h100
		cp "$cli_dir/out" "$cli_dir/before"
		each --workload $spec --seed 3 --device h100
		check "the trace of $spec gives the run of the workload" same_times
	done
	rm -f own.jsonl
	run gen --workload mixed --device h100 --output own.jsonl
	check 'a node without a load' told 2 'fairway gen: ' '--device' '"load"'
	run gen --workload mixed:load=1 --table none.csv --output own.jsonl
	check 'a load on a node that is not there' told 2 'fairway gen: ' \
		none.csv
}

check_files()
{
	printf 'TIMESTAMP,ContextTokens\n%s 18:17:03,0\n' $day >bad.csv
	sim --trace bad.csv
	check 'a prompt of no tokens' refused 'bad.csv:2: ContextTokens: '
	rm bad.csv
	cp pair.reqs alone.reqs
	sim --trace alone.reqs
	check 'a pair of one' refused alone.docs 'can be read'
	rm alone.reqs
	mkdir dir.csv
	sim --trace dir.csv
	check 'a folder' refused dir.csv
	rmdir dir.csv
	printf 'hello\n' >some.txt
	sim --trace some.txt
	check 'a file of no form' refused some.txt '--format takes'
	rm some.txt
	check 'nothing is left behind' holds azure.csv mooncake.jsonl \
		pair.docs pair.reqs timeless.docs timeless.reqs table.csv
}

# The same requests on clocks of their own.
check_clocks()
{
	local epoch=1777312800000 ms

	: >plain.jsonl
	: >epoch.jsonl
	: >seconds.jsonl
	for ms in 0 250 1000 1001 4000; do
		printf '{"timestamp":%d,"input_length":900,"hash_ids":[1]}\n' \
			"$ms" >>plain.jsonl
		printf '{"timestamp":%d,"input_length":900,"hash_ids":[1]}\n' \
			"$((epoch + ms))" >>epoch.jsonl
		printf '{"timestamp":%d.%03d,"input_length":900,%s}\n' \
			$((ms / 1000)) $((ms % 1000)) '"hash_ids":[1]' \
			>>seconds.jsonl
	done
	sim --trace plain.jsonl --until 1.0005
	expected=$(figures | sed '/origin_s/d')
	check 'times from 0 on' is requests 3
	sim --trace epoch.jsonl --until 1.0005
	sed -i '/origin_s/d' "$cli_dir/out"
	check 'times of an epoch' same
	sim --trace seconds.jsonl --until 1.0005 --time-unit s
	sed -i '/origin_s/d; s/"time_unit": "s"/"time_unit": "ms"/
		s/"time_unit_given": true/"time_unit_given": false/' \
		"$cli_dir/out"
	check 'times in seconds' same
	run sim --trace plain.jsonl --policy fcfs
	check 'the unit is said' says 'read as mooncake, times in ms, 1 requests'
	sim --trace plain.jsonl --time-unit min
	check 'a unit of no name' refused '--time-unit' 's, ms, us or ns'
	tac plain.jsonl >back.jsonl
	sim --trace plain.jsonl
	expected=$(figures | sed '/"sorted"/d')
	sim --trace back.jsonl
	sed -i '/"sorted"/d' "$cli_dir/out"
	check 'rows from last to first' same
	check 'are sorted, and it is said' grep -qF \
		'4 of 5 requests stood behind later ones' "$cli_dir/err"
	sim --trace back.jsonl --strict
	check '--strict refuses them' refused back.jsonl:2 timestamp
	rm ./*plain.jsonl epoch.jsonl seconds.jsonl back.jsonl
}

check_field_forms()
{
	printf '%s\n' 'Timestamp,Model,Request tokens,Response tokens' \
		'5,ChatGPT,472,18' '45,GPT-4,1087,230' >burst.csv
	run sim --trace burst.csv --policy fcfs
	check 'BurstGPT is told by its columns' says 'read as burstgpt'
	printf '%s\n' 'when,tokens' '5,472' '45,1087' >other.csv
	sim --trace other.csv
	check 'a CSV of no known form' refused other.csv 'azure' '--columns' \
		'its columns: when,tokens'
	sim --trace other.csv --columns arrival=when,input=tokens
	check 'columns that are named' is requests 2
	sim --trace other.csv --columns arrival=when,input=size
	check 'a column that is not there' refused other.csv:1 size
	sim --trace other.csv --columns when
	check 'columns that are none' refused '--columns' 'arrival=NAME'
	echo '{"request_received_ts":1,"prompt_tokens":9,"cached_tokens":1}' \
		>log.jsonl
	sim --trace log.jsonl
	check 'a log is named as one' refused log.jsonl sglang \
		'fairway analyze log.jsonl'
	run analyze - <burst.csv
	check 'so is a trace on standard input' told 2 'standard input' \
		'--format mooncake'
	printf '{"session_id":1,"timestamp":%d,"input_length":99}\n' 0 5 9 \
		>turns.jsonl
	sim --trace turns.jsonl --closed-loop
	check 'a session in a closed loop' is completed 3
	sim --trace burst.csv --closed-loop
	check 'a closed loop without sessions' refused '--closed-loop' burst.csv
	sim --trace turns.jsonl --closed-loop --load 0.5
	check 'a closed loop at a load' refused '--load' '--closed-loop'
	printf '{"input_length":%d}\n' 99 98 97 >timeless.jsonl
	sim --trace timeless.jsonl --rate 2:gamma=0.5
	check 'bursts are drawn' is requests 3
	sim --trace timeless.jsonl --rate 2:shape=0.5
	check 'a distribution of no name' refused '--rate' 'R:gamma=SHAPE'
	rm burst.csv other.csv log.jsonl turns.jsonl timeless.jsonl
}

check_forms
check_clocks
check_field_forms
check_contradictions
check_packed
check_rate
check_load
check_records
check_filings
check_own_load
check_table
check_files
cli_end
