#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What all subcommands share: help and version in every usual form, options and
# devices that are not known, and an output whose reader has read enough.
# Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

same_as()
{
	went || return
	mv "$cli_dir/out" "$cli_dir/one"
	run "$@"
	went && cmp "$cli_dir/one" "$cli_dir/out"
}

check_help()
{
	local command

	for command in sim analyze paper calibrate gen flood replay bench \
		compare completion; do
		run help "$command"
		check "help $command is $command --help" same_as "$command" \
			--help
	done
	run help
	check 'help alone is --help' same_as --help
	run help smi
	check 'help on an unknown command' told 2 'fairway: ' '"smi"' '"sim"'
	run -V
	check '-V is --version' same_as --version
	run --help
	check 'the help names them' says '-V' 'help COMMAND'
}

# The names that the message of an unknown device gives.
devices()
{
	run sim --workload flood --device b200
	sed 's/.*expected \(.*\) (was.*/\1/' "$cli_dir/err"
}

check_devices()
{
	local list command

	for command in sim replay; do
		refuses "$command" "$command names the devices and the way out" \
			'--device' '"b200"' a6000 a100 h100 h200 '--table' \
			'calibrate' -- --workload flood --device b200
	done
	list=$(devices)
	for command in sim analyze gen replay; do
		run "$command" --help
		check "$command --help has the same list" says \
			"$list (default ${list%%,*})"
	done
}

check_ambiguous()
{
	refuses sim 'an ambiguous option names its candidates' '"--t"' \
		'--trace' '--tick' '--time-scale' '--table' '--targets' \
		'or --timing' -- --t 1
	refuses sim 'of two, both' '--kv-blocks or --kv-fraction' -- --kv 1
	run sim --workl flood --policy fcfs --quiet
	check 'an abbreviation of one is that one' went
}

# quietly COMMAND...: the command ends as a filter does whose reader is gone, by
# the signal and without a word.
quietly()
{
	local status

	{
		# shellcheck disable=SC2069 # its errors, not its output
		"$@" 2>"$cli_dir/err"
		echo $? >"$cli_dir/status"
	} | true
	status=$(cat "$cli_dir/status")
	[ "$status" -eq 141 ] && ! [ -s "$cli_dir/err" ] && return
	echo "status $status"
	cat "$cli_dir/err"
	return 1
}

# A table is long enough to meet its reader's end only when that comes first.
late() { sleep 0.2 && "$fairway" "$@"; }

check_pipes()
{
	check 'gen | head ends quietly' quietly "$fairway" gen \
		--workload musique --output -
	check 'a report, too' quietly late sim --workload flood \
		--policy fcfs --requests -
	check 'a table, too' quietly late sim --workload flood --policy fcfs
	check 'help, too' quietly late sim --help
	check 'files are written all the same' quietly late sim \
		--workload flood --policy fcfs --json o.json
	check 'whole' grep -q '"schema"' o.json
	check 'flood, too' quietly late flood --requests 1000 --json f.json
	check 'writes its file' grep -q '"schema"' f.json
}

check_help
check_devices
check_ambiguous
check_pipes
cli_end
