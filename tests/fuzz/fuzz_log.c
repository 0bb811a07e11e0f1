/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/log/log_reader.h"
#include "fuzz.h"

static void check_log(const struct log *log)
{
	promise(log->num > 0, "a log is not empty");
	promise(log->reqs[0].arrival_s <= 0.0, "the clock begins with it");
	for (size_t i = 0; i < log->num; i++) {
		const struct log_req *req = &log->reqs[i];

		promise(req->uncached >= 1, "there is something to compute");
		promise(req->cached + req->uncached <= INT32_MAX,
			"length in range");
		promise(!i || req->arrival_s >= req[-1].arrival_s,
			"arrivals rise");
		promise(log->times == LOG_NO_TIMES ||
				req->later_s >= req->arrival_s,
			"nothing starts before it arrives");
	}
}

/* Every form gets the bytes, whatever they look like. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; log_readers[i]; i++) {
		struct diag diag = {""};
		struct lines_buffer from;
		struct lines lines;
		struct log log;

		if (open_bytes(&lines, &from, data, size))
			return 0;
		if (log_parse(&log, log_readers[i], &lines, &diag)) {
			check_message(diag.text);
		} else {
			check_log(&log);
			log_destroy(&log);
		}
		lines_close(&lines);
	}
	return 0;
}
