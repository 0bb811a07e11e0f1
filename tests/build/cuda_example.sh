#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# examples/cuda builds by nvcc and by what is installed alone, and its device
# and its host count the same. Without a device it says so. And a kernel that
# does not compile stops the build. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name

set -u
: "${srcdir:=.}" "${builddir:=.}"
source=$(cd "$srcdir" && pwd)
cd "$builddir" || exit 1
nvcc=$(sed -n 's/^NVCC = //p' Makefile)
if [ -z "$nvcc" ] || ! [ -e .libs/libfairway-cuda.so ]; then
	echo "no CUDA, or no shared library of it, in this build"
	exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir" cuda/broken.cu cuda/broken.lo' EXIT
root=$dir/root
number=0
failed=0

# result STATUS NAME: one line of TAP, after what is wrong
result()
{
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
		return
	fi
	failed=1
	tail -n 20 "$dir/log" | sed 's/^/# /'
	echo "not ok $number - $2"
}

flags()
{
	PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config \
		--define-variable=libdir="$root/lib" \
		--define-variable=includedir="$root/include" \
		"$@" fairway-cuda
}

build()
{
	# shellcheck disable=SC2046 # word by word
	"$nvcc" -Werror all-warnings -o "$dir/count" \
		"$source/examples/cuda/count.cu" $(flags --cflags --libs)
}

# What make install brings an embedder. It is not run, since it links the
# libraries anew, and other tests may be doing that.
put()
{
	mkdir -p "$root/lib/pkgconfig" "$root/include" &&
		cp -P .libs/libfairway.so* .libs/libfairway-cuda.so* \
			"$root/lib" &&
		cp lib/fairway.pc cuda/fairway-cuda.pc "$root/lib/pkgconfig" &&
		cp -r "$source/include/fairway" "$root/include" &&
		cp include/fairway/fairway.h "$root/include/fairway"
}

# By the rule that builds the library's kernels.
broken_fails()
{
	echo '__global__ void k(int *p) { *p = nothing; }' >cuda/broken.cu
	! env -u MAKEFLAGS -u MFLAGS make cuda/broken.lo
}

echo 1..4
broken_fails >"$dir/log" 2>&1 && grep -q nothing "$dir/log" &&
	! [ -e cuda/broken.lo ]
result $? "a kernel that does not compile stops the build"
put >"$dir/log" 2>&1
result $? "libraries, headers and pkg-config files are there"
build >"$dir/log" 2>&1
result $? "nvcc builds the example with what pkg-config says"
LD_LIBRARY_PATH=$root/lib "$dir/count" >"$dir/log" 2>&1
status=$?
if [ "$status" -eq 77 ]; then
	number=$((number + 1))
	echo "ok $number - device and host count the same # SKIP no device"
else
	result "$status" "device and host count the same"
fi
exit "$failed"
