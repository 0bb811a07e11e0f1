#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The shared library carries the probes that lib/base/probes.h promises, with as
# many arguments as it says, when it was built with them. Prints TAP.
set -u
: "${srcdir:=.}" "${builddir:=.}"
shared=$builddir/.libs/libfairway.so
number=0

if ! grep -q '^#define HAVE_SDT 1' "$builddir/config.h"; then
	echo "built without probes"
	exit 77
fi
if ! [ -e "$shared" ]; then
	echo "no shared library was built"
	exit 77
fi

# promised: name and number of arguments of each, from the header's comment
promised()
{
	sed -n 's/^ \*\t\([a-z]*\)(\(.*\)).*:.*/\1 \2/p' \
		"$(find "$srcdir/lib" -name probes.h)" | tr -d ,
}

# carried NAME: how many arguments its note has; nothing without one
carried()
{
	readelf -n "$shared" | awk -v name="$1" '
		$1 == "Provider:" { ours = $2 == "fairway" }
		$1 == "Name:" { found = ours && $2 == name }
		$1 == "Arguments:" && found { print NF - 1; exit }'
}

while read -r name arguments; do
	number=$((number + 1))
	want=$(wc -w <<<"$arguments")
	have=$(carried "$name")
	if [ "$have" = "$want" ]; then
		echo "ok $number - $name has its $want arguments"
	else
		echo "# found: ${have:-no such probe}"
		echo "not ok $number - $name has its $want arguments"
	fi
done < <(promised)
[ "$number" -eq 6 ] || echo "Bail out! the header promises $number probes"
echo "1..$number"
