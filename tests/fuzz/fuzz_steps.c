/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tools/fit/fit.h"
#include "tools/fit/steps.h"
#include "fuzz.h"

static void check_fit(const struct steps *steps)
{
	struct diag diag = {""};
	struct fit fit;

	if (fit_steps(&fit, steps, "steps", &diag)) {
		check_message(diag.text);
		return;
	}
	promise(isfinite(fit.device.t0) && fit.device.t0 >= 0.0,
		"t0 is a time");
	promise(isfinite(fit.device.a) && fit.device.a > 0.0, "a is a time");
	promise(isfinite(fit.device.b) && fit.device.b >= 0.0, "b is a time");
	promise(isfinite(fit.device.tw) && fit.device.tw >= 0.0,
		"Tw is a time");
	promise(fit.worst < steps->num && fit.median <= fit.p90,
		"the errors are those of the steps");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines_buffer from;
	struct diag diag = {""};
	struct steps steps;
	struct lines lines;

	if (open_bytes(&lines, &from, data, size))
		return 0;
	if (steps_parse(&steps, &lines, &diag)) {
		check_message(diag.text);
	} else {
		check_fit(&steps);
		steps_destroy(&steps);
	}
	lines_close(&lines);
	return 0;
}
