#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The library builds alone: without the command and where pkg-config knows
# nothing but liburcu. A program that uses it links and runs. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name

set -u
: "${srcdir:=.}" "${CC:=cc}"
source=$(cd "$srcdir" && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# Started by a make, whose options are not for the ones below.
unset MAKEFLAGS MFLAGS

# shellcheck source=tests/support/tap.sh
. "$(dirname "$0")/../support/tap.sh"

# A folder that pkg-config takes instead of its own.
only_liburcu()
{
	local name

	mkdir "$dir/pkgconfig"
	for name in liburcu-bp liburcu-cds; do
		ln -s "$(pkg-config --variable=pcfiledir $name)/$name.pc" \
			"$dir/pkgconfig/" || return
	done
}

configure_alone()
{
	mkdir "$dir/build" && cd "$dir/build" &&
		env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$dir/pkgconfig" \
			CC="$CC" CFLAGS=-O0 "$source/configure" -q \
			--disable-command --with-cuda=no
}

has_no_command()
{
	make -j2 all && [ ! -e fairway ] && [ ! -e tools/libtools.la ]
}

if grep -q '^#define WITH_SANITIZER 1' "${builddir:=.}/config.h"; then
	echo "as in a build without sanitizers"
	exit 77
fi
if [ -e "$source/config.status" ]; then
	echo "the source tree is a build folder itself"
	exit 77
fi
echo 1..4
only_liburcu
check "configure asks for liburcu alone" configure_alone
cd "$dir/build" || exit 1
check "make lib builds the library" make -j2 lib
check "make all builds no command" has_no_command
check "a program runs on it" examples/order
exit "$failed"
