#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The library's ABI is the recorded one, and that of the last tag under the same
# SONAME lives on in it (abi/README.md). Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
: "${srcdir:=.}" "${builddir:=.}" "${CC:=cc}"
library=$builddir/.libs/libfairway.so
dump=$srcdir/abi/libfairway.abi
headers=$srcdir/include/fairway

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

command -v abidiff >/dev/null || skip_all 'no abidiff (abigail-tools)'
[ -e "$library" ] || skip_all 'no shared library'
# The dump is of gcc's debug information.
$CC --version 2>/dev/null | grep -qi 'free software foundation' ||
	skip_all 'another compiler than gcc'
readelf -S "$library" | grep -q '\.debug_info' ||
	skip_all 'a library without debug information'
case $(uname -m) in
x86_64) ;;
*) skip_all 'the dump is of x86_64' ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# shellcheck source=tests/support/tap.sh
. "$(dirname "$0")/../support/tap.sh"

# What differs from a dump in what the public headers show.
differs()
{
	abidiff --headers-dir1 "$headers" --headers-dir2 "$headers" "$@" \
		"$library"
}

# A change, or a dump that cannot be read, is a difference.
refused() { ! differs "$@"; }

soname_of() { sed -n "1s/.*soname='\([^']*\)'.*/\1/p" "$1"; }

# Of the last tag, where this is a clone that has one.
last_tag()
{
	local tag

	tag=$(git -C "$srcdir" describe --tags --abbrev=0 2>/dev/null) &&
		git -C "$srcdir" show "$tag:abi/libfairway.abi" \
			>"$dir/tag.abi" 2>/dev/null && echo "$tag"
}

# What was there is still there; more may be.
lives_on()
{
	[ "$(soname_of "$dir/tag.abi")" != "$(soname_of "$dump")" ] ||
		differs --no-added-syms "$dir/tag.abi"
}

check 'the ABI is the recorded one' differs "$dump"
if tag=$(last_tag); then
	check "that of $tag lives on" lives_on
fi

# It would be told: a function that is gone, a member of another type.
sed "s/name='fw_submit'/name='fw_submit_old'/; s/mangled-name='fw_submit'/mangled-name='fw_submit_old'/; s/elf-symbol-id='fw_submit@/elf-symbol-id='fw_submit_old@/" \
	"$dump" >"$dir/gone.abi"
check 'a function that is gone is told' refused "$dir/gone.abi"
member=$(grep -n "var-decl name='hit' type-id" "$dump" | head -n 1 | cut -d: -f1)
sed "$((member - 1)),${member}s/layout-offset-in-bits='[0-9]*'/layout-offset-in-bits='4096'/" \
	"$dump" >"$dir/moved.abi"
check 'a member that moved is told' refused "$dir/moved.abi"
echo "1..$number"
exit "$failed"
