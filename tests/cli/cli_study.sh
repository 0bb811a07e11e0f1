#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Many runs: each is the one that its own command line gives, their spread is
# that of its figures, and two reports differ by what their figures differ by.
# Prints TAP.
# shellcheck disable=SC2016,SC2317 # programs of awk; check() calls by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

quiet() { "$fairway" sim --workload "$workload" --quiet "$@"; }

# Of a CSV of many runs, the columns of one run as its own CSV has them.
# of_study SETTING SEED
of_study()
{
	awk -F, -v setting="$1" -v seed="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == setting && $2 == seed {
			print $3 "," $4 "," $at["mean_s"] "," $at["p50_s"] \
				"," $at["p99_s"] "," $at["max_s"] "," \
				$at["hit_rate"] "," $at["starved"]
		}' many.csv
}

# of_one NAME: the same of one run's CSV, with the policy called NAME
of_one()
{
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sub(/^fairway[^,]*/, name)
			print $1 "," $2 "," $at["mean_s"] "," $at["p50_s"] \
				"," $at["p99_s"] "," $at["max_s"] "," \
				$at["hit_rate"] "," $at["starved"]
		}' one.csv
}

# same_run SETTING SEED ARGUMENT...: what stands in many.csv is what these
# arguments give alone.
same_run()
{
	local setting=$1 seed=$2

	shift 2
	quiet --seed "$seed" "$@" --csv one.csv || return
	of_one fairway >want
	of_study "$setting" "$seed" >have
	[ -s want ] && diff want have
}

check_seeds()
{
	local seed

	workload=sec-dynamic
	run sim --workload $workload --seed 1..5 --csv many.csv --json m.json \
		--targets 'median<=1xfcfs'
	check 'seeds' went
	cp "$cli_dir/out" table
	for seed in 1 3 5; do
		check "seed $seed is the run under it" same_run '' $seed
	done
	check 'in order' test "$(cut -d, -f2 many.csv | sed 1d | uniq |
		xargs)" = '1 2 3 4 5'
	check 'their spread is in the table' spread lpm
	check 'targets are counted over all' grep -Eq \
		'^fcfs: targets met 20 of 20' table
}

# Median, least and largest of the five p99 of a policy, as the table has it.
spread()
{
	local want

	want=$(awk -F, -v p="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "p99_s") k = i }
		$3 == p && $4 == "all" { print $k }' many.csv | sort -g |
		awk '{ v[NR] = $1 } END {
			printf "%.2f (%.2f-%.2f)", v[3], v[1], v[5] }')
	grep -F -- "$want" table
}

check_sweeps()
{
	workload=sec:requests=300
	run sim --workload $workload --sweep weight=1,2 --sweep load=0.8..0.9 \
		--policy fcfs,fairway --csv many.csv --quiet
	check 'sweeps' went
	check 'each combination' test "$(cut -d, -f1 many.csv | sed 1d | uniq |
		xargs)" = 'weight=1 load=0.8 weight=1 load=0.9 weight=2 load=0.8 weight=2 load=0.9'
	check 'is the run with these options' same_run 'weight=2 load=0.9' 1 \
		--policy fcfs,fairway:weight=2 --load 0.9
	check 'and so is another' same_run 'weight=1 load=0.8' 1 \
		--policy fcfs,fairway:weight=1 --load 0.8
	quiet --sweep max-running=1,256 --seed 2..3 --csv many.csv
	check 'seeds and sweeps' same_run max-running=1 3 --max-running 1
}

# The geometric mean of b / a over the seeds, as compare prints it, from two
# CSV files. change FIGURE POLICY
change()
{
	awk -F, -v figure="$1" -v p="$2" '
		FNR == 1 { for (i = 1; i <= NF; i++) if ($i == figure) k = i }
		$3 == p && $4 == "all" {
			if (FILENAME == "a.csv") a[$2] = $k
			else { sum += log($k / a[$2]); n++ }
		}
		END { printf "%+.1f%%", 100 * (exp(sum / n) - 1) }' a.csv b.csv
}

changes()
{
	awk -v p="$2" '/^[a-z]/ { on = $1 == p }
		on && $1 == "p99" { print $4 }' "$1"
}

