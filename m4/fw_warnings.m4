# SPDX-License-Identifier: Apache-2.0

# FW_ADD_FLAGS(VARIABLE, FLAGS)
# Append to VARIABLE those of FLAGS that the C compiler takes without a word.
# A flag is tried with warnings as errors: clang only warns of unknown ones.
# It must not complain of math.h either: to clang's -Wdouble-promotion INFINITY
# is a float wherever it is used.
AC_DEFUN([FW_ADD_FLAGS], [
AC_LANG_ASSERT([C])
for fw_flag in $2; do
	AC_MSG_CHECKING([whether $CC takes $fw_flag])
	fw_saved_CFLAGS=$CFLAGS
	# A switch that turns a warning off is always taken; ask for the one
	# that it turns off.
	AS_CASE([$fw_flag],
		[-Wno-*], [fw_try=-W`echo "$fw_flag" | sed 's/^-Wno-//'`],
		[fw_try=$fw_flag])
	CFLAGS="$CFLAGS -Werror $fw_try"
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
		#include <math.h>
		double fw_most(void);
		double fw_most(void) { return INFINITY; }
		]])], [fw_taken=yes], [fw_taken=no])
	CFLAGS=$fw_saved_CFLAGS
	AC_MSG_RESULT([$fw_taken])
	AS_IF([test "$fw_taken" = yes], [$1="$$1 $fw_flag"])
done
])

# FW_WARNINGS
# Sets WARN_CFLAGS, with -Werror under --enable-werror.
AC_DEFUN([FW_WARNINGS], [
AC_ARG_ENABLE([werror],
	[AS_HELP_STRING([--enable-werror], [warnings are errors])],
	[], [enable_werror=no])
WARN_CFLAGS=
FW_ADD_FLAGS([WARN_CFLAGS], [-Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla \
	-Wconversion -Wno-sign-conversion -Wformat=2 -Wdouble-promotion])
AS_IF([test "$enable_werror" = yes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
AC_SUBST([WARN_CFLAGS])
])
