#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# fairway flood: small floods lose nothing, its report keeps the contract, and
# it refuses what it must. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

silent() { [ ! -s "$cli_dir/err" ]; }

# figure NAME: of the JSON on standard output
figure() { sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p" "$cli_dir/out"; }

# The five ways to end make up all that was submitted.
adds_up()
{
	local sum=0 name

	for name in 'done' cancelled expired rejected failed; do
		sum=$((sum + $(figure "$name")))
	done
	[ "$sum" -eq "$(figure submitted)" ] && [ "$sum" -eq "$1" ]
}

some() { [ "$(figure "$1")" -gt 0 ]; }

check_floods()
{
	run flood --producers 8 --requests 30000 --limit 300 --json - --quiet
	check "the report has the fields of the contract" says \
		'"schema": "fairway.flood/1"' '"submitted": 30000' \
		'"lost": 0' '"twice": 0' '"out_of_order": 0' \
		'"overtaken_bound_broken": 0' '"cancel_broken": 0' \
		'"submit_ns":' '"step_us":' '"p50":' '"p99":' '"max":' \
		'"peak_rss_bytes":'
	check "every submission ended in one of five ways" adds_up 30000
	check "some were cancelled" some cancelled
	check "some expired" some expired
	check "some met the limit" some refused
	check "quiet says nothing else" silent
	run flood --producers 4 --requests 40000 --limit 1000 --cancel 0 \
		--expire 0 --json - --quiet
	check "without cancels and limits all are done" says '"done": 40000'
	run flood --producers 6 --hostile 3 --requests 60000 --limit 600 \
		--json - --quiet
	check "a hostile tenant loses nobody anything" says \
		'"submitted": 60000' '"lost": 0' '"twice": 0' \
		'"out_of_order": 0' '"overtaken_bound_broken": 0' \
		'"cancel_broken": 0' '"hostile": {' '"others": {'
	check "every submission beside it ended once" adds_up 60000
	check "it was refused places" some refused
	run flood --producers 6 --hostile 3 --requests 60000 --limit 600 \
		--pausing --json - --quiet
	check "nor where prompts pause" says '"submitted": 60000' \
		'"lost": 0' '"twice": 0' '"overtaken_bound_broken": 0' \
		'"cancel_broken": 0'
	check "every submission ended once there as well" adds_up 60000
	run flood --producers 4 --hostile 2 --requests 20000
	check "its report says what both waited" says 'hostile: ' \
		'others: ' 'admitted, wait: median'
	run flood --producers 3 --requests 600000 --stop-producer
	check "others go on beside a producer that stopped" says \
		'one producer stood still'
	run flood --producers 1 --requests 1 --limit 1
	check "one request is enough" says 'lost '
	run flood --producers 2 --requests 100000000 --seconds 0.2 --json o.json
	check "time ends a flood" says 'submitted'
	check "JSON comes alone and whole" holds o.json
	rm -f o.json
}

refused() { refuses flood "$@"; }

check_refusals()
{
	refused "no producers" --producers '"0"' -- --producers 0
	refused "a share over 1" --cancel '"1.5"' -- --cancel 1.5
	refused "a share that is no number" --expire '"x"' -- --expire x
	refused "more that are hostile than there are" --hostile -- \
		--producers 2 --hostile 3
	refused "no place to wait" --limit -- --limit 0
	refused "a word that nobody asked for" '"now"' -- now
	refused "a folder that is not there" nowhere -- --requests 10 \
		--json nowhere/o.json
	run flood --requests 1 --producers 1 --stop-producer --quiet
	check "a flood too small to stop anybody says so" told 1 --requests
}

# ended STATUS TEXT...: the output has each text, and nothing was lost.
ended()
{
	local want=$1

	shift
	[ "$status" -eq "$want" ] || { echo "status $status"; return 1; }
	status=0
	says "$@"
}

check_interrupts()
{
	interrupt INT 1 flood --producers 2 --requests 1000000000 --json -
	check "what was measured until Ctrl-C is reported" ended 130 \
		'"interrupted": true' '"lost": 0' '"out_of_order": 0' \
		'"peak_rss_bytes"'
	check "and some was" some submitted
	interrupt TERM 1 flood --producers 2 --requests 1000000000 \
		--stop-producer --json o.json
	check "or until it is ended otherwise" ended 143 'submitted' \
		'interrupted: '
	check "also into a file" holds o.json
	rm -f o.json
	run flood --requests 1000 --json -
	check "a whole flood says that it is whole" says \
		'"interrupted": false'
}

run flood --help
check "help shows the usage" says 'Usage: fairway flood' Example
check "the manual has every option of flood" documented flood
check_floods
check_refusals
check_interrupts
cli_end
