#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make uninstall takes back what make install brought, its own folder as well.
# Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/../cli/cli_lib.sh"
build=$PWD
if ! [ -e Makefile ]; then
	echo "1..0 # SKIP no build here to install"
	exit 0
fi
cli_begin

make_it()
{
	# Not a part of the make that runs the tests.
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$build" "$1" \
		DESTDIR="$PWD/root"
}

# That of the build: libfairway-cuda needs libfairway, and libtool ties it there.
prefix=root$(sed -n 's/^prefix = //p' "$build/Makefile")

holds_header() { [ -e "$prefix/include/fairway/fairway.h" ]; }

# All that are C: the README names each of them.
holds_examples()
{
	local example

	for example in "$cli_source"/examples/*.c; do
		cmp "$example" "$prefix/share/doc/fairway/examples/${example##*/}" ||
			return
	done
}

# No file, and no folder that only Fairway puts files into.
is_clean()
{
	local left

	left=$(find root ! -type d; find "$prefix" -type d -name '*fairway*')
	[ -z "$left" ] && return
	echo "$left"
	return 1
}

check 'it installs' make_it install
check 'its headers, too' holds_header
check 'its examples, too' holds_examples
check 'it uninstalls' make_it uninstall
check 'and leaves nothing of its own' is_clean
cli_end
