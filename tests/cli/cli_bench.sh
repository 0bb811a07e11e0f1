#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts rely on in fairway bench: its table, its JSON, and how it
# refuses. No figure is looked at: what is fast here is slow elsewhere. Prints
# TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

tiny=(--waiting 50 --seconds 0.05 --blocks 2000)

silent() { [ ! -s "$cli_dir/err" ]; }

narrow() { ! grep -qE '^.{101}' "$cli_dir/out"; }

check_help()
{
	run bench --help
	check "help names the benches" says 'Usage: fairway bench' \
		'  step ' '  submit ' '  latency ' '  all ' Example
	check "the manual has every option of bench" documented bench
}

check_table()
{
	run bench step "${tiny[@]}"
	check "the table has every form" says 'fairway ' fairway-heap scan \
		rekey radix merge resort sort storm jump rescore
	check "a pipe sees no progress" silent
	check "the table takes at most 100 columns" narrow
	run bench submit "${tiny[@]}"
	check "submitting is measured beside other queues" says 'fairway ' \
		lfstack wfcqueue mutex
	run bench match "${tiny[@]}"
	check "matching is measured beside other ways" says \
		'match 375 of 375' 'match 375 of 400' 'fairway ' linear lfht
	run bench events "${tiny[@]}"
	check "events are measured with and without requests" says \
		'unwatched ' 'watched ' 'step alone'
	run bench latency "${tiny[@]}"
	check "a bench can be run alone" says L1 L2 L3 DRAM
	run bench step "${tiny[@]}" --cold
	check "a cold run says what it walks" says 'MiB are walked'
}

check_json()
{
	run bench step "${tiny[@]}" --quiet --json o.json
	check "quiet says nothing" silent
	check "JSON comes alone and whole" holds o.json
	run bench all "${tiny[@]}" --json -
	check "JSON has the fields of the contract" says \
		'"schema": "fairway.bench/1"' '"machine":' '"cpu":' \
		'"cores":' '"kernel":' '"compiler":' '"pinned":' \
		'"results":' '"bench": "step"' '"form": "fairway"' \
		'"waiting": 50' '"p50_us":' '"p99_us":' '"max_us":' \
		'"mean_us":' '"ratio_to_fairway": 1.0' '"bench": "latency"'
	check "the table then goes to standard error" \
		grep -q '^form ' "$cli_dir/err"
	rm -f o.json
}

refused() { refuses bench "$@"; }

check_refusals()
{
	refused "an unknown bench names what there is" '"submi"' step submit \
		latency all -- submi
	refused "a mistyped bench names the nearest" 'did you mean "step"' -- \
		stp
	refused "a length that is no number" --waiting '"x"' -- --waiting 50,x
	refused "a length of nothing" --waiting '""' -- --waiting 50,
	refused "an empty queue" --waiting '"0"' -- --waiting 0
	refused "more lengths than there is room for" --waiting 16 -- \
		--waiting 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
	refused "fewer blocks than there is an index for" --blocks -- --blocks 7
	refused "no time" --seconds -- --seconds 0
	refused "a folder that is not there" nowhere -- "${tiny[@]}" \
		--json nowhere/o.json
}

# What is done until a signal comes is reported, and the status tells.
kept()
{
	[ "$status" -eq 130 ] && grep -q '"interrupted": true' o.json &&
		grep -q '"p50_us": [0-9]' o.json &&
		grep -q '^interrupted: ' "$cli_dir/out" && return
	echo "status $status"
	cat "$cli_dir/out" "$cli_dir/err"
	return 1
}

check_interrupts()
{
	interrupt INT 4 bench step --waiting 50,100000 --seconds 10 \
		--json o.json
	check "what was measured until Ctrl-C is reported" kept
	check "whole, in its file" holds o.json
	run bench latency "${tiny[@]}" --json -
	check "a whole bench says that it is whole" says \
		'"interrupted": false'
	rm -f o.json
}

check_help
check_table
check_json
check_refusals
check_interrupts
cli_end
