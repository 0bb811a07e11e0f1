#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Section 3 of the manual: each exported function has a page whose prototype the
# compiler takes for that of the headers, each page tells all parameters and
# members, refers to pages that exist, and is sound mdoc. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
: "${srcdir:=.}" "${builddir:=.}" "${CC:=cc}" "${AWK:=awk}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
pages=$builddir/man/man3

# shellcheck source=tests/support/tap.sh
. "$(dirname "$0")/../support/tap.sh"

exported() { sed -n 's/^\t\(fw_[a-z_]*\);$/\1/p' "$srcdir/lib/fairway.map"; }

all_there()
{
	local name missing=0

	while read -r name; do
		[ -e "$pages/$name.3" ] && continue
		echo "no page $name(3)"
		missing=1
	done < <(exported)
	[ "$(exported | wc -l)" -gt 40 ] && return "$missing"
}

# The prototypes of all pages, behind the headers: a compiler refuses another
# declaration of the same function.
prototypes()
{
	echo '#include <fairway/fairway.h>'
	exported | while read -r name; do
		awk '
			/^\.Ft / { sub(/^\.Ft /, ""); gsub(/"/, ""); print }
			/^\.Fo / { print $2 "("; first = 1 }
			/^\.Fa "/ { sub(/^\.Fa /, ""); gsub(/"/, "")
				print (first ? "" : ", ") $0; first = 0 }
			/^\.Fc/ { print ");"; exit }' "$pages/$name.3"
	done
}

prototypes_agree()
{
	prototypes >"$dir/all.c"
	[ "$(grep -c '^);' "$dir/all.c")" -eq "$(exported | wc -l)" ] || return
	# shellcheck disable=SC2086 # $CC may hold options
	$CC -std=c11 -Wall -Werror -fsyntax-only -I"$builddir/include" \
		-I"$srcdir/include" "$dir/all.c"
}

# Each name that a prototype, a struct or an enum declares is an item of the
# list. What is reserved needs no words.
items_told()
{
	local page missing=0

	for page in "$pages"/*.3; do
		awk -v page="$(basename "$page")" '
			/^\.Sh DESCRIPTION/ { described = 1 }
			/^\.Fa "/ && !described && !/"void"/ {
				sub(/"$/, ""); sub(/\[.*/, "")
				sub(/.*[ *]/, ""); want[$0] = 1 }
			/^\.Bd/ { code = 1; next }
			/^\.Ed/ { code = 0 }
			code && !described && /^\tFW_/ {
				sub(/^\t/, ""); sub(/,.*/, ""); want[$0] = 1 }
			code && !described && /^\t[a-z].*;$/ {
				sub(/\[.*/, ""); sub(/;$/, "")
				if (/\(\*/) { sub(/.*\(\*/, ""); sub(/\).*/, "") }
				sub(/.*[ *]/, "")
				if (!/^reserved/ && !/\)/) want[$0] = 1 }
			described && /^\.It / { have[$3] = 1 }
			END { for (name in want) if (!(name in have)) {
				print page ": nothing on " name; bad = 1 }
				exit bad }' "$page" || missing=1
	done
	return "$missing"
}

references_exist()
{
	local name section missing=0

	while read -r name section; do
		[ -e "$pages/$name.$section" ] ||
			[ -e "$srcdir/man/$name.$section" ] && continue
		echo "no $name($section)"
		missing=1
	done < <(sed -n 's/^\.Xr \([a-z_-]*\) \([0-9]\).*/\1 \2/p' \
		"$pages"/*.3 | sort -u)
	return "$missing"
}

# Any awk makes the same pages.
same_by()
{
	local headers=() absent=fairway.h

	# The pages of cuda.h are made where that part is built.
	[ -e "$pages/fw_executor_cuda.3" ] || absent=cuda.h
	mapfile -t headers < <(find "$srcdir/include/fairway" -name '*.h' \
		! -name fairway.h ! -name "$absent"
		echo "$srcdir/include/fairway/fairway.h.in")
	mkdir "$dir/$1"
	"$@" -v out="$dir/$1" -v date='December 1, 2026' \
		-f "$srcdir/man/section3.awk" "${headers[@]}" "${headers[@]}" &&
		diff -r "$pages" "$dir/$1"
}

sound() { mandoc -T lint -W warning "$pages"/*.3; }

if ! [ -e "$pages/fw_open.3" ]; then
	echo "1..0 # SKIP no manual was built here"
	exit 0
fi
check 'each exported function has a page' all_there
check 'its prototype is that of the headers' prototypes_agree
check 'parameters and members are told' items_told
check 'references lead somewhere' references_exist
for tool in mawk gawk original-awk; do
	if command -v $tool >/dev/null; then
		check "$tool makes the same pages" same_by $tool
	fi
done
if command -v mandoc >/dev/null; then
	check 'mandoc finds nothing' sound
fi
echo "1..$number"
exit "$failed"
