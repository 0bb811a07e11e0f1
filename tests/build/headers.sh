#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each public header stands alone: it compiles first and by itself, as strict
# C11 and C++17, twice in one file too.

set -u
: "${srcdir:=.}" "${builddir:=.}" "${CC:=cc}"
headers=(config cuda executor fairway order plan policy request runtime stats)
flags=(-Wall -Wextra -pedantic -Werror -fsyntax-only
	-I"$builddir/include" -I"$srcdir/include")
number=0

# compile HEADER LANGUAGE STANDARD
compile()
{
	# $CC may hold options, as in "gcc -std=gnu11".
	# shellcheck disable=SC2086
	printf '#include <fairway/%s.h>\n' "$1" "$1" |
		$CC "-std=$3" "${flags[@]}" -x "$2" - >&2
}

have_cxx()
{
	# shellcheck disable=SC2086
	echo 'int i;' | $CC -std=c++17 "${flags[@]}" -x c++ - 2>/dev/null
}

# check HEADER LANGUAGE STANDARD
check()
{
	local name="$1.h is plain ${3^^} by itself"

	number=$((number + 1))
	if [ "$2" = c++ ] && ! have_cxx; then
		echo "ok $number - $name # SKIP no C++ compiler"
	elif compile "$@"; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
	fi
}

echo "1..$((2 * ${#headers[@]}))"
for header in "${headers[@]}"; do
	check "$header" c c11
	check "$header" c++ c++17
done
