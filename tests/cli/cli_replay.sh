#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts rely on in fairway replay, and that in real time, too, an order
# does what the simulation says. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# figure POLICY COLUMN: of the phase "all" in the CSV of the last run
figure()
{
	awk -F, -v policy="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == policy && $at["phase"] == "all" { print $at[column] }' \
		"$cli_dir/out"
}

# at_most A FACTOR B: is A at most FACTOR times B, both numbers?
at_most()
{
	awk -v a="$1" -v f="$2" -v b="$3" 'BEGIN {
		print a " against " f " times " b
		exit !(a != "" && b != "" && a > 0 && a <= f * b)
	}'
}

miss() { figure "$1" worst_miss_s; }

all_done()
{
	went || return
	[ "$(figure "$1" completed)" = "$2" ] || {
		cat "$cli_dir/out"
		return 1
	}
}

check_input()
{
	run replay
	check "requests are asked for" told 2 '--trace or --workload'
	run replay --workload mixed --executor modle
	check "an unknown executor has a closest one" told 2 modle '"model"'
	run replay --workload mixed --executor cpu7
	check "or all of them are named" told 2 cpu7 '"host"'
	run replay --workload mixed --speed 0
	check "time must pass" told 2 --speed
	run replay --workload mixed --producers 0
	check "somebody must submit" told 2 --producers
	run replay --workload mixed --depth 17
	check "no runtime is so deep" told 2 --depth
	run replay --trace none.jsonl
	check "a missing trace is named" told 2 none.jsonl
	check "the manual has every option of replay" documented replay
}

# turns_wait DELAY: in the requests of a replay, 3 sessions of 4 turns, does each
# turn arrive when the one before has its first token, plus DELAY seconds?
turns_wait()
{
	went || return
	awk -F, -v delay="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			id = $at["id"]
			arrival[id] = $at["arrival_s"]
			end[id] = arrival[id] + $at["ttft_s"]
			done += $at["outcome"] == "done"
		}
		END {
			for (id = 3; id < 12; id++) {
				gap = arrival[id] - end[id - 3] - delay
				if (gap < -0.02 || gap > 20) {
					print "turn " id " came " gap " off"
					exit 1
				}
			}
			exit done != 12
		}' each.csv
}

check_sessions()
{
	local turn session

	for turn in 0 1 2 3; do
		for session in 1 2 3; do
			printf '{"session_id":%d,"timestamp":%d,"delay":%d,%s}\n' \
				"$session" "$turn" "$((turn ? 500 : 0))" \
				'"input_length":900'
		done
	done >turns.jsonl
	run replay --trace turns.jsonl --closed-loop --speed 10 --policy fcfs \
		--requests each.csv --quiet
	check "in a closed loop a turn waits for the one before" turns_wait 0.5
	run replay --workload mixed --closed-loop
	check "a workload has no sessions" told 2 --closed-loop
}

# The flood of policies, all scaled by one factor: 2 s for each.
check_flood()
{
	local flood=(--workload flood --policy "fcfs,lpm,fairway" --quiet)

	run sim "${flood[@]}" --csv -
	check "the flood is simulated" all_done fairway 1438
	check "simulated: the worst miss is near that of fcfs" \
		at_most "$(miss fairway)" 1.5 "$(miss fcfs)"
	check "simulated: that of lpm is several times as long" \
		at_most "$(miss fairway)" 0.33 "$(miss lpm)"
	# As deep as the simulation.
	run replay "${flood[@]}" --speed 90 --depth 1 --csv -
	check "the flood is replayed" all_done fairway 1438
	# Real time: a busy machine makes all of them longer, so no ratio.
	echo "# replayed, worst miss: fcfs $(miss fcfs), lpm $(miss lpm)," \
		"fairway $(miss fairway)"
	check "replayed: the worst miss of lpm is the longest" \
		at_most "$(miss fairway)" 1 "$(miss lpm)"
}

check_executors()
{
	local few=(--workload mixed:requests=60 --policy fairway --quiet
		--speed 200 --csv -)

	run replay "${few[@]}" --producers 1 --depth 1
	check "one producer, one plan in flight" all_done fairway 60
	run replay "${few[@]}" --executor host --producers 16 --depth 4
	check "the host's function, many of both" all_done fairway 60
}

# says TEXT: does the last table?
says()
{
	went && tr '\n' ' ' <"$cli_dir/out" | grep -q -- "$1"
}

says_not()
{
	went && ! says "$1"
}

check_depth()
{
	local few=(--workload mixed:requests=20 --policy fcfs --speed 500)

	run replay "${few[@]}"
	check "the default depth is said to add a step" \
		says 'up to a step more than in fairway sim'
	run replay "${few[@]}" --depth 1
	check "nothing is said where it adds none" \
		says_not 'more than in fairway sim'
}

# A clock that began in 1970 must not be waited for.
check_origin()
{
	printf '{"timestamp":%d,"input_length":512,"hash_ids":[%d]}\n' \
		1753780607550 1 1753780608050 2 >epoch.jsonl
	printf '{"timestamp":%d,"input_length":512,"hash_ids":[%d]}\n' \
		0 1 500 2 >twin.jsonl
	# shellcheck disable=SC2154 # fairway is cli_lib.sh's
	timeout 20 "$fairway" replay --trace epoch.jsonl --policy fcfs \
		--speed 10 --quiet --requests - >"$cli_dir/out"
	check "an epoch is no time to wait for" \
		test "$(grep -c ',done$' "$cli_dir/out")" -eq 2
	cut -d, -f4 "$cli_dir/out" >epoch.arrivals
	run replay --trace twin.jsonl --policy fcfs --speed 10 --quiet \
		--requests -
	cut -d, -f4 "$cli_dir/out" >twin.arrivals
	check "its requests arrive as those of its twin" \
		cmp epoch.arrivals twin.arrivals
}

# What never fits is rejected, whatever the order.
check_rejected()
{
	printf '{"timestamp":%d,"input_length":%d,"hash_ids":[%s]}\n' \
		0 512 1 5 1030 2,3 9 513 4 >t.jsonl
	run replay --trace t.jsonl --kv-blocks 2 --speed 10 --quiet \
		--policy fcfs --requests -
	check "a prompt longer than the pool is rejected" \
		grep -Eq '^fcfs,1,.*,rejected$' "$cli_dir/out"
	check "the others are served" \
		test "$(grep -c ',done$' "$cli_dir/out")" -eq 2
}

live()
{
	script -qec "'$fairway' replay --workload mixed:requests=40 \
		--policy fairway --speed 60" /dev/null |
		tr '\r' '\n' | grep -q 'fairway [0-9]*% .* queue .* tok/s .*TTFT'
}

check_live()
{
	local why

	if why=$(no_terminal); then
		skip "a terminal shows the run live" "$why"
		return
	fi
	check "a terminal shows the run live" live
}

check_input
check_sessions
check_flood
check_executors
check_depth
check_origin
check_rejected
check_live
cli_end
