#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What ./bootstrap does with its arguments and its environment, in a tree whose
# configure only writes down how it was called. Prints TAP.
# shellcheck disable=SC2317 # check() calls functions by name
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/../cli/cli_lib.sh"
FAIRWAY=/bin/true
cli_begin

make_tree()
{
	mkdir bin m4
	cp "$cli_source/bootstrap" .
	touch configure.ac Makefile.am m4/fw_x.m4 Makefile.in
	# The names of variables as they stand in the true one.
	{
		echo '#!/bin/sh'
		sed -n "/ac_precious_vars='/,/'\$/p" "$cli_source/configure"
	} >configure
	cat >>configure <<-'END'
	echo "CC=${CC-none} CFLAGS=${CFLAGS-none} $*" >>../configured
	cat >Makefile <<'MAKE'
	all:; @echo "built by $(CC)" >>../made
	clean:; @echo cleaned >>../made
	check:; @if read -r line; then echo "read $$line" >>../made; fi
	MAKE
	END
	printf '#!/bin/sh\necho ii\n' >bin/dpkg-query
	printf '#!/bin/sh\n' >bin/autoreconf
	chmod +x configure bin/*
	PATH=$PWD/bin:$PATH
}

# What the last call of bootstrap added to the file $1.
since()
{
	touch "$1"
	cat "$1"
	: >"$1"
}

boot()
{
	./bootstrap "$@" >"$cli_dir/out" 2>"$cli_dir/err" </dev/null
	status=$?
}

is() { [ "$1" = "$2" ] || { echo "'$1', expected '$2'"; return 1; }; }

unset CC CFLAGS
make_tree

boot build
check 'the first build is configured' is "$(since configured)" \
	'CC=none CFLAGS=none '
since made >/dev/null
boot build
check 'the second is not' is "$(since configured)" ''
since made >/dev/null
CC=clang boot build
check 'another compiler configures anew' is "$(since configured)" \
	'CC=clang CFLAGS=none '
check 'and leaves no object of the old one' is "$(since made | head -n 1)" \
	cleaned
CC=clang boot build
check 'the same compiler does not' is "$(since configured)" ''
CC=clang CFLAGS='-O0 -g' boot build
check 'flags count too' is "$(since configured)" 'CC=clang CFLAGS=-O0 -g '
CC=clang CFLAGS='-O0 -g' boot build -- --enable-werror
check 'and options' is "$(since configured)" \
	'CC=clang CFLAGS=-O0 -g --enable-werror'
boot build
check 'what is gone counts as a change' is "$(since configured)" \
	'CC=none CFLAGS=none '

for command in build check deb demo deps; do
	boot "$command" --help
	check "$command --help shows the usage" says 'usage: ./bootstrap'
done
check 'and builds nothing' is "$(since configured)" ''

since made >/dev/null
echo typed | ./bootstrap check >/dev/null 2>&1
check 'tests read nothing from who started them' is "$(since made | grep read)" ''
cli_end
