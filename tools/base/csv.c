/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <assert.h>

int csv_find(const struct csv *csv, struct span name)
{
	for (int i = 0; i < csv->num_names; i++)
		if (csv->names[i] && span_is(name, csv->names[i]))
			return i;
	return -1;
}

static int add_column(struct csv *csv, const struct lines *lines,
		      struct span name, struct diag *diag)
{
	int found = csv_find(csv, name);

	if (csv->num_columns == CSV_MAX_COLUMNS)
		return lines_bad(lines, diag, "line",
				 "expected at most %d columns (more)",
				 CSV_MAX_COLUMNS);
	if (found >= 0 && csv->place[found] >= 0)
		return lines_bad(lines, diag, csv->names[found],
				 "expected one such column (two)");
	if (found >= 0)
		csv->place[found] = csv->num_columns;
	csv->num_columns++;
	return 0;
}

int csv_header(struct csv *csv, const struct lines *lines, struct span line,
	       struct diag *diag)
{
	struct span name;

	assert(csv->num_names <= CSV_MAX_NAMED);
	csv->num_columns = 0;
	for (int i = 0; i < csv->num_names; i++)
		csv->place[i] = -1;
	while (span_cut(&line, ',', &name)) {
		int ret = add_column(csv, lines, name, diag);

		if (ret)
			return ret;
	}
	return 0;
}

int csv_need(const struct csv *csv, const struct lines *lines, int name,
	     struct diag *diag)
{
	if (csv_has(csv, name))
		return 0;
	return lines_bad(lines, diag, csv->names[name],
			 "expected a column of this name in the header (none)");
}

int csv_split(const struct csv *csv, const struct lines *lines,
	      struct span line, struct span *fields, struct diag *diag)
{
	struct span field;
	bool more;
	int num = 0;

	while (num <= csv->num_columns && span_cut(&line, ',', &field)) {
		for (int i = 0; i < csv->num_names; i++)
			if (csv->place[i] == num)
				fields[i] = field;
		num++;
	}
	if (num == csv->num_columns)
		return 0;
	more = num > csv->num_columns;
	return lines_bad(lines, diag, "line",
			 "expected %d fields, as in the header (%s%d%s)",
			 csv->num_columns, more ? "over " : "",
			 more ? csv->num_columns : num,
			 lines->whole ? "" : "; the file may be cut off");
}
