#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# No output ever takes the place of a file that the command has read, however
# either of them is named. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

make_inputs()
{
	printf '1\t64\ta document\n' >d.docs
	printf '0\t-\t16\t1\n' >d.reqs
	printf 'tokens,seconds\n1,0.01\n2048,0.1\n' >table.csv
	printf 'tokens,pairs,seconds\n' >steps.csv
	for n in 100 200 400 800 1600 2000 3000 4000; do
		echo "$n,$((n * n / (n % 3 + 2))),0.$((n + 1000))"
	done >>steps.csv
	printf '%s%s\n' '{"timestamp":0,"input_length":16,' \
		'"output_length":1,"hash_ids":[1]}' >t.jsonl
}

# keeps DESCRIPTION COMMAND FILE ARGUMENT...: the command refuses, names FILE,
# and leaves all files as they were.
keeps()
{
	local what=$1 command=$2 file=$3

	shift 3
	sum=$(cksum -- *)
	run "$command" "$@"
	check "$what" kept "$command" "$file"
}

kept()
{
	told 2 "fairway $1: $2: " 'replace' || return
	[ "$sum" = "$(cksum -- *)" ] && return
	ls -lA
	return 1
}

check_pairs()
{
	keeps 'the other half of a trace' sim d.docs \
		--trace d.reqs --quiet --json d.docs
	keeps 'the other half, given the documents' sim d.reqs \
		--trace d.docs --quiet --csv d.reqs
	ln -s d.docs link
	keeps 'the other half by a link' sim d.docs \
		--trace d.reqs --quiet --requests link
	ln d.docs hard
	keeps 'the other half by a hard link' sim d.docs \
		--trace d.reqs --quiet --requests hard
	rm link hard
	keeps 'the other half, by another path' sim d.docs \
		--trace d.reqs --quiet --json ../work/./d.docs
	gzip -k d.docs
	mv d.docs plain
	keeps 'a packed other half' sim d.docs.gz \
		--trace d.reqs --quiet --json d.docs.gz
	mv plain d.docs
	rm d.docs.gz
}

check_others()
{
	keeps 'replay, too' replay d.docs --trace d.reqs --quiet --json d.docs
	keeps 'analyze, too' analyze d.docs d.reqs --quiet --json d.docs
	keeps 'a table that gen reads' gen table.csv \
		--workload sec:requests=20:load=0.5 --table table.csv \
		--output table.csv
	# shellcheck disable=SC2094 # the command must not write what it reads
	keeps 'steps from standard input' calibrate steps.csv \
		--fit - --output steps.csv <steps.csv
	keeps "paper's trace" paper t.jsonl --only 1 --trace t.jsonl --quiet \
		--json t.jsonl
}

# What is not read may be replaced, and devices may be written.
check_allowed()
{
	run sim --trace t.jsonl --quiet --json d.docs --csv /dev/null
	check 'a file that is not read is replaced' went
	check 'by the report' grep -q '"schema"' d.docs
}

make_inputs
check_pairs
check_others
check_allowed
cli_end
