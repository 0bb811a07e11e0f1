#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts rely on in fairway paper: verdicts with their rules, JSON, runs
# that are taken up again, and how it refuses. No figure is looked at but to
# compare it with itself. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# The cheapest of the findings: the runs of one small scenario.
tiny=(--quick --only 6)

silent() { [ "$status" -eq 0 ] && [ ! -s "$cli_dir/err" ]; }

# shows REGEX: a line of the report is like that.
shows() { grep -qE -- "$1" "$cli_dir/out"; }

narrow() { ! grep -qE '^.{101}' "$cli_dir/out"; }

check_help()
{
	run paper --help
	check "help says what it does" says 'Usage: fairway paper' --resume \
		Examples
	check "the manual has every option of paper" documented paper
}

check_report()
{
	run paper "${tiny[@]}"
	check "a claim stands beside the paper's figures, with its rule" says \
		'6. a known loss' 'paper: ' 'here:  ' 'rule:  ' reproduced
	check "it says under how many seeds it holds" shows \
		'hold, under [0-4] of 4 seeds: |holds, under [34] of 4 seeds: '
	check "and the difference with its interval" shows \
		'; difference [-+][0-9.]+ \([-+][0-9.]+ to [-+][0-9.]+\)'
	check "a scenario comes with its command" says \
		'fairway sim --workload musique:load=1.2 --seed 1 --kv-fraction 0.25'
	check "what is left out is said" says '4 seeds, without mooncake 0.9'
	check "a pipe sees no progress" silent
	check "the report takes at most 100 columns" narrow
	check "nothing is left behind" holds
	run paper --quick --only 1,2,4
	check "wider tables keep to that too" narrow
}

has_fields()
{
	local field

	for field in "$@"; do
		grep -q "\"$field\":" a.json && continue
		echo "no $field"
		return 1
	done
}

# Finding 1 has three claims of the paper's and one of ours.
own_claims()
{
	[ "$(grep -c '"decides": true' o.json)" = 3 ] &&
		[ "$(grep -c '"decides": false' o.json)" = 1 ]
}

check_json()
{
	run paper "${tiny[@]}" --quiet --json a.json
	check "quiet says nothing" silent
	check "JSON comes alone and whole" holds a.json
	check "JSON names its schema" grep -q '"fairway.paper/2"' a.json
	check "JSON has the fields of the contract" has_fields version quick \
		mooncake seeds findings verdict claims holds held own other \
		difference low high decides tables columns \
		rows scenarios command seed load kv_blocks runs figures groups
	run paper --quick --only 1 --quiet --json o.json
	check "claims of our own are told apart" own_claims
	rm o.json
	run paper "${tiny[@]}" --quiet --jobs 3 --json b.json
	check "threads change no byte" cmp a.json b.json
	run paper "${tiny[@]}" --json -
	check "JSON to a pipe is the same" cmp a.json "$cli_dir/out"
	check "the report then goes to standard error" grep -q 'a known loss' \
		"$cli_dir/err"
}

check_html()
{
	run paper --quick --only 3 --quiet --html a.html
	check "the page is whole" grep -q '</html>' a.html
	check "the page loads nothing" lacks_links a.html
	check "the scenarios are drawn" drawn 'How far from the best' a.html
	rm -f a.html
}

# A figure of this title, with the table behind it.
drawn()
{
	grep -qF "$1" "$2" && grep -q '<svg' "$2" && grep -qF 'within 1.5' "$2"
}

lacks_links() { ! grep -qE '(src|href)="?https?:' "$1"; }

# from_before NUMBER: so many runs were taken from the folder.
from_before() { says "$1 of them from before"; }

# The runs of the folder, whatever their names are.
count() { find "$1" -name '*.json' | wc -l; }

check_resume()
{
	local num file

	run paper "${tiny[@]}" --resume runs
	check "a first run takes nothing from before" from_before ' 0'
	num=$(count runs)
	check "each run is one file" says "$num runs of 4 scenarios"
	run paper "${tiny[@]}" --resume runs --json c.json
	check "a second run makes none again" from_before " $num"
	check "and gives the same bytes" cmp a.json c.json

	file=$(find runs -name 'musique*seed-1_lpm_*')
	head -c 100 "$file" >start && mv start "$file"
	rm "$(find runs -name 'musique*seed-1_hrrn_*')"
	run paper "${tiny[@]}" --resume runs --json d.json
	check "what is damaged or gone is made again" from_before \
		" $((num - 2))"
	check "with the same bytes" cmp a.json d.json

	file=$(find runs -name 'musique*seed-1_fcfs_*')
	sed -i 's/"key": "fairway [^;]*/"key": "fairway 0.0.1/' "$file"
	run paper "${tiny[@]}" --resume runs --json e.json
	check "a run of another version is not taken" from_before \
		" $((num - 1))"
	check "with the same bytes again" cmp a.json e.json
	check "nothing else stands in the folder" [ "$(count runs)" = "$num" ]
}

check_refusals()
{
	rm -rf ./*
	run paper --only 7
	check "findings there are six of" told 2 --only 7
	run paper --only 1,x
	check "and they have numbers" told 2 --only x
	run paper --jobs 0
	check "no jobs are too few" told 2 --jobs 0
	run paper --quik
	check "mistyped options name the closest" told 2 'mean "--quick"'
	run paper --only 3 --trace no.jsonl --json a.json
	check "a trace that is not there is told" told 2 no.jsonl
	check "and leaves no file" holds
	: >file
	run paper "${tiny[@]}" --resume file
	check "a folder is a folder" told 2 --resume file
	run paper "${tiny[@]}" --json no/a.json
	check "a file that cannot be is told first" told 2 no/a.json
	run paper "${tiny[@]}" --json a --html a
	check "two reports need two files" told 2 --json --html
	check "no file is left" holds file
}

check_help
check_report
check_json
check_html
check_resume
check_refusals
cli_end
