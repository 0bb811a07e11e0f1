#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Whatever is wrong with an input or an output, the command says it in one
# line that names the place, ends with the status of its kind, and leaves no
# half-written file. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

good='{"timestamp":0,"input_length":16,"output_length":1,"hash_ids":[1]}'
open='{"timestamp":0,"input_length":'

# The run that every bad trace and every bad option meets, with each kind of
# output asked for.
sim() { run sim "$@" --json o.json --csv o.csv --requests o.req; }

refused()
{
	told 2 'fairway sim: ' "$@" && holds t.jsonl
}

# trace TEXT DESCRIPTION PART...: TEXT, with \n and \x as printf has them, is
# refused with a line that has each PART.
trace()
{
	local text=$1 what=$2

	shift 2
	printf '%b' "$text" >t.jsonl
	sim --trace t.jsonl --block-size 16
	check "$what" refused t.jsonl "$@"
}

check_traces()
{
	trace '' 'an empty file' 'no requests'
	trace '\n\n' 'a file of blank lines' 'no requests'
	trace "$good\n{\"timestamp\":1,\"inp" 'a truncated last line' \
		't.jsonl:2: ' 'cut off'
	trace "$good\n\n# hello\n" 'a line that is not JSON' \
		't.jsonl:3: ' 'column 1' "'# hello'"
	trace "$good\n$good}\n" 'text behind the object' 't.jsonl:2: ' column
	trace '[1]' 'a list in place of an object' 't.jsonl:1: ' 'a list'
	trace '\x89PNG\r\n\x1a\n' 'a picture' 't.jsonl:1: ' '\x89'
	trace "$open\"16\"}" 'a string in place of a number' \
		't.jsonl:1: input_length: ' '1 to 2147483647 ("16")'
	trace "${open}true}" 'true in place of a number' \
		't.jsonl:1: input_length: ' '(true)'
	trace "${open}16,\"hash_ids\":1}" 'a number in place of a list' \
		't.jsonl:1: hash_ids: ' 'a list of block ids (1)'
	trace "${open}16,\"hash_ids\":[true]}" 'a truth value among the ids' \
		't.jsonl:1: hash_ids: ' '(true)'
	trace "${open}-16}" 'a negative length' \
		't.jsonl:1: input_length: ' '(-16)'
	trace '{"timestamp":-1}' 'a negative time' \
		't.jsonl:1: timestamp: ' '(-1)'
	trace "${open}1.5}" 'a fractional length' \
		't.jsonl:1: input_length: ' '(1.5)'
	trace '{"timestamp":"noon"}' 'a time in words' \
		't.jsonl:1: timestamp: ' '("noon")'
	trace "${open}2147483648}" 'a length past 31 bits' \
		't.jsonl:1: input_length: ' '(2147483648)'
	trace "${open}99999999999999999999}" 'a length past 64 bits' \
		't.jsonl:1: input_length: ' '(99999999999999999999)'
	trace '{"timestamp":1e400}' 'a number past all doubles' \
		't.jsonl:1: timestamp: ' '(1e400)'
	trace "${open}16,\"hash_ids\":[1.5]}" 'a fractional id' \
		't.jsonl:1: hash_ids: ' '(1.5)'
	trace '{"timestamp":NaN}' 'NaN' 't.jsonl:1: timestamp: ' "'NaN}'"
	trace "${open}0}" 'an empty prompt' 't.jsonl:1: input_length: ' '(0)'
	trace '{"input_length":16,"hash_ids":[1]}' 'a missing time' \
		't.jsonl: timestamp: ' '--rate R'
	trace '{"timestamp":0,"hash_ids":[1]}' 'a missing length' \
		't.jsonl:1: input_length: ' missing
	trace "$good\n{\"input_length\":16}" 'a missing time of many' \
		't.jsonl:2: timestamp: '
	trace "${open}16,\"timestamp\":1}" 'a field given twice' \
		't.jsonl:1: timestamp: ' twice
	trace "${open}40,\"hash_ids\":[1]}" 'too few ids' \
		't.jsonl:1: hash_ids: ' '2 or 3 ids' 'blocks of 16 (1)'
	trace "${open}32,\"hash_ids\":[1,2,3]}" 'too many ids' \
		't.jsonl:1: hash_ids: ' '2 ids for 32 tokens' '(3)'
	trace "${good%\}},\"block_size\":32}" 'another block size than asked' \
		't.jsonl:1: block_size: ' '16' '(32)'
	trace "$good\n${good%\}},\"block_size\":16}" 'a block size too late' \
		't.jsonl:2: block_size: ' 'first line'
	trace '{"x":"\\u001b]0;title\\u0007","timestamp":"\\u001b[2J"}' \
		'control characters in a value' '\x1b[2J'
}

