/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <errno.h>
#include <string.h>

int fw_settings_read(void *to, size_t known, const void *from, size_t least)
{
	const unsigned char *bytes = from;
	size_t size;

	memset(to, 0, known);
	memcpy(to, &known, sizeof(known));
	if (!from)
		return 0;
	memcpy(&size, from, sizeof(size));
	if (size < least)
		return -EINVAL;
	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return -E2BIG;
	memcpy(to, from, size < known ? size : known);
	return 0;
}
