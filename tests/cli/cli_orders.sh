#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What tools/cmd/orders.sh makes of runs: medians over seeds, how many are near
# the others, and whether targets are met. The command that it calls here only
# pretends: its figures are made so that the results are known. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# Under seed s: fcfs 4s and 10s, lpm s and 20s. srpf is as lpm and fcfs, but
# under seed 3 its median is a third longer, and its worst 1.6 times as long,
# of which 0.1 is a step's share. A trace has no seed, as if it were 2.
pretend()
{
	cat >pretended <<-'END'
	#!/bin/bash
	echo "$*" >>calls
	seed=2
	while [ $# -gt 0 ]; do
		case $1 in
		--seed) seed=$2 ;;
		--csv) file=$2 ;;
		--policy) policies=$2 ;;
		esac
		shift
	done
	awk -v s="$seed" -v policies="$policies" 'BEGIN {
		print "policy,phase,requests,p50_s,p99_s,max_s,steps,busy_s"
		num = split(policies, list, ",")
		for (i = 1; i <= num; i++) {
			p = list[i]
			p50 = p ~ /^fcfs/ ? 4 : 1
			p99 = p ~ /^lpm/ ? 20 : 10
			worst = 30
			if (p ~ /^srpf/ && s == 3) {
				p50 = 4 / 3
				worst = 45 + (p ~ /protect/ ? 1 : 0.02)
			}
			line = "," p50 * s "," p99 * s "," worst * s
			print p ",all,9" line ",30,3"
			print p ",spike,9" line ",,"
			print p ",backlog,9" line ",,"
			print p ",flood,9" line ",,"
		}
	}' >"$file"
	END
	chmod +x pretended
}

# orders ARGUMENT...: the script with it, as run() has the command
orders()
{
	sh "$cli_source/tools/cmd/orders.sh" ./pretended "$@" \
		>"$cli_dir/out" 2>"$cli_dir/err"
	status=$?
}

prints_line() { grep -qxF -- "$1" "$cli_dir/out"; }

calls() { [ "$(grep -c -- "$2" calls)" -eq "$1" ]; }

pretend
mkdir traces
: >traces/azure_code.csv
RUNS=$PWD/runs.csv orders 3 traces
check "it ends well" test "$status" -eq 0
check "each workload is drawn under each seed" calls 6 '--workload flood$'
check "agents at both loads and pools" calls 12 'agent:.*--device h100'
check "a recorded trace is run once" calls 1 'traces/azure_code.csv'
check "and one that is not there is told" \
	grep -q '^RAGPulse 0.9: left out' "$cli_dir/err"
check "figures are medians over the seeds" prints_line \
	'| sec-dynamic, spike | fcfs | 8.00 | 20.0 | 60.0 | 0 | 3 |'
check "seeds near the others are counted" prints_line \
	'| sec-dynamic, spike | srpf | 2.00 | 20.0 | 60.0 | 2 | 3 |'
check "those that are not, too" prints_line \
	'| flood: hits | lpm:protect | 2.00 | 40.0 | 60.0 | 3 | 0 |'
check "most seeds meet a target of most" prints_line \
	"| srpf: spike, median at most 1.1 of lpm's, on most | 2 of 3 | 1.33 | met |"
check "a target that no seed meets is missed" prints_line \
	"| srpf: agents 0.7, median under a tenth of lpm's | 0 of 3 | 1.333 | missed |"
check "a mean step is allowed for" prints_line \
	'| srpf: flood, worst miss at most 1.5 of that of fcfs and a mean step | 3 of 3 | 1.50 | met |'
check "and no more than that" prints_line \
	'| srpf:protect: flood, worst miss at most 1.5 of that of fcfs and a mean step | 2 of 3 | 1.53 | missed |'
orders 2
check "of two seeds the median is the mean" prints_line \
	'| sec-dynamic, spike | fcfs | 6.00 | 15.0 | 45.0 | 0 | 2 |'
check "the runs are kept where one asks for them" test -s runs.csv
check "nothing else is left behind" \
	test "$(find . -type f | sort | tr '\n' ' ')" = \
	"./calls ./pretended ./runs.csv ./traces/azure_code.csv "
cli_end
