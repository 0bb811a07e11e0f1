#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh FAIRWAY DIR: three policies of one prefill node, side by side, on
# the two workloads that set them apart. Reports and pages go to DIR.

set -eu
fairway=$1
dir=$2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# compare WORKLOAD REPORT
compare()
{
	echo
	echo "== $1 =="
	echo "fairway sim --workload $1 --policy fcfs,lpm,fairway --seed 1"
	echo
	set -- "$@" --workload "$1" --policy fcfs,lpm,fairway --seed 1 \
		--json "$dir/$2.json"
	if command -v gnuplot >/dev/null; then
		set -- "$@" --html "$dir/$2.html"
	fi
	shift 2
	"$fairway" sim "$@"
	echo
}

compare sec-dynamic demo-spike
cat <<'END'
Questions over passages of filings, with a minute of more load than the node can
serve (the phase "spike"). Compare the medians with those of lpm, which takes
cached prompts first, and the 99th percentiles with those of fcfs, which takes
them as they come. One spike is an example: in this one fairway's median is near
lpm's, and its 99th percentile lies between the two. Over twenty spikes (seeds 1
to 20) its median is 1.2 times lpm's, a third of fcfs's, and its 99th percentile
is like that of fcfs.
END

compare flood demo-flood
cat <<'END'
Long prompts without a cached block (the phase "backlog"), then a flood of short
remainders. Read the worst of the backlog: it says how long the flood made those
prompts wait. lpm has no bound on that, fcfs makes the whole flood wait behind
them instead, and fairway lets the flood ahead by a share of their own work.
END
echo
if command -v gnuplot >/dev/null; then
	echo "Pages with plots, for a browser: $dir/demo-spike.html"
	echo "                                 $dir/demo-flood.html"
else
	echo "Without gnuplot (Debian package gnuplot-nox) there are no plots."
fi
echo "All figures as JSON:             $dir/demo-spike.json"
echo "                                 $dir/demo-flood.json"
