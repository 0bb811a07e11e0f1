#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The lock-free parts and their tests on aarch64, by a cross compiler and user
# emulation, with both kinds of atomic instructions that this machine has. It
# shows that the code is portable and that a futex is one; it does not show
# weak memory order, since the emulator runs on a machine without. Prints TAP.
set -u
: "${srcdir:=.}"
cross=aarch64-linux-gnu-gcc
emulator=qemu-aarch64
parts=(alloc gate histogram inbox slots stats_text thread_number)
tests=(test_gate test_histogram test_inbox test_slots test_stats_text
	torture_gate torture_histogram torture_inbox torture_slots)
number=0
failed=0

for tool in "$cross" "$emulator"; do
	command -v "$tool" >/dev/null && continue
	echo "no $tool"
	exit 77
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 'int main(void) { return 0; }' >"$dir/empty.c"
if ! "$cross" -static -o "$dir/empty" "$dir/empty.c" 2>/dev/null; then
	echo "$cross has no C library to link"
	exit 77
fi

# files DIR NAME...: where each NAME.c stands below DIR
files()
{
	local dir=$1 name

	shift
	for name; do
		find "$source/$dir" -name "$name.c"
	done
}

# build DIR OPTION: the parts and what the tests share, as an archive
build()
{
	mkdir "$1" && (
		cd "$1" || exit
		"$cross" "${flags[@]}" "$2" -c "${parts[@]}" "${shared[@]}" 2>&1
	)
}

# passes DIR OPTION TEST
passes()
{
	"$cross" "${flags[@]}" "$2" -o "$1/$3" "$(files tests "$3")" \
		"$1"/*.o -lm && timeout 300 "$emulator" "$1/$3"
}

# result STATUS NAME LOG
result()
{
	number=$((number + 1))
	grep '^#' "$3"
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failed=1
		sed 's/^/# /' "$3"
		echo "not ok $number - $2"
	fi
}

source=$(cd "$srcdir" && pwd)
mapfile -t parts < <(files lib "${parts[@]}")
mapfile -t shared < <(files tests exposition fail_alloc)
flags=(-std=gnu11 -O2 -g -static -pthread -Wall -Wextra -Werror -D_GNU_SOURCE
	-DTORTURE_SLOW -I"$(dirname "$(find "$source/tests" -name check.h)")"
	-I"$source/include" -iquote "$source")

for kind in outline-atomics no-outline-atomics; do
	build "$dir/$kind" "-m$kind" >"$dir/log"
	result $? "the parts build with -m$kind" "$dir/log"
	for test in "${tests[@]}"; do
		passes "$dir/$kind" "-m$kind" "$test" >"$dir/log" 2>&1
		result $? "$test passes with -m$kind" "$dir/log"
	done
done
echo "1..$number"
exit "$failed"
