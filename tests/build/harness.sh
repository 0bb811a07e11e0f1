#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The harness must not turn a failure into a skip, nor a skip into a failure,
# and a test that hangs must fail by its name. Prints TAP.
set -u
: "${srcdir:=.}"
run=$(find "$srcdir/tests" -name tap-run)
number=0

# gives DESCRIPTION SCRIPT STATUS OUTPUT: what SCRIPT becomes under tap-run
gives()
{
	local out status

	number=$((number + 1))
	out=$(set -o pipefail; sh "$run" sh -c "$2" 2>/dev/null |
		sed '/^# took [0-9]* s$/d')
	status=$?
	if [ "$status" -eq "$3" ] && [ "$out" = "$4" ]; then
		echo "ok $number - $1"
	else
		echo "# status $status, output: $out"
		echo "not ok $number - $1"
	fi
}

echo 1..10
gives "a program that leaves with 77 is skipped, for its own reason" \
	'echo no device; exit 77' 0 $'no device\n1..0 # SKIP no device'
gives "the reason may be on standard error" \
	'echo no device >&2; exit 77' 0 '1..0 # SKIP no device'
gives "a skip in TAP is no failure" \
	'echo "1..0 # SKIP no data"; exit 77' 0 '1..0 # SKIP no data'
gives "77 after a plan with cases is a failure" \
	'echo 1..1; echo ok 1; exit 77' 77 $'1..1\nok 1'
gives "a failure stays one" \
	'echo 1..1; echo not ok 1; exit 1' 1 $'1..1\nnot ok 1'
gives "a crash stays one" 'kill -ABRT $$' 134 ''

export FAIRWAY_TEST_SECONDS=1
gives "a test that hangs fails by its name" \
	'echo ok 1; sleep 1000' 124 \
	$'ok 1\nBail out! sh -c echo ok 1; sleep 1000 was not done after 1 s'
fifo=$(mktemp -u)
mkfifo "$fifo"
gives "one that waits for a reader that is gone, too" \
	"echo >$fifo" 124 "Bail out! sh -c echo >$fifo was not done after 1 s"
rm "$fifo"
left=$(mktemp)
gives "and leaves nothing behind that runs" \
	"(sleep 3; echo >>$left) & wait" 124 \
	"Bail out! sh -c (sleep 3; echo >>$left) & wait was not done after 1 s"
sleep 3
number=$((number + 1))
if [ -s "$left" ]; then
	echo "not ok $number - not even its children"
else
	echo "ok $number - not even its children"
fi
rm "$left"
