#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The tests of the Python package find each fault that is put into it. Prints
# TAP.

set -u
: "${srcdir:=.}" "${PYTHON:=python3}"

skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# They are the same in every build.
[ "${FAIRWAY_MUTANTS:-yes}" = yes ] || skip "FAIRWAY_MUTANTS=$FAIRWAY_MUTANTS"
[ -e "$srcdir/python/setup.py" ] || skip "no python/ beside the sources"
"$PYTHON" -c 'import setuptools, sys; sys.exit(sys.version_info < (3, 10))' \
	2>/dev/null || skip "no Python 3.10 with setuptools"
include=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || skip "no Python.h"
unset CFLAGS LDFLAGS
exec "$PYTHON" "$srcdir/python/tests/mutants.py" "$srcdir"
