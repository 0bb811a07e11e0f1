/* SPDX-License-Identifier: Apache-2.0 */
#include "flags.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/options.h"

/* Beyond this neither prefill times nor waits mean anything, in seconds. */
#define MIN_REAL 1e-4
#define MAX_REAL 1e6

int flag_real(const char *what, const char *value, double *out,
	      struct diag *diag)
{
	return opt_real(what, value, MIN_REAL, MAX_REAL, out, diag);
}

int flag_word(const char *what, const char *value, const char *const *words,
	      struct diag *diag)
{
	char list[64] = "";

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], value))
			return i;
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
			 "%s%s", i ? " or " : "", words[i]);
	}
	return diag_set(diag, -EINVAL, "%s: expected %s (was \"%s\")", what,
			list, value);
}

static int set_protect(struct policy_spec *spec, const char *what,
		       const char *value, struct diag *diag)
{
	(void)what;
	(void)value;
	(void)diag;
	spec->protect = true;
	return 0;
}

const struct policy_flag policy_common_flags[] = {
	{"protect", VALUE_NONE, set_protect, "protect",
	 "spare cached blocks that waiting requests would hit"},
	POLICY_FLAGS_END,
};
