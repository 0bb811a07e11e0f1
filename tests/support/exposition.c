/* SPDX-License-Identifier: Apache-2.0 */
#include "exposition.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct histogram_check - the histogram whose lines are being read
 * @last: the bucket before; -1 before the first
 * @bound: its bound
 * @closed: there was a +Inf
 * @counted: there was a count
 */
struct histogram_check {
	double last;
	double bound;
	bool closed;
	bool counted;
};

/* One sample as it stands in its line. */
struct sample {
	size_t name_len;
	bool has_le;
	double le;
	double value;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Skip a name; false when there is none. */
static bool skip_name(const char **s, bool colon)
{
	const char *start = *s;

	while (is_letter(**s) || (**s == ':' && colon) ||
	       (*s > start && **s >= '0' && **s <= '9'))
		(*s)++;
	return *s > start;
}

static bool skip_number(const char **s, double *value)
{
	char *end;

	if (!**s || strchr(" \t\n", **s))
		return false;
	*value = strtod(*s, &end);
	if (end == *s)
		return false;
	*s = end;
	return true;
}

/* A quoted value; its text without the quotes is at @start. */
static bool skip_value(const char **s, const char **start)
{
	if (*(*s)++ != '"')
		return false;
	*start = *s;
	for (; **s != '"'; (*s)++) {
		if (!**s || **s == '\n')
			return false;
		if (**s == '\\' && !strchr("\\\"n", *++*s))
			return false;
	}
	(*s)++;
	return true;
}

static bool skip_label(const char **s, struct sample *sample)
{
	const char *name = *s;
	const char *value;
	bool is_le;

	if (!skip_name(s, false))
		return false;
	is_le = *s - name == 2 && !strncmp(name, "le", 2);
	if (*(*s)++ != '=' || !skip_value(s, &value))
		return false;
	if (is_le) {
		sample->has_le = true;
		sample->le = strtod(value, NULL);
	}
	return true;
}

static bool skip_labels(const char **s, struct sample *sample)
{
	if (**s != '{')
		return true;
	for ((*s)++; **s != '}';) {
		if (!skip_label(s, sample))
			return false;
		if (**s == ',')
			(*s)++;
		else if (**s != '}')
			return false;
	}
	(*s)++;
	return true;
}

static bool skip_sample(const char **s, struct sample *sample)
{
	const char *start = *s;
	double stamp;

	*sample = (struct sample){0};
	if (!skip_name(s, true))
		return false;
	sample->name_len = (size_t)(*s - start);
	if (!skip_labels(s, sample) || *(*s)++ != ' ')
		return false;
	if (!skip_number(s, &sample->value))
		return false;
	if (**s == ' ' && ((*s)++, !skip_number(s, &stamp)))
		return false;
	return **s == '\n';
}

static bool ends_in(const char *line, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !strncmp(line + len - n, suffix, n);
}

/* Lines of one histogram stand together, buckets by rising bound. */
static bool check_histogram(struct histogram_check *check, const char *line,
			    const struct sample *sample)
{
	if (ends_in(line, sample->name_len, "_bucket")) {
		if (!sample->has_le || check->closed ||
		    sample->value < check->last ||
		    (check->last >= 0 && sample->le <= check->bound))
			return false;
		check->last = sample->value;
		check->bound = sample->le;
		check->closed = isinf(sample->le);
		return true;
	}
	if (ends_in(line, sample->name_len, "_count")) {
		if (!check->closed || sample->value < check->last ||
		    sample->value > check->last)
			return false;
		*check = (struct histogram_check){.last = -1, .counted = true};
		return true;
	}
	return ends_in(line, sample->name_len, "_sum");
}

/* "# TYPE name type", "# HELP name text", or any other comment. */
static bool comment_valid(const char *line, size_t len, bool *histogram)
{
	static const char *const types[] = {"counter", "gauge", "histogram",
					    "summary", "untyped"};
	const char *s = line + strlen("# TYPE ");
	size_t i;

	if (strncmp(line, "# TYPE ", 7) && strncmp(line, "# HELP ", 7))
		return true;
	if (!skip_name(&s, true) || *s++ != ' ')
		return false;
	if (line[2] == 'H')
		return true;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i]) == len - (size_t)(s - line) &&
		    !strncmp(s, types[i], strlen(types[i]))) {
			*histogram = !strcmp(types[i], "histogram");
			return true;
		}
	}
	return false;
}

/* The C library's own decoder would need a locale. */
static bool utf8_valid(const unsigned char *s)
{
	uint32_t code;
	int more;

	while (*s) {
		more = *s < 0x80       ? 0
		       : *s >> 5 == 6  ? 1
		       : *s >> 4 == 14 ? 2
		       : *s >> 3 == 30 ? 3
				       : -1;
		if (more < 0)
			return false;
		code = more ? *s & (0x3f >> more) : *s;
		for (s++; more > 0; more--, s++) {
			if (*s >> 6 != 2)
				return false;
			code = code << 6 | (*s & 0x3f);
		}
		if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return false;
	}
	return true;
}

bool exposition_valid(const char *text)
{
	struct histogram_check check = {.last = -1};
	struct sample sample;
	bool histogram = false;
	const char *line = text;
	const char *end;

	if (!utf8_valid((const unsigned char *)text))
		return false;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return false;
		if (*line == '#') {
			if (!comment_valid(line, (size_t)(end - line),
					   &histogram))
				return false;
			continue;
		}
		text = line;
		if (!skip_sample(&text, &sample) ||
		    (histogram && !check_histogram(&check, line, &sample)))
			return false;
	}
	return !histogram || (check.counted && check.last < 0);
}
