# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For tests that drive the command: source it, call cli_begin, check, and end
# with cli_end. Each check prints a line of TAP. All runs take place in a
# folder of their own, which is removed at the end.
# shellcheck disable=SC2317 # check() calls functions by name

LC_ALL=C
export LC_ALL
cli_num=0
cli_failed=0
# The top of the source tree, wherever below it this script stands.
cli_source=$(cd "$(dirname "$0")" && until [ -e configure.ac ]; do cd ..; done && pwd)

cli_begin()
{
	fairway=${FAIRWAY:-$cli_source/build/fairway}
	if ! [ -x "$fairway" ]; then
		echo "Bail out! $fairway is no command"
		exit 1
	fi
	fairway=$(cd "$(dirname "$fairway")" && pwd)/$(basename "$fairway")
	cli_dir=$(mktemp -d) || exit 1
	trap 'rm -rf "$cli_dir"' EXIT
	mkdir "$cli_dir/work" && cd "$cli_dir/work" || exit 1
}

cli_end()
{
	echo "1..$cli_num"
	exit "$cli_failed"
}

# check DESCRIPTION COMMAND...: passes when the command succeeds; what it
# prints is shown when it does not.
check()
{
	local what=$1

	shift
	cli_num=$((cli_num + 1))
	if "$@" >"$cli_dir/log" 2>&1; then
		echo "ok $cli_num - $what"
		return
	fi
	cli_failed=1
	echo "not ok $cli_num - $what"
	sed 's/^/# /; 20q' "$cli_dir/log"
}

skip()
{
	cli_num=$((cli_num + 1))
	echo "ok $cli_num - $1 # SKIP $2"
}

# Says why no command can be run on a terminal by script(1); fails where one
# can. Some machines have no script, others no terminal to give to it.
no_terminal()
{
	if ! command -v script >/dev/null; then
		echo 'no script(1)'
		return
	fi
	! timeout 10 script -qec true /dev/null </dev/null >/dev/null 2>&1 &&
		echo 'no terminal for script(1)'
}

# run ARGUMENT...: the command; leaves out and err, outside of its folder, and
# the variable status.
run()
{
	"$fairway" "$@" >"$cli_dir/out" 2>"$cli_dir/err"
	status=$?
}

# interrupt SIGNAL SECONDS ARGUMENT...: as run, but the command gets the signal
# after so many seconds.
interrupt()
{
	local signal=$1 seconds=$2 pid

	shift 2
	# Bash has what it starts in the background ignore SIGINT.
	env --default-signal="$signal" "$fairway" "$@" \
		>"$cli_dir/out" 2>"$cli_dir/err" &
	pid=$!
	sleep "$seconds"
	kill -s "$signal" "$pid"
	wait "$pid"
	status=$?
}

# Whether the last run ended with this status and said so in exactly one line
# on standard error that has each of these parts, and nothing on the other.
told()
{
	local want=$1 part

	shift
	if [ "$status" -ne "$want" ]; then
		echo "status $status, expected $want"
		cat "$cli_dir/err"
		return 1
	fi
	if [ "$(wc -l <"$cli_dir/err")" -ne 1 ] ||
		[ "$(tail -c 1 "$cli_dir/err" | od -An -tx1)" != " 0a" ]; then
		echo "expected one line on standard error:"
		cat "$cli_dir/err"
		return 1
	fi
	for part in "$@"; do
		grep -qF -- "$part" "$cli_dir/err" && continue
		echo "expected '$part' in:"
		cat "$cli_dir/err"
		return 1
	done
	if [ -s "$cli_dir/out" ]; then
		echo "expected nothing on standard output:"
		cat "$cli_dir/out"
		return 1
	fi
}

# Whether the last run went well.
went()
{
	[ "$status" -eq 0 ] && return
	echo "status $status"
	cat "$cli_dir/err"
	return 1
}

# says TEXT...: the last run went well and its output has each of these.
says()
{
	local part

	went || return
	for part in "$@"; do
		grep -qF -- "$part" "$cli_dir/out" && continue
		echo "expected '$part' in:"
		cat "$cli_dir/out"
		return 1
	done
}

# documented COMMAND: the manual describes each option that --help tells; that
# it stands in the synopsis is not enough.
documented()
{
	local option missing=0

	run "$1" --help
	sed '1,/^\.Sh DESCRIPTION/d' "$cli_source/man/fairway-$1.1" \
		>"$cli_dir/described"
	while read -r option; do
		grep -Eq "(^|[ .])Fl -${option#--}( |\$)" \
			"$cli_dir/described" && continue
		echo "$option"
		missing=1
	done < <(grep -Eo '^  --[a-z-]+' "$cli_dir/out")
	return "$missing"
}

# refuses COMMAND DESCRIPTION PART... -- ARGUMENT...: a check that these are bad
# input, told with each of the parts.
refuses()
{
	local command=$1 what=$2 parts=()

	shift 2
	while [ "$1" != -- ]; do
		parts+=("$1")
		shift
	done
	shift
	run "$command" "$@"
	check "$what" told 2 "fairway $command: " "${parts[@]}"
}

# Whether the folder holds exactly these files, hidden ones counted.
holds()
{
	local want have

	want=$(printf '%s\n' "$@" | sort)
	have=$(ls -A)
	[ "$have" = "$want" ] && return
	echo "expected: $want"
	echo "found: $have"
	return 1
}
