#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Projects of others find an installation: by CMake and by pkg-config, also one
# that was moved after it was installed; and as a part of their own build.
# Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
: "${srcdir:=.}" "${CC:=cc}"
build=$PWD
source=$(cd "$srcdir" && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# Not a part of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL

# shellcheck source=tests/support/tap.sh
. "$(dirname "$0")/../support/tap.sh"

install_it()
{
	make -C "$build" install DESTDIR="$dir/root" &&
		mv "$dir/root$(sed -n 's/^prefix = //p' "$build/Makefile")" \
			"$dir/moved"
}

# project TARGET VERSION: a project of one file, built and run
project()
{
	local project=$dir/project-${1#*::}-$2

	mkdir -p "$project"
	cp "$source/examples/order.c" "$project"
	cat >"$project/CMakeLists.txt" <<-END
	cmake_minimum_required(VERSION 3.13)
	project(embedder C)
	find_package(fairway $2 REQUIRED CONFIG)
	add_executable(order order.c)
	target_link_libraries(order $1)
	END
	CC=$CC cmake -S "$project" -B "$project/build" \
		-DCMAKE_PREFIX_PATH="$dir/moved" &&
		cmake --build "$project/build" &&
		"$project/build/order"
}

refused()
{
	! project "$@" >"$dir/refused" 2>&1 &&
		grep -q "compatible with requested version \"$2\"" \
			"$dir/refused"
}

by_pkg_config()
{
	local pc

	pc=$(find "$dir/moved" -name fairway.pc)
	# shellcheck disable=SC2046,SC2086 # options
	PKG_CONFIG_PATH=${pc%/*} $CC -o "$dir/by-pc" \
		"$source/examples/order.c" $(PKG_CONFIG_PATH=${pc%/*} \
			pkg-config --define-variable=prefix="$dir/moved" \
			--cflags --libs fairway) &&
		LD_LIBRARY_PATH=$(cd "${pc%/*}/.." && pwd) "$dir/by-pc"
}

if ! command -v cmake >/dev/null; then
	echo "1..0 # SKIP no cmake"
	exit 0
fi
# With a sanitizer the program that links the library needs it, too.
if grep -q '^SANITIZER_FLAGS = .' "$build/Makefile"; then
	echo "1..0 # SKIP a library with a sanitizer"
	exit 0
fi
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$build/Makefile")
check 'it installs, and can be moved' install_it
if [ -e "$build/.libs/libfairway.so" ]; then
	check 'CMake finds the shared library' project fairway::fairway \
		"${version%.*}"
fi
if [ -e "$build/.libs/libfairway.a" ]; then
	check 'and the static one' project fairway::static ''
fi
check 'not for another minor version' refused fairway::fairway 0.99
check 'pkg-config finds it' by_pkg_config
echo "1..$number"
exit "$failed"
