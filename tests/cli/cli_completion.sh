#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the shells offer is what the command takes: each option of each help text
# and no other, and values that are not refused. Prints TAP.
# shellcheck disable=SC2016,SC2317 # programs; check() calls by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# offers WORD...: what bash offers for the last word; a space divides words, and
# so does "=", as in COMP_WORDBREAKS.
offers()
{
	bash -c '
		. ./fairway.bash || exit
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_fairway
		printf "%s\n" "${COMPREPLY[@]}"' - fairway "$@" | sort
}

# is TEXT COMMAND...: what it prints, sorted, with spaces for line ends
is()
{
	local want=$1 have

	shift
	have=$("$@" | sort | xargs)
	[ "$have" = "$want" ] && return
	echo "expected: $want"
	echo "found: $have"
	return 1
}

helped()
{
	"$fairway" "$1" --help | grep -Eo '^  --[a-z-]+' | tr -d ' ' | sort |
		xargs
}

subcommands()
{
	"$fairway" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# Each value that is offered is read without a complaint; --help comes after it
# and ends the command.
takes()
{
	local command=$1 option=$2 value num=0

	while read -r value; do
		"$fairway" "$command" "$option" "$value" --help >/dev/null ||
			return
		num=$((num + 1))
	done < <(offers "$command" "$option" "")
	[ "$num" -gt 1 ]
}

# values COMMAND OPERAND...: the same for what has no option before it
operands()
{
	local value

	while read -r value; do
		"$fairway" "$1" "$value" --help >/dev/null || return
	done < <(offers "$1" "" | grep -v '^-')
}

check_bash()
{
	local command option

	run completion bash
	check 'it is printed' went
	cp "$cli_dir/out" fairway.bash
	check 'bash reads it' bash -n fairway.bash
	if command -v shellcheck >/dev/null; then
		check 'without a warning' shellcheck fairway.bash
	else
		skip 'without a warning' 'no shellcheck'
	fi
	check 'the commands' is "$({ subcommands
		printf '%s\n' help --help --version; } | sort | xargs)" \
		offers ""
	for command in $(subcommands); do
		check "options of $command" is "$(helped "$command")" \
			offers "$command" -
	done
	for option in device format policy time-unit workload; do
		check "values of --$option" takes sim "--$option"
	done
	check 'forms of a log' takes analyze --format
	check 'executors' takes replay --executor
	check 'benches' operands bench
	check 'shells' operands completion
	check 'after a comma' is 'fcfs,lpm' offers sim --policy fcfs,lp
	check 'after an equals sign' is 'h100 h200' offers sim --device = h
	touch spike.jsonl
	mkdir spare
	check 'files' is 'spare spike.jsonl' offers sim --trace sp
	check 'a file where no option is' is 'spike.jsonl' offers analyze spi
	check 'folders' is 'spare' offers paper --resume sp
	check 'nothing for a number' is '' offers sim --seed ''
	check 'commands after help' is 'calibrate' offers help cal
}

# What fish offers for a line; it tells a summary behind a tab.
fish_offers()
{
	fish --no-config -c 'source fairway.fish; complete -C "$argv[1]"' \
		"$1" | cut -f 1
}

check_fish()
{
	local command

	if ! command -v fish >/dev/null; then
		skip 'fish' 'no fish'
		return
	fi
	export HOME=$PWD
	"$fairway" completion fish >fairway.fish
	for command in $(subcommands); do
		check "fish: options of $command" is "$(helped "$command")" \
			fish_offers "fairway $command --"
	done
	check 'fish: values' is 'h100 h200' fish_offers 'fairway sim --device h'
	check 'fish: a list' is 'fcfs,lpm' \
		fish_offers 'fairway sim --policy fcfs,lp'
	check 'fish: files' is 'spike.jsonl' \
		fish_offers 'fairway analyze spi'
}

# What zsh's own functions are asked for: the specs of _arguments, by options.
zsh_options()
{
	zsh -f -c '
		_arguments() { print -l -- "$@"; }
		_describe() { :; }
		words=(fairway $1 "")
		CURRENT=3
		. ./_fairway' - "$1" | grep -Eo '^\*--[a-z-]+' | tr -d '*'
}

# What a real one on a terminal of its own makes of the keys $1 and a tab.
zsh_fills()
{
	TERM=dumb timeout 60 zsh -f -c '
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1=; fpath=($PWD \$fpath); autoload -U compinit"
		zpty -w z "compinit -u -D; fairway() { print got \$* }"
		sleep 1
		zpty -w -n z "$1	"
		sleep 1
		zpty -w z ""
		for i in {1..30}; do
			zpty -r -t z line && print -r -- "$line"
			sleep 0.1
		done' - "$1" >shown
	grep -aF -- "$2" shown && return
	cat -A shown
	return 1
}

check_zsh()
{
	local command

	if ! command -v zsh >/dev/null; then
		skip 'zsh' 'no zsh'
		return
	fi
	"$fairway" completion zsh >_fairway
	check 'zsh reads it' zsh -f -n _fairway
	for command in $(subcommands); do
		check "zsh: options of $command" is "$(helped "$command")" \
			zsh_options "$command"
	done
	check 'zsh fills an option in' zsh_fills 'fairway sim --dev' \
		'sim --device'
	check 'and a value' zsh_fills 'fairway sim --device=a1' \
		'sim --device=a100'
}

check_bash
check_fish
check_zsh
refuses completion 'another shell' '"csh"' 'bash, fish or zsh' -- csh
refuses completion 'none' 'SHELL is missing' --
check 'the manual has all options' documented completion
cli_end