# The interval holds the change, and both ends differ.
interval()
{
	awk '/^  p99/ { gsub(/[%+]/, ""); n++
		if (!($5 <= $4 && $4 <= $7 && $5 < $7)) bad++ }
		END { exit bad || n != 2 }' "$1"
}

check_compare()
{
	workload=sec-dynamic
	quiet --policy lpm,fairway --seed 1..8 --json a.json --csv a.csv
	quiet --policy lpm,fairway --seed 1..8 --budget 4096 --json b.json \
		--csv b.csv
	run compare a.json b.json
	check 'two reports' went
	cp "$cli_dir/out" table
	check 'a change is that of pairs' test \
		"$(changes table fairway)" = "$(change p99_s fairway)"
	check 'another policy, too' test \
		"$(changes table lpm)" = "$(change p99_s lpm)"
	check 'with an interval' interval table
	run compare b.json a.json --json c.json --phases
	check 'phase by phase' says 'lpm, spike'
	check 'as JSON' grep -q '"schema": "fairway.compare/1"' c.json
	quiet --policy lpm,lpm:protect --seed 1..2 --json p.json
	run compare a.json p.json
	check 'what only one of them has is named' says 'only in a: fairway' \
		'only in b: lpm:protect'
	run compare a.json a.json
	check 'and no other' test -z "$(grep 'only in' "$cli_dir/out")"
	check 'nothing differs from itself' says '+0.0% to +0.0%'
	check 'in no figure' no_other_change
	quiet --policy lpm --json l.json
	quiet --policy fairway --json f.json
	run compare l.json f.json
	check 'one policy and another' says 'lpm and fairway'
	check 'one seed has no interval' grep -Eq '^  p99 .* -$' "$cli_dir/out"
}

no_other_change()
{
	! grep -E '^  ' "$cli_dir/out" | grep -Ev 'a |\+0\.0%| -  +-$|  - +-$'
}

check_bad()
{
	workload=flood
	refuses sim 'a range of a trace' '--rate' -- --trace x.jsonl \
		--seed 1..2
	refuses sim 'a range upside down' '--seed' -- --workload flood \
		--seed 2..1
	refuses sim 'requests of many runs' '--requests' -- --workload flood \
		--seed 1..2 --requests r.csv
	refuses sim 'what nobody takes' '"wieght"' -- --workload flood \
		--sweep wieght=1,2
	refuses sim 'an option that is no setting' '--json' -- \
		--workload flood --sweep json=1,2
	refuses sim 'a value that the option refuses' '--load' '"x"' -- \
		--workload flood --sweep load=1,x
	refuses sim 'a value that the flag refuses' 'weight' -- \
		--workload flood --sweep weight=4,0
	refuses sim 'a flag that is set as well' 'given twice' -- \
		--workload flood --policy fairway:weight=2 --sweep weight=4
	refuses sim 'standard input, twice' 'standard input' -- --trace - \
		--sweep load=1,2
	refuses gen 'a range to write' '--seed' -- --workload flood \
		--seed 1..2 --output o.jsonl
	echo '{"schema": "other"}' >other.json
	refuses compare 'another file' 'other.json: expected' -- other.json \
		a.json
	echo '{' >broken.json
	refuses compare 'a broken one' 'broken.json:' -- broken.json a.json
	refuses compare 'one that is not there' 'none.json' -- none.json a.json
	refuses compare 'one alone' 'two files' -- a.json
	quiet --policy fcfs,spf --json o.json
	refuses compare 'nothing in common' 'both have' -- a.json o.json
	check 'nothing is left behind' test ! -e o.jsonl
}

check_page()
{
	if ! command -v gnuplot >/dev/null; then
		skip 'a page' 'no gnuplot'
		return
	fi
	workload=flood
	quiet --sweep weight=1,2,4 --html page.html
	check 'a page' grep -q '</html>' page.html
	check 'with lines over the setting' grep -q '>weight<' page.html
	check 'without a script' test "$(grep -c '<script' page.html)" = \
		"$(grep -c '<script type="application/json"' page.html)"
	check 'with all runs in it' grep -q '"fairway.study/1"\|fairway.study/1' \
		page.html
}

check_seeds
check_sweeps
check_compare
check_bad
check_page
check 'the manual has all options' documented compare
check 'those of sim, too' documented sim
cli_end
