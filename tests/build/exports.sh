#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the shared library offers is what its version script and its headers
# promise, and nothing of it leaks to users of the headers.

set -u
: "${srcdir:=.}" "${builddir:=.}" "${CC:=cc}"
map=$srcdir/lib/fairway.map
shared=$builddir/.libs/libfairway.so
headers=("$srcdir"/include/fairway/{cache,config,executor,order,plan,request,runtime,stats}.h
	"$builddir/include/fairway/fairway.h")
number=0

# result STATUS NAME: one line of TAP
result()
{
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
	fi
}

skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

map_names()
{
	sed -n '/global:/,/local:/s/^\t\(fw_[a-z0-9_]*\);$/\1/p' "$map" | sort
}

header_names()
{
	cat "${headers[@]}" |
		sed '/^ \*/d; /^\/\*/d' |
		grep -oE '\bfw_[a-z0-9_]+\(' | tr -d '(' | sort -u
}

shared_names()
{
	nm -D --defined-only "$shared" | awk '$2 ~ /[TDBR]/ { print $3 }' |
		sed 's/@.*//' | sort
}

# A sanitizer build needs its runtime as well.
foreign_libraries()
{
	readelf -d "$shared" | grep NEEDED |
		grep -vE '\[(libc|libm|ld-|liburcu-(bp|common)|lib[a-z]+san|libgcc_s)'
}

echo 1..8

diff <(header_names) <(map_names) >&2
result $? "the version script names what the headers declare"

# The list that dpkg takes to know from which version on a program runs.
debian_names()
{
	sed -n 's/^ \(fw_[a-z_]*\)@FAIRWAY_.*/\1/p' \
		"$srcdir/debian/libfairway0.symbols"
}

if [ -e "$srcdir/debian" ]; then
	diff <(map_names) <(debian_names | sort) >&2
	result $? "Debian's list of symbols has these names, too"
else
	skip "Debian's list of symbols has these names, too" \
		"a released archive has no debian/"
fi

if [ -e "$shared" ]; then
	diff <(map_names) <(shared_names) >&2
	result $? "the shared library exports these names and no others"
else
	skip "the shared library exports these names and no others" \
		"no shared library was built"
fi

# An allocator above all, which would replace that of the host's process.
if [ -e "$shared" ]; then
	! foreign_libraries >&2
	result $? "the shared library needs only libc and liburcu"
else
	skip "the shared library needs only libc and liburcu" \
		"no shared library was built"
fi

includes=(-I"$builddir/include" -I"$srcdir/include" -fsyntax-only)
strict=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
use='#include <fairway/fairway.h>
#include <fairway/cuda.h>'

# $CC may hold options, as in "gcc -std=gnu11".
# shellcheck disable=SC2086
printf '%s\n' "$use" | $CC -std=c11 "${strict[@]}" "${includes[@]}" -x c - >&2
result $? "the headers are plain C11"

if echo 'int i;' | $CC -x c++ -fsyntax-only - 2>/dev/null; then
	# shellcheck disable=SC2086
	printf '%s\n' "$use" |
		$CC -std=c++11 "${strict[@]}" "${includes[@]}" -x c++ - >&2
	result $? "the headers are plain C++11"
else
	skip "the headers are plain C++11" "no C++ compiler"
fi

# The CUDA executor's library, where one was built, by the same two checks.
map=$srcdir/cuda/fairway_cuda.map
shared=$builddir/.libs/libfairway-cuda.so
headers=("$srcdir/include/fairway/cuda.h")
diff <(header_names) <(map_names) >&2
result $? "the version script of libfairway-cuda names what cuda.h declares"
if [ -e "$shared" ]; then
	diff <(map_names) <(shared_names) >&2
	result $? "libfairway-cuda exports these names and no others"
else
	skip "libfairway-cuda exports these names and no others" "no CUDA"
fi
