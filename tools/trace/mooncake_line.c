/* SPDX-License-Identifier: Apache-2.0 */
#include "mooncake_line.h"

#include <string.h>

#include "mooncake_json.h"
#include "mooncake_plain.h"

static int check_missing(const struct mooncake_line *line,
			 const struct lines *lines, struct diag *diag)
{
	for (int i = 0; i < NUM_FIELDS; i++) {
		const struct mooncake_rule *rule = &mooncake_rules[i];

		if (rule->needed && !line->seen[i])
			return lines_bad(lines, diag, rule->name,
					 "expected %s (missing; %s is taken "
					 "too)",
					 rule->needed, rule->other);
	}
	return 0;
}

static void clear(struct mooncake_line *line)
{
	id_runs_clear(&line->list);
	memset(line->seen, 0, sizeof(line->seen));
	memset(line->other, 0, sizeof(line->other));
	memset(line->value, 0, sizeof(line->value));
	line->phase[0] = '\0';
}

int mooncake_line_parse(struct mooncake_line *line, const struct lines *lines,
			const char *text, size_t len, struct diag *diag)
{
	int ret;

	clear(line);
	if (!mooncake_plain_parse(line, text, len)) {
		clear(line);
		ret = mooncake_json_parse(line, lines, text, len, diag);
		if (ret)
			return ret;
	}
	return check_missing(line, lines, diag);
}

void mooncake_line_destroy(struct mooncake_line *line)
{
	id_runs_destroy(&line->list);
	*line = (struct mooncake_line){0};
}
