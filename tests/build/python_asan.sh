#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The Python extension under address sanitizer: its tests pass, no memory is used
# that is not ours, and none of ours is left behind. The interpreter is not built
# so, so the sanitizer is preloaded, and only leaks with a frame of the extension
# count. Prints TAP.

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
	tail -n 60 "$dir/log" | sed 's/^/# /'
	echo "not ok $2"
}

asan=$(gcc -print-file-name=libasan.so 2>/dev/null)
[ -e "$asan" ] || skip "no gcc with address sanitizer"

build()
{
	local flags="-fsanitize=address -g -O1 -fno-omit-frame-pointer"

	(cd "$srcdir/python" && CC=gcc CFLAGS=$flags LDFLAGS=-fsanitize=address \
		"$PYTHON" setup.py -q build --build-base "$dir/base" \
		--build-lib "$dir/lib" egg_info --egg-base "$dir") \
		>"$dir/log" 2>&1
}

# checked FILE ARGUMENT...: 23 when the sanitizer found a fault
checked()
{
	LD_PRELOAD=$asan PYTHONPATH=$dir/lib PYTHONDONTWRITEBYTECODE=1 \
		PYTHONMALLOC=malloc \
		ASAN_OPTIONS="detect_leaks=1:exitcode=23:fast_unwind_on_malloc=0" \
		"$PYTHON" "$@" >"$dir/log" 2>&1
}

# ours: leaks whose stack has a frame of the extension
ours()
{
	awk '/^(Direct|Indirect) leak/ { stack = "" } { stack = stack $0 "\n" }
		/^$/ { if (stack ~ /python\/csrc\//) printf "%s", stack
			stack = "" }' "$dir/log" >"$dir/ours"
	mv "$dir/ours" "$dir/log"
	[ ! -s "$dir/log" ]
}

# test_file NAME
test_file()
{
	checked "$srcdir/python/tests/$1.py"
	grep -qE '^OK' "$dir/log" &&
		! grep -q 'ERROR: AddressSanitizer' "$dir/log" && ours
}

echo 1..5
build
result $? "1 - the extension builds with address sanitizer"
# Without this the next two could not fail. The collector still finds an order.
cat >"$dir/leak.py" <<-'END'
	import ctypes, fairway
	ctypes.pythonapi.Py_IncRef(ctypes.py_object(fairway.Cache()))
END
checked "$dir/leak.py"
! ours
result $? "2 - a cache that is lost would be found"
test_file test_order
result $? "3 - orders and caches use and leave no memory that is not theirs"
test_file test_calls
result $? "4 - nor do calls that are refused, and objects that are let go"
test_file test_queue
result $? "5 - nor does the queue"
exit "$failed"
