#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Who may include and call whom. The file `layers.txt` beside this script says it
# for folders, one a line: FOLDER -> FOLDERS. A name stands for the folders
# below it too. ARCHITECTURE.md shows the same lines. Neither folders nor the
# files of one folder may make a circle. Calls are read from the objects of the
# build, where there are any. What the shared library exports may be called
# from everywhere. Prints TAP.
# shellcheck disable=SC2016,SC2317 # programs of awk; check() calls by name

set -u
: "${srcdir:=.}" "${builddir:=.}"
export LC_ALL=C
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
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
	sed 's/ *$//; s/^/# /; 30q' "$dir/log"
	echo "not ok $number - $2"
}

skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# Lines without blanks that only line them up.
blanks()
{
	sed 's/[ \t][ \t]*/ /g; s/ $//; /^$/d'
}

rules()
{
	blanks <"$srcdir/tests/build/layers.txt"
}

# What ARCHITECTURE.md shows between ```layers and the next fence.
shown()
{
	sed -n '/^```layers$/,/^```$/{/^```/d;p;}' "$srcdir/ARCHITECTURE.md"
}

# One line for each include: FILE FILE. A bare name is one of the same folder.
includes()
{
	(cd "$srcdir" && find lib tools cuda tests examples \
		-name '*.[ch]' -o -name '*.cu' | sort | xargs awk '
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, part, "\"")
			to = part[2]
			if (to !~ /\//) {
				to = FILENAME
				sub(/[^\/]*$/, "", to)
				to = to part[2]
			}
			print FILENAME, to
		}')
}

