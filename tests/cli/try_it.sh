#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every command of docs/try-it.md, in its order and in one folder: it must run,
# and print what is shown below it, line by line; "..." stands for lines that
# are left out. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

guide=$cli_source/docs/try-it.md

# Lines of the blocks that are commands and what they print.
console()
{
	awk '/^```console$/ { inside = 1; next }
		/^```$/ && inside { inside = 0; print "."; next }
		inside' "$guide"
}

needs_gnuplot()
{
	case $1 in
	*--html*) ! command -v gnuplot >/dev/null ;;
	*) return 1 ;;
	esac
}

fairway() { "$fairway" "$@"; }

# Whether all lines of shown stand in the output, in order.
runs()
{
	eval "$1" >"$cli_dir/out" 2>"$cli_dir/err" || {
		cat "$cli_dir/err"
		return 1
	}
	awk 'NR == FNR { have[NR] = $0; num = NR; next }
		$0 == "..." { next }
		{
			while (at < num && have[++at] != $0)
				;
			if (at == num && have[at] != $0) {
				print "not printed: " $0
				exit 1
			}
		}' "$cli_dir/out" "$cli_dir/shown"
}

end_command()
{
	[ -z "$command" ] && return
	if needs_gnuplot "$command"; then
		skip "$command" "no gnuplot"
	else
		check "$command" runs "$command"
	fi
	command=
	: >"$cli_dir/shown"
}

command=
: >"$cli_dir/shown"
while IFS= read -r line; do
	case $line in
	'$ '*)
		end_command
		command=${line#'$ '}
		;;
	.) end_command ;;
	*) printf '%s\n' "$line" >>"$cli_dir/shown" ;;
	esac
done < <(console)
check "the guide has commands" test "$cli_num" -gt 6
cli_end
