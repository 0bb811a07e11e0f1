#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# orders.sh FAIRWAY [SEEDS [TRACES]]: srpf beside fcfs, lpm and fairway, each
# with and without protect, on workloads under seeds 1 to SEEDS (20) and on the
# recorded traces that are in the folder TRACES. Prints the tables and the
# targets of docs/srpf.md. RUNS=FILE keeps the figures of each run, as CSV.

set -eu
fairway=$1
seeds=${2:-20}
traces=${3:-}
policies=fcfs,lpm,fairway,srpf
policies=$policies,fcfs:protect,lpm:protect,fairway:protect,srpf:protect
agent=agent:sessions=60:history-min=20000:history-max=400000

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=${RUNS:-$work/runs.csv}
: >"$runs"

# run NAME PHASE SEED OPTION...: add the phase's figures under each policy
run()
{
	name=$1 phase=$2 seed=$3
	shift 3
	"$fairway" sim --quiet --policy "$policies" --csv "$work/one.csv" "$@"
	awk -F, -v OFS=, -v name="$name" -v seed="$seed" -v phase="$phase" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		$2 == "all" {
			step[$1] = $at["busy_s"] / $at["steps"]
		}
		$2 == phase {
			print name, seed, $1, $at["p50_s"], $at["p99_s"],
				$at["max_s"], step[$1]
		}' "$work/one.csv" >>"$runs"
}

# drawn NAME PHASE OPTION...: the same under all seeds
drawn()
{
	name=$1 phase=$2
	shift 2
	s=1
	while [ "$s" -le "$seeds" ]; do
		run "$name" "$phase" "$s" --seed "$s" "$@"
		s=$((s + 1))
	done
}

# recorded NAME FILE OPTION...: where there is such a trace
recorded()
{
	name=$1 file=$traces/$2
	shift 2
	if [ -n "$traces" ] && [ -r "$file" ]; then
		run "$name" all 0 --trace "$file" "$@"
	else
		echo "$name: left out, no such trace" >&2
	fi
}

drawn "sec-dynamic, spike" spike --workload sec-dynamic
drawn "flood: misses" backlog --workload flood
drawn "flood: hits" flood --workload flood
for load in 0.7 0.9; do
	drawn "agents $load" all --workload "$agent" --device h100 \
		--load "$load"
	drawn "agents $load, all fits" all --workload "$agent" --device h100 \
		--load "$load" --kv-fraction 1
done
recorded "conversation 0.9" mooncake_conversation.jsonl --tick 3000 --load 0.9
recorded "Azure code 0.8" azure_code.csv --load 0.8
recorded "RAGPulse 0.9" ragpulse_parts.reqs --load 0.9

awk -f "$(dirname "$0")/orders.awk" "$runs"
