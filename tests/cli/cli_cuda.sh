#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The command with --executor cuda: on a double of the CUDA runtime, whose
# kernels take the time that they are told, and without any library. Prints
# TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
: "${builddir:=.}"
double=$(cd "$builddir" && pwd)/tests/cuda_double/.libs/fairway-cuda.so
if ! [ -e "$double" ]; then
	echo "the double is no shared library in this build"
	exit 77
fi
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# fails TEXT: the run failed, by this message and no other
fails()
{
	[ "$status" -eq 1 ] && [ "$(wc -l <"$cli_dir/err")" -eq 1 ] &&
		grep -qF -- "$1" "$cli_dir/err"
}

without_a_library()
{
	local command

	export FAIRWAY_CUDA_LIBRARY=$cli_dir/nothing.so
	for command in 'replay --workload mixed:requests=5' \
		'calibrate --output x.csv'; do
		# shellcheck disable=SC2086 # words of a command line
		run $command --executor cuda
		check "${command%% *}: a library that is missing is named" \
			fails nothing.so
	done
	run bench executor --seconds 0.01 --json - --quiet
	check "bench: without a library the host is measured alone" \
		forms_are 'host host'
	: >empty.so
	export FAIRWAY_CUDA_LIBRARY=$cli_dir/work/empty.so
	run replay --workload mixed:requests=5 --executor cuda
	check "replay: a file that is no library is named" fails empty.so
}

# forms_are WORDS: the forms of the bench's rows, in their order
forms_are()
{
	[ "$status" -eq 0 ] &&
		[ "$(sed -n 's/.*"form": "\(.*\)",/\1/p' "$cli_dir/out" |
			paste -sd ' ')" = "$1" ]
}

replays()
{
	run replay --workload mixed:requests=60 --policy fcfs,fairway \
		--speed 200 --executor cuda --depth "$1" --csv - --quiet
	[ "$status" -eq 0 ] &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$at["phase"] == "all" && $at["completed"] == 60 { n++ }
			END { exit n != 2 }' "$cli_dir/out"
}

# near A SHARE: the time of a token in the table's first lines, up to a share
near()
{
	sed -n 's/^# t0=.* a=\([^ ]*\) .*/\1/p' t.csv |
		awk -v want="$1" -v share="$2" '
			{ off = $1 / want - 1; print; n++ }
			END { exit !(n == 1 && off < share && off > -share) }'
}

# The stand-in takes an h100's time, so the fit must find an h100 again. A
# busy machine wakes the double's kernels late, never early.
finds_the_device()
{
	run calibrate --executor cuda --device h100 --output t.csv
	[ "$status" -eq 0 ] && grep -q '^  Tw  ' "$cli_dir/out" &&
		near 2.17e-05 0.5
}

echo "# $double"
without_a_library
export FAIRWAY_CUDA_LIBRARY=$double
check "replay: all is served, one plan at a time" replays 1
check "replay: and four" replays 4
check "calibrate: the constants of the device are found" finds_the_device
run calibrate --executor cuda --device h1000 --output x.csv
check "calibrate: an unknown device is bad input" test "$status" -eq 2
run bench executor --seconds 0.05 --json - --quiet
check "bench: both executors are measured, and the device's idle time" \
	forms_are 'host cuda host cuda cuda'
cli_end