# The objects of lib and tools whose source still stands, each once: OBJECT
# SOURCE. libtool names them PREFIX-NAME.o, and puts a second form in .libs.
objects()
{
	(cd "$builddir" 2>/dev/null && find lib tools -name '*.o' | sort) |
		while read -r object; do
			source=${object/.libs\//}
			source=${source%/*}/${source##*[-/]}
			source=${source%.o}.c
			[ -e "$srcdir/$source" ] && echo "$object $source"
		done | sort -u -k 2,2
}

# The names of the version script.
exported()
{
	sed -n 's/^\t\(fw_[a-z0-9_]*\);$/\1/p' "$srcdir/lib/fairway.map"
}

# One line for each symbol that one object needs and another has: SOURCE
# SOURCE SYMBOL.
calls()
{
	(cd "$builddir" && cut -d ' ' -f 1 "$dir/objects" | xargs nm -A) |
		sed 's/:/ /' >"$dir/symbols"
	awk '
		function folder(path) {
			sub(/\/[^\/]*$/, "", path)
			return path
		}
		FILENAME ~ /objects$/ { source[$1] = $2; next }
		FILENAME ~ /symbols$/ && NF == 4 && $3 ~ /[A-Z]/ {
			owner[$4] = source[$1]
		}
		FILENAME ~ /symbols$/ && NF == 3 && $2 ~ /[Uw]/ {
			needs[++num] = source[$1]
			symbol[num] = $3
		}
		FILENAME == "-" { public[$1] = 1 }
		END {
			for (i = 1; i <= num; i++) {
				from = needs[i]
				to = owner[symbol[i]]
				if (to == "" || to == from)
					continue
				if (symbol[i] in public &&
				    folder(from) != folder(to))
					continue
				print from, to, symbol[i]
			}
		}' "$dir/objects" "$dir/symbols" - | sort
}

# against_rules VERB: of lines FROM TO, those that no rule allows.
against_rules()
{
	rules >"$dir/rules"
	awk -v verb="$1" '
		function folder(path) {
			sub(/\/[^\/]*$/, "", path)
			return path
		}
		# The rule for a folder: its own, or that of one above it.
		function rule(path) {
			while (!(path in allowed) && path ~ /\//)
				path = folder(path)
			return path
		}
		function within(path, names,   list, i, n) {
			n = split(names, list, " ")
			for (i = 1; i <= n; i++)
				if (index(path "/", list[i] "/") == 1)
					return 1
			return 0
		}
		FILENAME != "-" {
			name = $1
			sub(/^[^>]*> ?/, "")
			allowed[name] = $0
			next
		}
		{
			from = folder($1)
			to = folder($2)
			if (from == to)
				next
			if (!(rule(from) in allowed))
				print from ": no rule says what it may " verb
			else if (!within(to, allowed[rule(from)]))
				print $1 ": may not", verb, $2, $3
		}' "$dir/rules" - | sort -u
}

# Rules that nothing needs: the picture would show what is not there.
unneeded_rules()
{
	rules >"$dir/rules"
	awk '
		FILENAME != "-" {
			from[++num] = $1
			sub(/^[^>]*> ?/, "")
			to[num] = $0
			next
		}
		{ line[++lines] = $1 " " $2 }
		function used(a, b,   i, part) {
			for (i = 1; i <= lines; i++) {
				split(line[i], part, " ")
				if (index(part[1], a "/") == 1 &&
				    index(part[2], b "/") == 1)
					return 1
			}
			return 0
		}
		END {
			for (r = 1; r <= num; r++) {
				n = split(to[r], list, " ")
				for (i = 1; i <= n; i++)
					if (!used(from[r], list[i]))
						print from[r] " -> " list[i] \
							": nothing needs it"
			}
		}' "$dir/rules" -
}

# The folders of lines FROM TO, where they differ.
folders()
{
	awk '{
		sub(/\/[^\/]*$/, "", $1)
		sub(/\/[^\/]*$/, "", $2)
		if ($1 != $2) print $1, $2
	}' | sort -u
}

# Lines FROM TO within one folder.
same_folder()
{
	awk '{
		a = $1; b = $2
		sub(/\/[^\/]*$/, "", a)
		sub(/\/[^\/]*$/, "", b)
		if (a == b && $1 != $2) print $1, $2
	}' | sort -u
}

# Fails when lines FROM TO make a circle, and names who is in it.
no_circle()
{
	! tsort 2>&1 >/dev/null | grep .
}

# check NAME COMMAND...: passes when the command says nothing
check()
{
	local name=$1

	shift
	"$@" >"$dir/log" 2>&1
	[ ! -s "$dir/log" ]
	result $? "$name"
}

# Sources of the library, by Makefile.am, that stand elsewhere than in lib/.
strangers()
{
	sed -n '/^lib_libcore_la_SOURCES/,/[^\\]$/p' "$srcdir/Makefile.am" |
		grep -o '[a-z_/]*\.[ch]\>' | grep -v '^lib/'
}

echo 1..9
includes >"$dir/includes"
objects >"$dir/objects"

diff <(rules) <(shown | blanks) >"$dir/log"
result $? "ARCHITECTURE.md shows the rules"
check "no include goes against the rules" \
	against_rules include <"$dir/includes"
folders <"$dir/includes" >"$dir/edges"
check "includes between folders make no circle" no_circle <"$dir/edges"
same_folder <"$dir/includes" >"$dir/edges"
check "includes within a folder make no circle" no_circle <"$dir/edges"

names=("no call goes against the rules"
	"calls between folders make no circle"
	"calls within a folder make no circle"
	"each rule is needed")
if [ -s "$dir/objects" ]; then
	exported | calls >"$dir/calls"
	check "${names[0]}" against_rules call <"$dir/calls"
	folders <"$dir/calls" >"$dir/edges"
	check "${names[1]}" no_circle <"$dir/edges"
	same_folder <"$dir/calls" >"$dir/edges"
	check "${names[2]}" no_circle <"$dir/edges"
	cat "$dir/includes" "$dir/calls" >"$dir/edges"
	check "${names[3]}" unneeded_rules <"$dir/edges"
else
	for name in "${names[@]}"; do
		skip "$name" "nothing is built"
	done
fi
if [ -e "$srcdir/Makefile.am" ]; then
	check "the library is made of lib/ alone" strangers
else
	skip "the library is made of lib/ alone" "no Makefile.am"
fi
exit "$failed"