check_files()
{
	long_line >t.jsonl
	sim --trace t.jsonl
	check 'a line of 100 MB' refused 't.jsonl:2: ' '67108864 bytes'
	echo "$good" >t.jsonl
	sim --trace nowhere.jsonl
	check 'a missing file' refused nowhere.jsonl 'No such file'
	sim --trace /
	check 'a directory' refused '/: ' 'directory'
	sim --trace t.jsonl/x
	check 'a file in place of a directory' refused t.jsonl/x
	sim --trace ''
	check 'an empty name' refused 'No such file'
	sim --trace t.jsonl --block-size 8
	check 'a block size that does not fit the ids' refused \
		't.jsonl:1: hash_ids: ' '2 ids' 'blocks of 8'
	sim --trace t.jsonl --block-size 16 --max-prompt 15
	check 'a cut that leaves nothing' refused 'max-prompt 15'
}

long_line()
{
	printf '{"timestamp":0,"input_length":1,"hash_ids":[]}\n{"x":"'
	head -c 100000000 /dev/zero | tr '\0' x
}

# bad OPTION VALUE DESCRIPTION PART...: the value is refused by name.
bad()
{
	local option=$1 value=$2 what=$3

	shift 3
	sim --trace t.jsonl --block-size 16 "$option" "$value"
	check "$what" refused "$option" "$@"
}

# policy VALUE DESCRIPTION PART...: the same for one policy of several.
policy()
{
	local value=$1 what=$2

	shift 2
	sim --trace t.jsonl --block-size 16 --policy "fcfs,$value"
	check "$what" refused "policy \"$value\"" "$@"
}

check_options()
{
	local option value

	policy fcsf 'an unknown policy' 'unknown policy' '"fcfs"'
	policy lpm:limt=3 'an unknown flag' 'flag "limt"' '"limit"'
	policy fairway:protct 'an unknown flag of all' 'flag' '"protect"'
	policy zebra 'a policy like no other' 'unknown policy'
	bad --device h10 'an unknown device' '"h10"' 'h100'
	for value in 4.0001 0 0.0 -1 nan inf 1e3 '' x 0x4 1001 0.0001; do
		policy "fairway:weight=$value" "a weight of '$value'" \
			'weight: ' '0.001 to 1000' 'three decimals' \
			"\"$value\""
	done
	for value in 0 -1 1.5 x '' 4294967296 99999999999999999999 nan; do
		bad --kv-blocks "$value" "--kv-blocks of '$value'" "\"$value\""
	done
	for value in 0 -1 nan inf x '' 1e999 0x1 ' 1'; do
		bad --time-scale "$value" "--time-scale of '$value'" \
			"\"$value\""
	done
	for option in --until --max-prompt --block-size --budget \
		--max-running --kv-fraction --tick --seed --jobs; do
		for value in -1 nan x ''; do
			bad "$option" "$value" "$option of '$value'" \
				"\"$value\""
		done
	done
	check_words
}

check_words()
{
	run sim --workload secdynamic --json o.json
	check 'an unknown workload' refused '"secdynamic"' '"sec-dynamic"'
	run sim --workload sec:rat=3 --json o.json
	check 'an unknown key of a workload' refused '"rat"' '"rate"'
	run sim --trace t.jsonl --polcy fcfs --json o.json
	check 'an unknown option' refused '"--polcy"' '"--policy"'
	run sim --trace t.jsonl --json o.json extra
	check 'an argument too many' refused '"extra"'
	run sim --json o.json --trace
	check 'an option without its value' refused --trace
	run sim --json o.json
	check 'nothing to simulate' refused --trace --workload
	run smi
	check 'an unknown command' told 2 '"smi"' '"sim"'
	run
	check 'no command' told 2 'command'
	run gen --workload sec:rate=0 --output w.jsonl
	check 'a bad workload of gen' told 2 'fairway gen: ' rate
	check 'leaves no trace' holds t.jsonl
}

small() { run sim --workload musique --quiet --policy fcfs "$@"; }

failed_run() { told 1 "$@" && holds t.jsonl; }

# stdout_full ARGUMENT...: with a full device in place of standard output.
stdout_full()
{
	"$fairway" "$@" >/dev/full 2>"$cli_dir/err"
	status=$?
	: >"$cli_dir/out"
}

check_outputs()
{
	local option other

	for option in --json --csv --requests; do
		other=--csv
		[ $option != --csv ] || other=--json
		small $option none/x $other o
		check "$option in a missing directory" refused none/x \
			'No such file'
		small $option . $other o
		check "$option that is a directory" refused directory
		small $option /dev/full $other o
		check "$option on a full device" failed_run \
			/dev/full 'No space left'
	done
	printf '%s\n' '{"timestamp":0,"input_length":9,"hash_ids":[]}' >t.jsonl
	cp t.jsonl "$cli_dir/copy.jsonl"
	run sim --trace t.jsonl --json ./t.jsonl
	check 'a report in the place of its trace' refused ./t.jsonl \
		'written over'
	check 'which stays as it is' cmp t.jsonl "$cli_dir/copy.jsonl"
	run sim --trace - --json "$PWD/t.jsonl" <t.jsonl
	check 'also where it is standard input' refused t.jsonl 'written over'
	check 'and stays as it is' cmp t.jsonl "$cli_dir/copy.jsonl"
	check_one_place
	run gen --workload musique --output none/x
	check 'gen into a missing directory' told 2 none/x 'No such file'
	run gen --workload musique --output /dev/full
	check 'gen on a full device' failed_run /dev/full 'No space left'
	check_standard_output
}

