#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A policy in Python: one that says what a built-in one says gives the same run,
# to the byte, and what is wrong with one is told in a line. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
: "${PYTHON:=python3}"
export PYTHON PYTHONPATH PYTHONDONTWRITEBYTECODE=1
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || {
	echo "1..0 # SKIP no Python 3.10"
	exit
}
cli_begin
# The module alone, which needs nothing that is compiled.
mkdir "$cli_dir/fairway"
touch "$cli_dir/fairway/__init__.py"
cp "$cli_source/python/src/fairway/policy.py" "$cli_dir/fairway"
PYTHONPATH=$cli_dir

# policy NAME EXPRESSION [LINE]: a policy whose key is EXPRESSION
policy()
{
	cat >"$1.py" <<-END
	class Policy:
	    ${3:-}
	    def __init__(self, node, flags):
	        self.node, self.flags, self.ends = node, flags, set()
	    def key(self, w, now):
	        c = max(w.len - w.hit, 1)
	        return ($2)
	    def admitted(self, w, tokens):
	        assert w.id not in self.ends and tokens > 0
	        self.ends.add(w.id)
	END
}

each()
{
	"$fairway" sim --workload "$1" --policy "$2" --quiet --requests - |
		sed 's/^[^,]*,//'
}

# same WORKLOAD BUILT-IN NAME[:FLAGS]
same()
{
	local flags=${3#"${3%%:*}"}

	each "$1" "$2" >want
	each "$1" "./${3%%:*}.py$flags" >have
	[ "$(wc -l <want)" -gt 100 ] && cmp want have
}

differ() { ! same "$@"; }

named_once() { [ "$(grep -o 'policy "' "$cli_dir/err" | wc -l)" -eq 1 ]; }

# breaks DESCRIPTION NAME PART...: the run ends with status 2 and these words
breaks()
{
	local what=$1 name=$2

	shift 2
	run sim --workload flood --policy "fcfs,./$name" --quiet --json out.json
	check "$what" told 2 "policy \"./$name\":" "$@"
	check 'with its name once' named_once
	check 'and nothing is written' test ! -e out.json
}

policy fcfs w.arrival
check 'the key of fcfs gives its run' same sec-dynamic fcfs fcfs
policy equal 0
check 'equal keys go by age' same sec-dynamic fcfs equal
policy spf c
check 'fewest tokens to compute' same sec-dynamic spf spf
check 'and no other order' differ sec-dynamic lpm spf
policy nan 'float("nan")'
check 'no numbers go by age' same sec-dynamic fcfs nan
policy hrrn '-(now - w.arrival) / c' 'every_step = True'
check 'a key that changes with time' same flood hrrn hrrn
policy node 'c if self.node.budget == 2048 and self.node.block_tokens == 16 and
	self.node.prefill(2000) > self.node.prefill(500) > 0 else -c'
check 'what it may know of its node' same sec-dynamic spf node
policy flags 'c if self.flags == "a:b/c" else -c'
check 'its flags' same sec-dynamic spf flags:a:b/c
run sim --workload flood --policy ./spf.py,./fcfs.py,./flags.py:x --jobs 3
check 'several at once' says './spf.py' './fcfs.py' './flags.py:x'
run replay --workload flood --policy ./spf.py --speed 600 --quiet
check 'replay takes it, too' went
cp "$cli_source/examples/policy.py" mine.py
check 'the example, at 0, is spf' same sec-dynamic spf mine:0
check 'and is another order else' differ sec-dynamic spf mine

breaks 'a file that is not there' none.py 'No such file'
echo 'class Policy:' >half.py
breaks 'a file that is no Python' half.py 'line 1: IndentationError'
echo 'x = 1' >empty.py
breaks 'a file without a policy' empty.py 'expected a class Policy'
printf 'class Policy:\n    pass\n' >nokey.py
breaks 'a policy without a key' nokey.py 'a method key'
policy divide '1 / (w.id - 30)'
breaks 'an exception in a key' divide.py 'line 7: ZeroDivisionError'
policy word '"first"'
breaks 'a key that is no number' word.py "key() gave 'first'"
policy none None
breaks 'and none at all' none.py 'expected a number'
policy leaves '__import__("os")._exit(3)'
breaks 'a process that ends' leaves.py 'its process ended'
policy stops '__import__("sys").exit(3)'
breaks 'a file that wants to end' stops.py 'line 7: SystemExit: 3'
policy odd 'int("\ud800")'
breaks 'words that are no UTF-8' odd.py 'line 7: ValueError'
policy asks 'input()'
breaks 'standard input, which is empty' asks.py 'EOFError'
policy cat '__import__("subprocess").call("cat")'
check 'what it starts reads nothing of the command' same flood fcfs cat
printf 'class Policy:\n    def key(self, w, now):\n        return 0\n' >plain.py
breaks 'flags that it does not take' plain.py:x "takes no flags, has 'x'"
breaks 'and that it refuses' mine.py:x 'line 12: ValueError'
run replay --workload flood --policy ./divide.py --speed 600 --quiet
check 'replay says it as well' told 2 'line 7: ZeroDivisionError'
run bench step --policy ./word.py --waiting 100 --seconds 0.1 --quiet
check 'and so does bench' told 1 'expected a number'

# within SECONDS COMMAND...: until it succeeds; does it by then?
within()
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return
		sleep 0.1
	done
}

gone() { ! kill -0 "$1" 2>/dev/null; }

# The policy's process ends, after the command was interrupted in a key.
ends_with_the_command()
{
	local command

	env --default-signal=INT "$fairway" sim --workload flood \
		--policy ./hangs.py --quiet >/dev/null 2>&1 &
	command=$!
	within 60 test -s pid
	kill -s INT "$command"
	wait "$command"
	test -s pid && within 60 gone "$(cat pid)"
}

cat >forks.py <<-END
import os, time
class Policy:
    def key(self, w, now):
        if os.fork():
            os._exit(1)
        time.sleep(30)
        os._exit(0)
END
began=$SECONDS
breaks 'a process that ends, but not what it forked' forks.py 'process ended'
check 'and is not waited for' test $((SECONDS - began)) -lt 20
cat >hangs.py <<-END
import os
class Policy:
    def key(self, w, now):
        open("pid", "w").write(str(os.getpid()))
        while True:
            pass
END
check 'a key that never comes ends with the command' ends_with_the_command
PYTHON=$cli_dir/none
breaks 'no Python' spf.py 'No such file'
cli_end
