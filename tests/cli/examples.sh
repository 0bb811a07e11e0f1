#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The examples do what the README says of them, and compile from what is
# installed alone. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
: "${srcdir:=.}" "${builddir:=.}" "${CC:=cc}"
source_dir=$(cd "$srcdir" && pwd)
build_dir=$(cd "$builddir" && pwd)
FAIRWAY=$build_dir/fairway
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# prints PROGRAM: exactly what comes on standard input
prints()
{
	diff - <("$build_dir/examples/$1")
}

check "order: hits overtake a miss for a quarter of its work" \
	prints order <<-END
	hit 1: 6000 of 6300 tokens are cached
	hit 2: 6000 of 6300 tokens are cached
	hit 3: 6000 of 6300 tokens are cached
	hit 4: 6000 of 6300 tokens are cached
	hit 5: 6000 of 6300 tokens are cached
	miss: 0 of 6000 tokens are cached
	hit 6: 6000 of 6300 tokens are cached
	END
check "runtime: what one prompt computes, the next ones hit" \
	prints runtime <<-END
	prompt 0: done, 0 of 133 tokens were cached
	prompt 1: done, 96 of 133 tokens were cached
	prompt 2: done, 96 of 133 tokens were cached
	207 tokens were computed
	END

# compiles FILE FLAG...: strictly, against the public headers alone
compiles()
{
	local file=$1

	shift
	# $CC may hold options, as in "gcc -std=gnu11".
	# shellcheck disable=SC2086
	$CC "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
		-I"$build_dir/include" -I"$source_dir/include" \
		"$source_dir/examples/$file"
}

check "cache: a hit counts while its blocks are cached" \
	prints cache <<-END
	nothing is cached: other (0 cached) first (0 cached) second (0 cached)
	the document is cached: first (800 cached) second (800 cached) other (0 cached)
	it was evicted: other (0 cached) first (0 cached) second (0 cached)
	END
check "order.c is plain C11" compiles order.c -std=c11
check "cache.c is plain C11" compiles cache.c -std=c11
check "runtime.c is plain C11" compiles runtime.c -std=c11
cli_end
