#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the documents say of the tree is so: each folder has a map of its files,
# what is named exists, and ARCHITECTURE.md has each edge between threads.
# Prints TAP.
# shellcheck disable=SC2016,SC2317 # programs of awk; check() calls by name

set -u
: "${srcdir:=.}"
export LC_ALL=C
cd "$srcdir" || exit 1
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
number=0
failed=0

# check NAME COMMAND...: passes when the command says nothing
check()
{
	local name=$1

	shift
	number=$((number + 1))
	"$@" >"$log" 2>&1
	if [ ! -s "$log" ]; then
		echo "ok $number - $name"
		return
	fi
	failed=1
	sed 's/^/# /; 40q' "$log"
	echo "not ok $number - $name"
}

# Files that their folder's README does not name. A pair is named once.
unmapped_files()
{
	local folder file name

	for folder in lib/*/ tools/*/ cuda/ tests/cuda_double/; do
		if [ ! -e "${folder}README.md" ]; then
			echo "${folder}README.md: not there"
			continue
		fi
		for file in "$folder"*.[ch]; do
			name=$(basename "${file%.?}")
			grep -qE "\`$name(\.[ch])?\`" "${folder}README.md" ||
				echo "${folder}README.md: no $file"
		done
	done
}

documents()
{
	find . -name '*.md' ! -path './build*' | sed 's,^\./,,' | sort
}

# Comments and documents, a line each: FILE:LINE: TEXT
prose()
{
	documents | xargs grep -n '' /dev/null
	find lib tools cuda include examples tests -name '*.[ch]' | sort |
		xargs awk '
			/\/\*/ { inside = 1 }
			inside { print FILENAME ":" FNR ":" $0 }
			/\*\// { inside = 0 }'
}

# Paths from the top of the tree that do not exist. What has a capital in its
# last name stands for any, as in NAME.c.
missing_paths()
{
	local where path

	prose | awk '
		{
			match($0, /^[^:]*:[0-9]*:/)
			where = substr($0, 1, RLENGTH)
			text = substr($0, RLENGTH + 1)
			while (match(text, /(lib|tools|tests|include|cuda|man|docs|m4)\/[A-Za-z0-9_\/.*-]*/)) {
				before = substr(text, RSTART - 1, 1)
				path = substr(text, RSTART, RLENGTH)
				text = substr(text, RSTART + RLENGTH)
				if (RSTART > 1 && before ~ /[A-Za-z0-9_\/.$}-]/)
					continue
				sub(/[.-]+$/, "", path)
				if (path !~ /[A-Z]/ || path ~ /README\.md$/)
					print where, path
			}
		}' | sort -u | while read -r where path; do
		# A pattern is meant to be expanded.
		# shellcheck disable=SC2086
		compgen -G "$path" >/dev/null ||
			compgen -G "$path.[ch]" >/dev/null ||
			echo "$where $path"
	done
}

# Links of the documents to files that do not exist.
broken_links()
{
	local document target

	documents | while read -r document; do
		grep -oE '\]\([^)#:]+' "$document" | cut -c 3- |
			while read -r target; do
				[ -e "$(dirname "$document")/$target" ] ||
					echo "$document: $target"
			done
	done
}

edges_of_code()
{
	find lib tools cuda -name '*.[ch]' -print0 |
		xargs -0 grep -ohE '(^|[^A-Za-z_])\[[A-Z][0-9]\]' |
		tr -cd 'A-Z0-9\n' | sort -u
}

edges_of_table()
{
	sed -nE 's/^\| ([A-Z][0-9]) \|.*/\1/p' ARCHITECTURE.md | sort
}

# Releases and acquires without an edge close above. Those of
# fw_rcu_publish() and fw_rcu_read() are named where these are called.
unnamed_edges()
{
	find lib tools cuda -name '*.[ch]' | sort | xargs awk '
		FNR == 1 { named = -99 }
		/\[[A-Z][0-9]\]/ { named = FNR }
		/memory_order_(release|acquire|acq_rel|seq_cst)/ ||
		/fw_rcu_(publish|read)\(/ {
			if (FNR - named > 22 && FILENAME != "lib/sync/rcu.h")
				print FILENAME ":" FNR ":" $0
		}'
}

# other_versions: files whose newest version is not that of configure.ac. An
# archive has no debian/.
other_versions()
{
	local version file

	version=$(sed -n 's/^AC_INIT(\[fairway\], \[\(.*\)\])$/\1/p' configure.ac)
	for file in python/pyproject.toml CHANGELOG.md debian/changelog; do
		[ ! -e "$file" ] ||
			sed -n -E 's/^(version = "|## |fairway \()([0-9][0-9.]*).*/\2/p' \
				"$file" | head -n 1 | grep -qFx "$version" ||
			echo "$file: its version is not $version"
	done
}

echo 1..6
check "each folder names its files" unmapped_files
check "each path that is named exists" missing_paths
check "each link leads somewhere" broken_links
check "ARCHITECTURE.md has the edges that the code names" \
	diff <(edges_of_code) <(edges_of_table)
check "each release and acquire names its edge" unnamed_edges
check "the version is one" other_versions
exit "$failed"
