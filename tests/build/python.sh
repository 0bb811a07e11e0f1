#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The Python package builds from this tree, without a warning, and its tests
# pass. Nothing is fetched or installed: it is built by the setuptools that are
# there, into a folder of its own. Prints TAP.

set -u
# shellcheck source=tests/support/python.sh
. "$(dirname "$0")/../support/python.sh"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# result STATUS NAME: one line of TAP, after what was said
result()
{
	[ "$1" -eq 0 ] && echo "ok $2" && return
	failed=1
	sed 's/^/# /' "$dir/log"
	echo "not ok $2"
}

build()
{
	local flags="-Wall -Wextra -Werror -Wno-missing-field-initializers"

	(cd "$srcdir/python" && CFLAGS=$flags "$PYTHON" setup.py -q build \
		--build-base "$dir/base" --build-lib "$dir/lib" \
		egg_info --egg-base "$dir") >"$dir/log" 2>&1
}

# needed: what the extension links beside libc
needed()
{
	readelf -d "$dir"/lib/fairway/_core*.so | grep NEEDED |
		grep -vE '\[(libc|libm|libpthread)\.so'
}

# test_file NAME
test_file()
{
	PYTHONPATH=$dir/lib PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=debug \
		"$PYTHON" -W error "$srcdir/python/tests/$1.py" \
		>"$dir/log" 2>&1
}

echo 1..7
build
result $? "1 - the package builds without a warning"
needed >"$dir/log" 2>&1
[ ! -s "$dir/log" ]
result $? "2 - the extension needs no other library"
test_file test_order
result $? "3 - orders and caches equal their plainest forms"
test_file test_calls
result $? "4 - calls refuse what they must, and let all objects go"
test_file test_settings
result $? "5 - settings, the clock and what observes do what they promise"
test_file test_queue
result $? "6 - the queue does what vLLM's loop expects"
test_file test_walk
result $? "7 - a walk in which prompts pause equals its plainest form"
exit "$failed"
