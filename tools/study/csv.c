/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report.h"

/* A field by RFC 4180. */
static void field(const char *text, FILE *to)
{
	bool quoted = strpbrk(text, ",\"\r\n");

	if (quoted)
		fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	if (quoted)
		fputc('"', to);
}

/* An absent figure is an empty field. */
static int put_figures(const struct study_report *report, size_t run,
		       const char *policy, const char *phase, FILE *to)
{
	struct study one = {&report->study->runs[run], 1};
	const char *figure;

	field(one.runs->setting, to);
	fprintf(to, ",%" PRIu64 ",", one.runs->seed);
	field(policy, to);
	fputc(',', to);
	field(phase ? phase : "all", to);
	for (size_t i = 0; (figure = study_figure(report->study, i)); i++) {
		struct study_range range;
		int err = study_range(&range, &one, one.runs->setting, policy,
				      phase, figure);

		if (err)
			return err;
		fputc(',', to);
		if (isfinite(range.median))
			fprintf(to, "%.17g", range.median);
	}
	fputc('\n', to);
	return 0;
}

static int put_run(const struct study_report *report, size_t run, FILE *to)
{
	const struct study *study = report->study;
	const char *policy, *phase;
	int err = 0;

	for (size_t i = 0; !err && (policy = study_policy(study, i)); i++) {
		err = put_figures(report, run, policy, NULL, to);
		for (size_t k = 0; !err && study_phase(study, 1) &&
				   (phase = study_phase(study, k));
		     k++)
			err = put_figures(report, run, policy, phase, to);
	}
	return err;
}

int study_csv(const struct study_report *report, FILE *to)
{
	const char *figure;
	int err = 0;

	errno = 0;
	fputs("setting,seed,policy,phase", to);
	for (size_t i = 0; (figure = study_figure(report->study, i)); i++)
		fprintf(to, ",%s%s", figure, study_is_time(figure) ? "_s" : "");
	fputc('\n', to);
	for (size_t i = 0; i < report->study->num && !err; i++)
		err = put_run(report, i, to);
	if (!err && ferror(to))
		err = errno ? -errno : -EIO;
	return err;
}
