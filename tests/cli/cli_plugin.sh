#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A policy of a shared object: one that says what a built-in one says gives the
# same run, to the byte, and what is no policy is refused. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
: "${CC:=cc}" "${builddir:=.}"
build=$(cd "$builddir" && pwd)
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# Standard input as the shared object $1.
object()
{
	# shellcheck disable=SC2086 # $CC may hold options
	$CC -shared -fPIC -Wall -Werror -I"$build/include" \
		-I"$cli_source/include" -o "$1.so" -x c - -lm
}

# policy NAME CODE [FIELDS]: a policy whose key is CODE
policy()
{
	object "$1" <<-END
	#include <fairway/policy.h>
	#include <math.h>
	extern const struct fw_policy fairway_policy;
	static const struct fw_policy_node *node;
	static void *create(const struct fw_policy_node *n, const char *flags)
	{
		node = n;
		return (void *)n;
	}
	static double key(void *ctx, const struct fw_policy_waiter *w,
			  double now)
	{
		double c = w->len - w->hit;

		(void)c;
		return $2;
	}
	const struct fw_policy fairway_policy = {
		.size = sizeof(fairway_policy), .create = create,
		.key = key, ${3:-}
	};
	END
}

each()
{
	"$fairway" sim --workload "$1" --policy "$2" --quiet --requests - |
		sed 's/^[^,]*,//'
}

# same WORKLOAD BUILT-IN NAME
same()
{
	each "$1" "$2" >want
	each "$1" "./$3.so" >have
	[ "$(wc -l <want)" -gt 100 ] && cmp want have
}

differ() { ! same "$@"; }

bad_object() { printf '%s\n' "$2" | object "$1"; }

check 'a shared object is built' policy spf c
check 'by its key alone' same sec-dynamic spf spf
check 'and no other' differ sec-dynamic lpm spf
policy fcfs 0
check 'equal keys go by age' same sec-dynamic fcfs fcfs
policy nan NAN
check 'and so do those that are no numbers' same sec-dynamic fcfs nan
policy hrrn '-(now - w->arrival) / c' '.every_step = 1,'
check 'a key that changes with time' same sec-dynamic hrrn hrrn
policy node 'node->budget == 2048 && node->block_tokens == 16 &&
	node->prefill(node->ctx, 2000) > node->prefill(node->ctx, 500) ? c : -c'
check 'what it may know of its node' same sec-dynamic spf node
run sim --workload flood --policy fcfs,./spf.so,./fcfs.so --jobs 3
check 'several at once' says './spf.so' './fcfs.so'

# shellcheck disable=SC2086 # $CC may hold options
check 'the example' $CC -shared -fPIC -Wall -Wextra -Werror \
	-I"$build/include" -I"$cli_source/include" -o mine.so \
	"$cli_source/examples/policy.c"
run sim --workload sec-dynamic --policy ./mine.so,./mine.so:0,spf --csv o.csv
check 'with its flag' went
check 'which makes it another one' test \
	"$(grep -c '^./mine.so,all' o.csv)$(grep -c '^./mine.so:0,all' o.csv)" = 11
each sec-dynamic ./mine.so:0 >mine
each sec-dynamic spf >built-in
check 'at 0 it is spf' cmp mine built-in
run replay --workload flood --policy ./spf.so --speed 600 --quiet --json r.json
check 'replay takes it, too' went

run sim --workload flood --policy ./mine.so:x
check 'a flag that it does not take' told 1 './mine.so:x: create() gave NULL'
run replay --workload flood --policy ./mine.so:x --speed 600 --quiet
check 'nor in replay' told 1 './mine.so:x: create() gave NULL'
run bench step --policy ./mine.so:x --waiting 100 --seconds 0.1 --quiet
check 'nor in bench' told 1 './mine.so:x: create() gave NULL'
refuses sim 'no such file' './none.so' -- --workload flood --policy ./none.so
echo text >text.so
refuses sim 'no shared object' './text.so' -- --workload flood \
	--policy ./text.so
bad_object empty 'int other;'
refuses sim 'no policy in it' 'no variable fairway_policy' -- \
	--workload flood --policy ./empty.so
bad_object nokey '#include <fairway/policy.h>
	const struct fw_policy fairway_policy = {sizeof(fairway_policy)};'
refuses sim 'a policy without a key' 'no key' -- --workload flood \
	--policy ./nokey.so
bad_object newer '#include <fairway/policy.h>
	struct { struct fw_policy p; long more; } fairway_policy = {
		{sizeof(fairway_policy)}, 1};'
refuses sim 'one of a later version' 'newer' -- --workload flood \
	--policy ./newer.so
cli_end
