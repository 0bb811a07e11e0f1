#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# layers.sh must pass a tree that keeps its rules and name what breaks them.
# Each case makes a small tree, breaks it in one way and says which checks must
# then fail. Prints TAP.

set -u
: "${srcdir:=.}" "${CC:=cc}"
script=$(cd "$srcdir/tests/build" && pwd)/layers.sh
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 1
number=0
failed=0

# fresh: two folders of the library and one of the command on both, without a
# fault
fresh()
{
	rm -rf lib tools tests
	mkdir -p lib/low lib/high tools/top tests/build cuda examples
	printf '%s\n' 'lib/low  ->' 'lib/high -> lib/low' '' \
		'tools/top -> lib' >tests/build/layers.txt
	echo 'int low(void);' >lib/low/low.h
	echo 'int pair(void);' >lib/low/pair.h
	printf '%s\n' '#include "low.h"' '#include "pair.h"' \
		'int low(void) { return pair(); }' >lib/low/low.c
	printf '%s\n' '#include "pair.h"' 'int pair(void) { return 1; }' \
		>lib/low/pair.c
	echo 'int high(void);' >lib/high/high.h
	printf '%s\n' '#include "high.h"' '#include "lib/low/low.h"' \
		'int high(void) { return low(); }' >lib/high/high.c
	printf '%s\n' '#include "lib/high/high.h"' \
		'int main(void) { return high(); }' >tools/top/top.c
	printf '{\nglobal:\n\tfw_open;\nlocal: *;\n};\n' >lib/fairway.map
	show_rules
}

show_rules()
{
	printf '%s\n' '# Architecture' '```layers' >ARCHITECTURE.md
	cat tests/build/layers.txt >>ARCHITECTURE.md
	echo '```' >>ARCHITECTURE.md
}

compile()
{
	local file

	for file in lib/*/*.c tools/*/*.c; do
		# $CC may hold options, as in "gcc -std=gnu11".
		# shellcheck disable=SC2086
		$CC -I. -c -o "${file%/*}/prefix-$(basename "$file" .c).o" \
			"$file" || return
	done
}

# fails DESCRIPTION NUMBER...: which checks of the tree as it stands must fail
fails()
{
	local what=$1 want got

	shift
	want="$*"
	number=$((number + 1))
	if compile >log 2>&1; then
		srcdir=. builddir=. bash "$script" >log 2>&1
	fi
	got=$(sed -n 's/^not ok \([0-9]*\) .*/\1/p' log | xargs)
	if [ "$got" = "$want" ] && grep -q '^ok' log; then
		echo "ok $number - $what"
		return
	fi
	failed=1
	sed 's/^/# /' log
	echo "not ok $number - $what"
}

echo 1..14

fresh
fails "a tree that keeps its rules passes"

fresh
echo 'tools/top -> lib lib' >>ARCHITECTURE.md
sed -i 's/^lib.high.*/lib\/high ->/' ARCHITECTURE.md
fails "a picture that is not the rules" 1

fresh
echo '#include "lib/high/high.h"' >>lib/low/pair.c
fails "an include upwards, which makes a circle too" 2 3

fresh
mkdir lib/side
echo '#include "lib/low/low.h"' >lib/side/side.h
echo 'lib/side -> lib/high' >>tests/build/layers.txt
show_rules
fails "an include aside, and a rule that nothing needs" 2 8

fresh
mkdir lib/side
echo '#include "lib/low/low.h"' >lib/side/side.h
fails "a folder without a rule" 2

fresh
sed -i 's/^lib.low .*/lib\/low -> lib\/high/' tests/build/layers.txt
show_rules
echo '#include "lib/high/high.h"' >>lib/low/pair.c
fails "a circle of folders that the rules allow" 3

fresh
sed -i '1i #pragma once\n#include "pair.h"' lib/low/low.h
sed -i '1i #pragma once\n#include "low.h"' lib/low/pair.h
fails "two headers that include each other" 4

fresh
printf '%s\n' 'int high(void);' 'int up(void) { return high(); }' \
	>>lib/low/pair.c
fails "a call upwards without an include" 5 6

fresh
printf '%s\n' 'int low(void);' 'int back(void) { return low(); }' \
	>>lib/low/pair.c
fails "two files of a folder that call each other" 7

fresh
printf '%s\n' 'extern int table;' 'int *back(void) { return &table; }' \
	>>lib/low/pair.c
echo 'int table;' >>lib/low/low.c
fails "or use each other's data" 7

fresh
sed -i 's/high(void)/fw_open(void)/; s/return high/return fw_open/' \
	lib/high/high.? tools/top/top.c
printf '%s\n' 'int fw_open(void);' 'int up(void) { return fw_open(); }' \
	>>lib/low/pair.c
fails "what the library exports may be called from below"

fresh
printf '%s\n' 'int low(void);' 'int back(void) { return low(); }' \
	>>lib/low/pair.c
compile
mv lib/low/prefix-pair.o gone.o
fresh
mv gone.o lib/low/prefix-gone.o
fails "an object whose source is gone says nothing"

fresh
cat >Makefile.am <<'EOF'
lib_libcore_la_SOURCES = \
	lib/low/low.c \
	tools/top/top.c
EOF
fails "a source of the library outside of lib" 9
rm Makefile.am

fresh
rm tests/build/layers.txt
fails "no rules at all" 1 2 5 8
exit "$failed"
