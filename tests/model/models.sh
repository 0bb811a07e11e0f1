#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every interleaving of the models in tests/model/ keeps what they promise, and
# with each mutation that a model names, which breaks it on purpose, some does
# not: so the model can fail. Prints TAP.
set -u
: "${srcdir:=.}"
models=("$srcdir"/tests/model/*.pml)
number=0
failed=0

for tool in spin gcc; do
	command -v "$tool" >/dev/null && continue
	echo "no $tool to check the models with"
	exit 77
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# mutations MODEL: as the comment at its beginning names them
mutations()
{
	sed -n 's/^ \* mutations: //p' "$1"
}

# verify MODEL MUTATION OPTIMISE: leaves the verifier's report in $dir/report
verify()
{
	cp "$1" "$dir/model.pml" && (
		cd "$dir" || exit
		spin "-D$2" -a model.pml &&
			gcc "$3" -w -DSAFETY -DCOLLAPSE -o pan pan.c &&
			timeout 300 ./pan -m200000
	) >"$dir/report" 2>&1
}

# holds WANTED: was all searched, and were there errors or none?
holds()
{
	if grep -q 'max search depth too small\|out of memory' "$dir/report"; then
		return 1
	fi
	case $1 in
	none) grep -q 'errors: 0$' "$dir/report" ;;
	some) grep -q 'errors: [1-9]' "$dir/report" ;;
	esac
}

# result WANTED DESCRIPTION
result()
{
	number=$((number + 1))
	if holds "$1"; then
		sed -n 's/^ *\([0-9]*\) states, stored.*/# \1 states/p' \
			"$dir/report"
		echo "ok $number - $2"
	else
		failed=1
		sed 's/^/# /' "$dir/report"
		echo "not ok $number - $2"
	fi
}

for model in "${models[@]}"; do
	name=$(basename "$model" .pml)
	verify "$model" NO_MUTATION -O2
	result none "$name holds in every interleaving"
	for mutation in $(mutations "$model"); do
		# Breaks soon: compiling costs more than running.
		verify "$model" "$mutation" -O0
		result some "$name does not with $mutation"
	done
done
echo "1..$number"
exit "$failed"
