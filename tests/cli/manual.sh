#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The manual pages: every example runs as it is when it is pasted into a shell,
# and every quotation is closed before the next one opens. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# A command "fairway" for the examples. What would take long takes the options
# that make it short: of an option that is given twice, the last one counts.
make_command()
{
	mkdir ../bin
	cat >../bin/fairway <<-'END'
	#!/bin/sh
	case $1 in
	bench) set -- "$@" --seconds 0.001 --waiting 100 --blocks 1000 ;;
	flood) set -- "$@" --requests 200000 ;;
	paper) set -- "$@" --only 4 ;;
	replay) set -- "$@" --speed 600 ;;
	esac
	END
	echo "exec '$fairway' \"\$@\"" >>../bin/fairway
	chmod +x ../bin/fairway
	PATH=$cli_dir/bin:$PATH
}

# The files that the examples read.
make_files()
{
	local i

	# With the coarse clock of the published trace.
	"$fairway" gen --workload sec:requests=300 --output - |
		awk '{ match($0, /[0-9]+/)
			ms = substr($0, RSTART, RLENGTH)
			print substr($0, 1, RSTART - 1) ms - ms % 3000 \
				substr($0, RSTART + RLENGTH) }' \
			>conversation.jsonl
	cp conversation.jsonl mooncake_conversation.jsonl
	echo tokens,pairs,seconds >steps.csv
	for i in $(seq 1 60); do
		awk -v n=$((i * 60)) -v m=$((i % 7)) 'BEGIN {
			p = n * n / 2 + n * m * 500
			t = 8e-3 + 0.12e-3 * n
			if (t < 25e-3)
				t = 25e-3
			print n "," p "," t + 5.5e-9 * p
		}'
	done >>steps.csv
	echo arrival_s,cached_tokens,uncached_tokens,start_s >requests.csv
	for i in $(seq 1 300); do
		echo "$i,1024,$((300 + i % 5 * 900)),$((i + i / 20)).5"
	done >>requests.csv
}

# Of the section EXAMPLES of the page $1, the commands: one a line.
examples()
{
	awk '/^\.Sh/ { on = /EXAMPLES/ }
	!on { next }
	sub(/^\.Dl /, "") { print; next }
	/^\.Bd -literal/ { literal = 1; next }
	/^\.Ed/ { literal = 0 }
	literal { print }' "$1" | sed 's/\\e$/\\/' |
		sed -e ':a' -e '/\\$/{N;s/\\\n *//;ta' -e '}' \
			-e '/|$/{N;s/\n */ /;ta' -e '}' | grep '^fairway '
}

# The last command of a pipe gives the status, so look at the messages too.
runs()
{
	timeout 120 bash -c "$1" 2>"$cli_dir/err" &&
		! grep '^fairway [a-z]*:' "$cli_dir/err" && return
	cat "$cli_dir/err"
	return 1
}

# one PAGE EXAMPLE
one()
{
	case $2 in
	*--html*)
		if ! command -v gnuplot >/dev/null; then
			skip "$1: $2" "no gnuplot"
			return
		fi
		;;
	esac
	check "$1: $2" runs "$2"
}

check_pages()
{
	local page example num

	for page in "$cli_source"/man/*.1; do
		num=0
		while read -r example; do
			one "$(basename "$page")" "$example"
			num=$((num + 1))
		done < <(examples "$page")
		check "$(basename "$page") has examples" test "$num" -gt 0
	done
}

# Of the page $1, quotations in quotations.
nested()
{
	mandoc -T utf8 "$1" | tr '\n' ' ' | grep -o '“[^”]*“[^”]*”'
}

check_quotes()
{
	local page

	for page in "$cli_source"/man/*.[1-9]; do
		if ! command -v mandoc >/dev/null; then
			skip "$(basename "$page"): quotations" "no mandoc"
			continue
		fi
		# shellcheck disable=SC2251 # check() looks at the status
		check "$(basename "$page"): quotations" closed "$page"
	done
}

closed() { ! nested "$1"; }

make_command
make_files
check_pages
check_quotes
cli_end
