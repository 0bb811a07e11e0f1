# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For tests of the Python package, which source it: what it is built with, or the
# test is skipped as a whole.

: "${srcdir:=.}" "${PYTHON:=python3}"

skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}

[ -e "$srcdir/python/setup.py" ] || skip "no python/ beside the sources"
"$PYTHON" -c 'import setuptools, sys; sys.exit(sys.version_info < (3, 10))' \
	2>/dev/null || skip "no Python 3.10 with setuptools"
include=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || skip "no Python.h"
# Those of a sanitizer build would need its runtime in the interpreter.
unset CFLAGS LDFLAGS
