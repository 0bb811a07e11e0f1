#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Small inputs that ask for a lot: each ends soon and in little memory, by an
# answer or by one line that names the bound. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# Address space, with what libraries and reserved arenas take of it.
limit_kib=$((500 * 1024))
# Of the processor's time; a busy machine takes more of the clock's.
limit_s=20

# bounded ARGUMENT...: as run(), under both bounds.
bounded()
{
	(
		ulimit -v "$limit_kib"
		ulimit -t "$limit_s"
		timeout $((15 * limit_s)) "$fairway" "$@"
	) >"$cli_dir/out" 2>"$cli_dir/err"
	status=$?
}

refused() { told 2 'fairway ' "$@"; }

if ! (ulimit -v "$limit_kib" && "$fairway" --version) >/dev/null 2>&1; then
	skip 'bounds on memory' 'the command needs more to begin with'
	cli_end
fi

check_prompts()
{
	printf '%s\n' TIMESTAMP,ContextTokens \
		'2023-11-16 18:17:03,16777216' >prompt.csv
	bounded sim --trace prompt.csv
	check 'a prompt of 16 million tokens' refused prompt.csv:2 \
		'--limit prompt=N'
	{
		echo 'Timestamp,Request tokens'
		for ((i = 0; i < 100; i++)); do echo "$i,2000000"; done
	} >prompts.csv
	bounded sim --trace prompts.csv
	check 'a hundred prompts of 2 million' refused prompts.csv: \
		'--limit blocks=N'
	printf '0\t2000000\n' >few.docs
	for ((i = 0; i < 100; i++)); do printf '0\t1\t1\t0\n'; done >few.reqs
	bounded sim --trace few.docs
	check 'a hundred requests over one document' refused few.reqs: \
		'--limit blocks=N'
	bounded sim --trace prompt.csv --limit prompt=9999999
	check 'a bound that is not raised enough' refused prompt.csv:2
	printf '%s\n' TIMESTAMP,ContextTokens '2023-11-16 18:17:03,5000' \
		>fine.csv
	bounded sim --trace fine.csv --quiet --policy fcfs --csv -
	check 'a prompt of 5000 tokens' went
	bounded sim --trace fine.csv --limit prompt=4999
	check 'a bound that is lowered' refused fine.csv:2
	bounded sim --trace fine.csv --limit size=1
	check 'a bound of no name' refused '--limit' 'unpacked, blank-lines'
}

# A field that nobody reads holds 20 million objects.
check_nesting()
{
	local fields='"hash_ids":[1],"input_length":16,"timestamp":0'

	{
		printf '{%s,"x":[' "$fields"
		yes '{},' | head -20000000 | tr -d '\n'
		printf '1]}\n'
	} | gzip >nested.jsonl.gz
	bounded sim --trace nested.jsonl.gz
	check 'much of little' refused nested.jsonl.gz '--limit unpacked=BYTES'
	bounded sim --trace nested.jsonl.gz --limit unpacked=100000000 \
		--quiet --policy fcfs --csv -
	check 'what is passed over takes no memory' went
	zcat nested.jsonl.gz |
		sed 's/"timestamp":0/"request_received_ts":1,"cached_tokens":1/
			s/"input_length"/"prompt_tokens"/' |
		gzip >nested.log.gz
	bounded analyze nested.log.gz --limit unpacked=100000000 --quiet \
		--json -
	check 'nor in a log' went
	rm nested.*
}

check_blank()
{
	head -c 100000000 /dev/zero | tr '\0' '\n' | gzip >blank.gz
	bounded sim --trace blank.gz
	check 'newlines and nothing else' refused blank.gz '--limit blank-lines'
	bounded analyze blank.gz
	check 'the same for analyze' refused blank.gz '--limit blank-lines'
	bounded sim --trace - < <(yes '')
	check 'newlines for ever' refused 'standard input' \
		'--limit blank-lines'
	bounded sim --trace - < <(tr '\0' ' ' </dev/zero)
	check 'a line that does not end' refused 'standard input' \
		'expected at most 67108864 bytes'
	{
		echo 'Timestamp,Request tokens'
		yes '0,1' | head -3000000
	} | gzip >rows.csv.gz
	bounded sim --trace rows.csv.gz
	check 'many rows in few bytes' refused rows.csv.gz \
		'--limit unpacked=BYTES'
	rm blank.gz rows.csv.gz
}

check_prompts
check_nesting
check_blank
cli_end
