/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/fairway.h>

const char *fw_version(void)
{
	return FW_VERSION;
}
