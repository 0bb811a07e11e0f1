#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Faults put into the CUDA executor are noticed: by the double of the CUDA
# runtime, or by the tests that run on it. Each mutant is one file of cuda/ with
# one change, linked with the tests as they were built. Prints TAP.
# shellcheck disable=SC2016 # programs of sed

set -u
: "${srcdir:=.}" "${builddir:=.}" "${CC:=cc}"
# They are the same in every build.
if [ "${FAIRWAY_MUTANTS:-yes}" != yes ]; then
	echo "FAIRWAY_MUTANTS=$FAIRWAY_MUTANTS"
	exit 77
fi
source=$(cd "$srcdir" && pwd)
cd "$builddir" || exit 1
if grep -q '^#define WITH_SANITIZER 1' config.h; then
	echo "as in a build without sanitizers"
	exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0
failed=0
# With a child for each test a crash is one failure, too.
export CK_FORK=yes

compile()
{
	# $CC may hold options, as in "gcc -std=gnu11".
	# shellcheck disable=SC2086
	$CC -std=gnu11 -O1 -D_GNU_SOURCE -pthread -I"$source/tests/cuda_double" \
		-Iinclude -I"$source/include" -I"$source" -I"$source/cuda" \
		-c -o "$dir/mutant.o" "$1"
}

# link TEST: the mutant comes before the archive that has the sound file
link()
{
	local objects

	read -r -a objects <<<"$(echo tests/unit/cuda/"$1"-*.o)"
	# shellcheck disable=SC2046,SC2086
	./libtool --silent --tag=CC --mode=link $CC -pthread -no-install \
		-o "$dir/$1" "${objects[@]}" "$dir/mutant.o" \
		tests/cuda_double/libcuda_double.la tests/libnaive.la \
		$(pkg-config --libs check)
}

# run TEST CASE: no more than a first failure is of interest
run()
{
	CK_RUN_CASE=$2 timeout 20 "$dir/$1" >"$dir/out" 2>&1
}

# notices TEST CASE: it fails, or does not come to its end
notices()
{
	local status

	run "$@"
	status=$?
	[ "$status" -ne 124 ] || echo "not ok: no end" >>"$dir/out"
	[ "$status" -ne 0 ] && grep -q '^not ok' "$dir/out"
}

# mutant NAME TEST CASE FILE PROGRAM: FILE changed by sed's PROGRAM
mutant()
{
	local name=$1 test=$2 case=$3 file=$4

	number=$((number + 1))
	sed "$5" "$source/cuda/$file" >"$dir/$file"
	if cmp -s "$source/cuda/$file" "$dir/$file"; then
		echo "# the change does not apply to cuda/$file any more"
	elif compile "$dir/$file" && link "$test" &&
		notices "$test" "$case"; then
		sed -n '/^not ok/{s,^.*threads\.c:,,;s/^/# /p;q;}' "$dir/out"
		echo "ok $number - noticed: $name"
		return
	fi
	failed=1
	echo "not ok $number - noticed: $name"
}

# Without a change it must pass, or the rest means nothing.
sound()
{
	number=$((number + 1))
	if compile "$source/cuda/$3" && link "$1" && run "$1" "$2"; then
		echo "ok $number - without a change $1 passes: $2"
		return
	fi
	failed=1
	sed 's/^/# /' "$dir/out"
	echo "not ok $number - without a change $1 passes: $2"
}

echo 1..19
sound test_cuda_threads plans submit.c
sound test_cuda_threads callbacks follow.c
sound test_cuda_layout layout layout.c
mutant "the side stream waits for no event" \
	test_cuda_threads plans submit.c \
	's/err = cudaStreamWaitEvent(.*);/err = cudaSuccess;/'
mutant "destroy frees what is in use" \
	test_cuda_threads close open.c \
	's/^\tfw_cuda_watch_stop(cuda);$//; s/^\t\tsync(.*);$//; s/^static void sync/__attribute__((unused)) &/; s/^\t\tfree_arrays(cuda);$/\t\tfw_cuda_watch_stop(cuda);&/'
mutant "the copy is from memory that is not pinned" \
	test_cuda_threads plans open.c \
	's/err = cudaHostAlloc(.*);/err = cudaSuccess; cuda->host = fw_alloc_array(\&cuda->allocator, 1, slots);/'
mutant "the callback is on the stream that computes" \
	test_cuda_threads plans follow.c \
	's/cudaLaunchHostFunc(cuda->side/cudaLaunchHostFunc(cuda->stream/'
mutant "the status of the launch is lost" \
	test_cuda_threads plans submit.c \
	's/slot->status = launch(/launch(/'
mutant "the status of a dead device is lost" \
	test_cuda_threads device follow.c \
	's/status = dead ? -ENODEV : slot->status;/status = slot->status + 0 * dead;/'
mutant "the callback calls CUDA" \
	test_cuda_threads plans follow.c \
	's/^\tfw_cuda_end(cuda, turn, false);$/\tcudaEventQuery(fw_cuda_slot_of(cuda, turn)->end);\n&/'
mutant "a late callback ends the slot's plan" \
	test_cuda_threads callbacks follow.c \
	's/uint64_t turn = ticket->turn;/uint64_t turn = fw_cuda_slot_of(cuda, ticket->turn)->turn;/'
mutant "nobody watches" \
	test_cuda_threads callbacks watch.c \
	's/^\t\tlook(cuda);$//; s/^static void look(/__attribute__((unused)) &/'
mutant "submit waits for the device" \
	test_cuda_threads plans submit.c \
	's/^\tslot->flight = flight;$/&\n\tcudaStreamSynchronize(cuda->stream);/'
mutant "the copy overwrites one that is to come" \
	test_cuda_threads plans open.c \
	's/slot->host = cuda->host + .*;/slot->host = cuda->host;/'
mutant "an event is left" \
	test_cuda_threads plans open.c \
	's/cudaEventDestroy(cuda->slots\[i\].begin);/;/'
mutant "tables are not spread" \
	test_cuda_threads plans submit.c \
	's/err = fw_cuda_spread_launch(.*);/err = cudaSuccess; (void)pieces;/'
mutant "a plan goes on with a table that did not arrive" \
	test_cuda_layout layout layout.c \
	's/held->blocks != entry->known/0/'
mutant "an error of the copy is not seen" \
	test_cuda_faults_threads calls submit.c \
	's/err = cudaMemcpyAsync(/cudaMemcpyAsync(/'
mutant "memory is left when a stream cannot be had" \
	test_cuda_faults_threads calls open.c \
	's/^\t\tgive_back(cuda);$/\t\t;/'
exit "$failed"
