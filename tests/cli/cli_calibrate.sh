#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# fairway calibrate: what it says and writes, and what it refuses. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# Exact steps of a device with t0 4 ms, a 50 us, b 2 ns and Tw 9 ms.
steps()
{
	awk 'BEGIN {
		print "requests,seconds"
		for (i = 0; i < 200; i++) {
			n = 1 + i * i % 2048
			p = i * 7919 % 12000
			t = 0.004 + 5e-5 * n
			if (t < 0.009)
				t = 0.009
			t += 2e-9 * n * (p + (n + 1) / 2)
			printf "%d+%d,%.9f\n", p, n, t
		}
	}'
}

# constant NAME VALUE FILE: within a ten-thousandth
constant()
{
	grep -o "$1=[^ ]*" "$3" | awk -F= -v want="$2" '
		{ found = 1; off = $2 / want - 1 }
		END { exit !found || off > 1e-4 || off < -1e-4 }'
}

fits()
{
	constant t0 0.004 "$1" && constant a 5e-5 "$1" &&
		constant b 2e-9 "$1" && constant Tw 0.009 "$1"
}

prints() { grep -qF -- "$1" "$cli_dir/$2"; }

refused()
{
	told 2 'fairway calibrate: ' "$@" &&
		test -z "$(find . -name '*x.csv*')"
}

bad()
{
	local what=$1 text=$2

	shift 2
	printf '%b' "$text" >s.csv
	run calibrate --fit s.csv --output x.csv
	check "$what" refused s.csv "$@"
}

steps >steps.csv
run calibrate --fit steps.csv --output t.csv
check "exact steps give their constants" fits t.csv
check "what it found is said" prints 'Tw  9 ms, the floor: up to 100 tokens' out
check "and how far off the steps are" prints 'off by 0.00% in the median' out
check "sim reads the table" "$fairway" sim --workload sec:requests=50 \
	--table t.csv --policy fcfs --quiet --json sim.json
check "and takes the step times from it" grep -q '"name": "table"' sim.json
run calibrate --fit - --output - <steps.csv
check "it works in a pipe" cmp "$cli_dir/out" t.csv
check "what it found then goes to standard error" prints 'Tw  9 ms' err
gzip -k steps.csv
run calibrate --fit steps.csv.gz --output z.csv --quiet
check "packed steps are read" cmp z.csv t.csv
check "--quiet says nothing" test ! -s "$cli_dir/out" -a ! -s "$cli_dir/err"
run calibrate --help
check "--help goes to standard output" prints 'Usage: fairway calibrate' out
check "the manual has every option of calibrate" documented calibrate

run calibrate --fit steps.csv
check "an output is needed" refused '--output is missing'
run calibrate --output x.csv
check "steps are needed" refused '--fit is missing'
run calibrate --executor npu --output x.csv
check "there is one executor to measure" refused '--executor npu' '--fit'
run calibrate --executor cuda --fit steps.csv --output x.csv
check "steps are measured or read" refused '--executor does not go with --fit'
run calibrate --fit nowhere.csv --output x.csv
check "a missing file is told" refused nowhere.csv
run calibrate --fit steps.csv --output ./steps.csv
check "the steps are not written over" refused 'steps.csv: this output'
run calibrate --fit steps.csv --output no/x.csv
check "an output that cannot be is told" refused no/x.csv
bad 'an empty file' '' 'at least one measured step'
bad 'few steps' 'requests,seconds\n0+5,1\n' 'at least 8 measured steps (1)'
bad 'no seconds' 'tokens,pairs\n' 's.csv:1: line: ' '(no seconds)'
bad 'a chunk of nothing' 'requests,seconds\n0+0,1\n' \
	's.csv:2: requests: ' '(0+0)'
bad 'time that does not pass' 'requests,seconds\n0+5,0\n' \
	's.csv:2: seconds: ' '(0)'
bad 'one step many times' \
	"requests,seconds\n$(printf '0+512,0.1\\n%.0s' 1 2 3 4 5 6 7 8 9)" \
	'different numbers of tokens'
if [ -e /dev/full ]; then
	run calibrate --fit steps.csv --output /dev/full --quiet
	check "an output that is full is a failed run" \
		told 1 'fairway calibrate: ' /dev/full
fi
cli_end
