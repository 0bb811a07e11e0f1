# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# TAP for scripts that build and look: sourced once $dir, a folder for the log,
# is there. $number counts the cases, and $failed is 1 once one has failed.

number=0
failed=0

# check NAME COMMAND...: passes when the command does; else shows how it ended
check()
{
	local name=$1

	shift
	number=$((number + 1))
	# shellcheck disable=SC2154 # of the script that sources this
	if "$@" >"$dir/log" 2>&1; then
		echo "ok $number - $name"
		return
	fi
	# shellcheck disable=SC2034 # read by the script
	failed=1
	tail -n 40 "$dir/log" | sed 's/^/# /'
	echo "not ok $number - $name"
}