# Two reports in one place would be none, also where there is no file yet.
check_one_place()
{
	small --json o --csv ./o
	check 'two reports in one new file' refused --json --csv ./o
	small --json "$PWD/o" --requests o
	check 'one new file by its full name' refused --json --requests
	small --json - --csv /dev/stdout
	check 'two reports on standard output' refused --json --csv
	small --json /dev/stdout --csv /dev/stdout
	check 'two by the name of its device' refused --json --csv
	run sim --workload musique --quiet --policy fcfs --json /dev/null \
		--csv /dev/null
	check 'a device swallows any number' test "$status" -eq 0
}

check_standard_output()
{
	stdout_full sim --workload musique --policy fcfs --json o.json
	check 'a table on a full device' failed_run 'standard output' \
		'No space left'
	stdout_full sim --workload musique --policy fcfs --quiet --json - \
		--csv o.csv
	check 'a report on standard output that is full' failed_run \
		'No space left'
	stdout_full gen --workload musique --output -
	check 'gen to standard output that is full' failed_run \
		'standard output' 'No space left'
	stdout_full sim --help
	check 'help on a full device' failed_run 'standard output'
	"$fairway" sim --workload musique --policy fcfs --json o.json \
		>&- 2>"$cli_dir/err"
	status=$?
	check 'a closed standard output' failed_run 'standard output'
}

# Old outputs stand as they were, whatever goes wrong and when.
check_old_content()
{
	echo old >o.json
	echo old >o.csv
	sim --trace t.jsonl --block-size 16 --policy fcsf
	check 'a bad option leaves old reports alone' untouched 2
	sim --trace nowhere
	check 'a bad trace leaves old reports alone' untouched 2
	small --json o.json --csv o.csv --requests /dev/full
	check 'one report that fails leaves the others alone' untouched 1
	small --json o.json --csv o.csv --requests none/x
	check 'one that cannot be opened does, too' untouched 2
	stdout_full sim --workload musique --policy fcfs --json o.json
	check 'and so does the table' untouched 1
	(ulimit -f 4 && "$fairway" sim --workload musique --quiet \
		--policy fcfs --json o.json --requests o.req) \
		>"$cli_dir/out" 2>"$cli_dir/err"
	status=$?
	check 'a file past the limit of its size is an error' told 1 \
		o.req 'File too large'
	check 'which leaves the old ones alone' untouched 1
	stop_midway INT
	check 'SIGINT ends the run with 130' test "$status" -eq 130
	check 'SIGINT leaves no file, and the old ones alone' untouched 130
	stop_midway TERM
	check 'SIGTERM ends the run with 143' test "$status" -eq 143
	check 'SIGTERM leaves no file, and the old ones alone' untouched 143
	small --json o.json --csv o.csv
	check 'a run that succeeds replaces them' replaced
}

untouched()
{
	holds o.csv o.json t.jsonl && [ "$status" -eq "$1" ] &&
		[ "$(cat o.json o.csv)" = $'old\nold' ]
}

replaced()
{
	holds o.csv o.json t.jsonl && [ "$status" -eq 0 ] &&
		! grep -qx old o.json o.csv
}

# A queue that is sorted anew in every step: minutes, if nobody stops it.
slow_trace()
{
	awk 'BEGIN { for (i = 0; i < 40000; i++)
		printf "{\"timestamp\":0,\"input_length\":2000," \
			"\"hash_ids\":[%d,%d,%d]}\n", 3*i, 3*i+1, 3*i+2 }'
}

# stop_midway SIGNAL: sent once the run has opened its outputs and begun.
stop_midway()
{
	local pid tries=0

	[ -s "$cli_dir/slow.jsonl" ] || slow_trace >"$cli_dir/slow.jsonl"
	# Bash has what it starts in the background ignore SIGINT.
	env --default-signal="$1" "$fairway" sim \
		--trace "$cli_dir/slow.jsonl" --policy fairway:order=sort \
		--json o.json --csv o.csv --requests o.req \
		>"$cli_dir/out" 2>"$cli_dir/err" &
	pid=$!
	until [ -n "$(find . -name '.o.req.*')" ] || [ $tries -eq 200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	sleep 0.3
	kill -s "$1" "$pid"
	wait "$pid" 2>/dev/null
	status=$?
}

check_traces
check_files
check_options
check_outputs
check_old_content
cli_end
