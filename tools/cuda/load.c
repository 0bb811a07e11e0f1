/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libfairway-cuda.so.0"

/* ISO C has no cast from an object's pointer to a function's. */
static int find(void *handle, const char *name, void *to, struct diag *diag)
{
	void *symbol = dlsym(handle, name);

	if (!symbol)
		return diag_set(diag, -ENOENT, "--executor cuda: %s",
				dlerror());
	memcpy(to, &symbol, sizeof(symbol));
	return 0;
}

int cuda_library_load(struct cuda_library *library, struct diag *diag)
{
	const char *path = getenv("FAIRWAY_CUDA_LIBRARY");
	struct cuda_library found;
	void *handle;
	int err;

	handle = dlopen(path && *path ? path : LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return diag_set(diag, -ENOENT, "--executor cuda: %s",
				dlerror());
	err = find(handle, "fw_executor_cuda", &found.open, diag);
	if (!err)
		err = find(handle, "fw_executor_cuda_stats", &found.stats,
			   diag);
	if (!err)
		err = find(handle, "fw_cuda_busy_launch", &found.busy, diag);
	if (err) {
		dlclose(handle);
		return err;
	}
	*library = found;
	return 0;
}

int cuda_library_failed(int err, struct diag *diag)
{
	if (err == -ENODEV)
		return diag_set(diag, err,
				"--executor cuda: no CUDA device, or no "
				"driver for it");
	return diag_set(diag, err, "--executor cuda: %s", strerror(-err));
}
