#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Figures that mean less than they seem come with a warning: in the table, in
# the JSON, on the page, and on standard error where there is no table. And the
# report tells the load that was asked for from the load that came out.
# Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# A hundred requests of 144 to 2,112 tokens: the first half comes in 10 s, the
# second in 50.
awk 'BEGIN {
	for (i = 0; i < 100; i++) {
		t += i < 50 ? 200 : 1000
		n = 9 + i * 7 % 124
		printf "{\"timestamp\":%d,\"input_length\":%d,\"hash_ids\":[",
			t, n * 16
		for (k = 0; k < n; k++)
			printf "%s%d", k ? "," : "", k < 4 ? k : i * 1000 + k
		print "]}"
	}
}' >t.jsonl

# Nothing on standard error.
silent() { ! [ -s "$cli_dir/err" ]; }

warned() { went && grep -qF "warning: $1" "$cli_dir/err"; }

# Whether neither the table nor the JSON of the last run has a warning.
unwarned() { went && ! grep -qi warning "$cli_dir/out" o.json; }

check_pool()
{
	local text='no request fits the KV pool, so none was served: the shortest'
	local need='prompt takes 9 blocks, the pool has 3'

	run sim --trace t.jsonl --block-size 16 --kv-blocks 3 --policy fcfs,fairway \
		--json o.json
	check 'a pool that takes no request is told' says "Warning: $text $need."
	check 'once' test "$(grep -c Warning "$cli_dir/out")" -eq 1
	check 'and in the JSON' grep -q "\"$text $need\"" o.json
	run sim --trace t.jsonl --block-size 16 --kv-blocks 3 --policy fcfs --quiet
	check 'and without a table, too' warned "$text"
	if command -v gnuplot >/dev/null; then
		run sim --trace t.jsonl --block-size 16 --kv-blocks 3 --policy fcfs \
			--quiet --html page.html
		check 'and on the page' grep -q "Warning: $text" page.html
	else
		skip 'and on the page' 'no gnuplot'
	fi
	run sim --trace t.jsonl --block-size 16 --kv-blocks 140 --policy fcfs,fairway \
		--json o.json
	check 'a pool that takes some is not' unwarned
}

# field NAME: of the JSON of the last run
field() { sed -n "s/^ *\"$1\": \([0-9.e-]*\),*\$/\1/p" o.json | head -n 1; }

# The factor of the table is that of the JSON, and so are the loads.
same_factor()
{
	local scale offered

	went || return
	scale=$(printf '%.4g' "$(field time_scale)")
	offered=$(printf '%.2f' "$(field offered_load)")
	says "--load 0.9 multiplied all arrivals by $scale " \
		"offered load $offered (busy time / span, under fcfs at this"
}

check_load()
{
	run sim --trace t.jsonl --block-size 16 --load 0.9 --policy fcfs --json o.json
	check '--load says what it did, and what came out' same_factor
	check 'a load that is met has no warning' unwarned
	run sim --workload sec:load=0.9 --policy fcfs
	check 'the key load does, too' says 'load=0.9 multiplied all arrivals by'
	run sim --trace t.jsonl --block-size 16 --policy fcfs
	check 'without a load there is no factor' not_multiplied
	run sim --trace t.jsonl --block-size 16 --load 0.9 --until 5 --policy fcfs \
		--json o.json
	check 'a load that was not met is told' says \
		'Warning: --load 0.9 was not met, the offered load is 1.'
	check 'also in the JSON' grep -q '"--load 0.9 was not met' o.json
	run sim --trace t.jsonl --block-size 16 --load 0.9 --until 5 --policy lpm \
		--quiet
	check 'only where fcfs shows it' silent
	if command -v gnuplot >/dev/null; then
		run sim --trace t.jsonl --block-size 16 --load 0.9 --policy fcfs --quiet \
			--html page.html
		check 'the page says both' page_says
	else
		skip 'the page says both' 'no gnuplot'
	fi
}

not_multiplied() { went && ! grep -q multiplied "$cli_dir/out"; }

page_says()
{
	went && grep -q 'For a load of 0.9 all arrivals were multiplied by 0\.' \
		page.html && grep -q 'busy for 0\.[0-9]* of the span' page.html
}

check_pool
check_load
cli_end
