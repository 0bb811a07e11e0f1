#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The tests of the Python package find each fault that is put into it. Prints
# TAP.

set -u
# shellcheck source=tests/support/python.sh
. "$(dirname "$0")/../support/python.sh"

# They are the same in every build.
[ "${FAIRWAY_MUTANTS:-yes}" = yes ] || skip "FAIRWAY_MUTANTS=$FAIRWAY_MUTANTS"
exec "$PYTHON" "$srcdir/python/tests/mutants.py" "$srcdir"
