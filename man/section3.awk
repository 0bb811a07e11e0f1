# SPDX-License-Identifier: Apache-2.0
#
# Pages of section 3 of the manual from the kernel-doc of public headers: a page
# for each function, struct and enum, and one for each header that begins with
# some words about all of it. Constants stand on the page of their header.
#
#	awk -v out=FOLDER -v date='December 1, 2026' -f section3.awk HEADER...

function fail(why)
{
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}

# Text of the comment, a line each, without the stars in front.
function strip(line)
{
	sub(/^ \*\/?/, "", line)
	sub(/^ /, "", line)
	return line
}

# --- text to mdoc: what has a meaning gets a macro on a line of its own ---

function flush()
{
	if (line != "")
		print line >page
	line = ""
}

# What stands behind a word becomes arguments of their own.
function behind(text,	i, args)
{
	for (i = 1; i <= length(text); i++)
		args = args " " substr(text, i, 1)
	return args
}

function put_macro(macro, word, after)
{
	flush()
	print "." macro " " word behind(after) >page
}

function put_plain(word)
{
	gsub(/\\/, "\\e", word)
	if (line == "" && word ~ /^[.']/)
		word = "\\&" word
	line = line == "" ? word : line " " word
	# A sentence ends its line, too.
	if (length(line) > 66 || word ~ /[.?][)"]?$/)
		flush()
}

function put_word(word,	core, after)
{
	core = word
	sub(/[.,;:)?]+$/, "", core)
	after = substr(word, length(core) + 1)
	# The brackets of a call are its own.
	if (core ~ /^fw_[a-z0-9_]+\($/ && after ~ /^\)/) {
		core = substr(core, 1, length(core) - 1)
		after = substr(after, 2)
		if (core == self)
			put_macro("Nm", "", after)
		else if (core in known)
			put_macro("Xr", core " 3", after)
		else
			put_macro("Fn", core, after)
	} else if (core ~ /^@[a-z_]+$/) {
		put_macro(params[substr(core, 2)] ? "Fa" : "Va",
			substr(core, 2), after)
	} else if (core ~ /^@[a-z_]+'s$/) {
		sub(/'s$/, "", core)
		flush()
		print ".Fa " substr(core, 2) " Ns 's" behind(after) >page
	} else if (core ~ /^fairway-[a-z]+\([0-9]$/ && after ~ /^\)/) {
		put_macro("Xr", substr(core, 1, length(core) - 2) " " \
			substr(core, length(core)), substr(after, 2))
	} else if (core == "NULL" || core ~ /^FW_[A-Z_]+$/) {
		put_macro("Dv", core, after)
	} else {
		put_plain(word)
	}
}

function put_text(text,	words, num, i)
{
	num = split(text, words, /[ \t]+/)
	for (i = 1; i <= num; i++)
		if (words[i] != "")
			put_word(words[i])
	flush()
}

# --- pages ---

function put_head(name, brief)
{
	page = out "/" name ".3"
	self = name
	print ".\\\" Made from <fairway/" header ".h>." >page
	print ".Dd " date "\n.Dt " toupper(name) " 3\n.Os\n.Sh NAME\n.Nm " \
		name "\n.Nd " brief >page
	# A policy is loaded, it links nothing.
	if (header != "policy")
		print ".Sh LIBRARY\nlibfairway, linked by \\-lfairway" >page
	print ".Sh SYNOPSIS\n.In fairway/" header ".h" >page
}

# Lines of code, as they are.
function put_code(code)
{
	gsub(/\\/, "\\e", code)
	print ".Bd -literal" >page
	printf "%s", code >page
	print ".Ed" >page
}

function put_prototype(code,	name, type, args, num, i, depth, c, arg)
{
	gsub(/[ \t\n]+/, " ", code)
	sub(/ ?;.*/, "", code)
	match(code, /fw_[a-z0-9_]+\(/)
	type = substr(code, 1, RSTART - 1)
	sub(/ $/, "", type)
	name = substr(code, RSTART, RLENGTH - 1)
	args = substr(code, RSTART + RLENGTH)
	sub(/\)$/, "", args)
	print ".Ft \"" type "\"\n.Fo " name >page
	for (i = 1; i <= length(args) + 1; i++) {
		c = substr(args, i, 1)
		depth += c == "("
		depth -= c == ")"
		if (c == "" || (c == "," && !depth)) {
			sub(/^ /, "", arg)
			print ".Fa \"" arg "\"" >page
			arg = ""
		} else {
			arg = arg c
		}
	}
	print ".Fc" >page
}

function put_params(	i)
{
	if (!num_params)
		return
	print ".Bl -tag -width Ds" >page
	for (i = 1; i <= num_params; i++) {
		print ".It " (is_function ? "Fa" : kind == "enum" ? "Dv" : "Va") \
			" " param[i] >page
		put_text(about[i])
	}
	print ".El" >page
}

function put_paragraphs(	i)
{
	for (i = 1; i <= num_paragraphs; i++) {
		# None right behind the heading.
		if (num_params || i > 1 || entry == "fw_" header)
			print ".Pp" >page
		put_text(paragraph[i])
	}
}

function put_see_also(name,	i, sorted, num, k, swap)
{
	print ".Sh SEE ALSO" >page
	for (i = 1; i <= num_entries[header]; i++)
		if (entries[header, i] != name)
			sorted[++num] = entries[header, i]
	if (prose[header] != "" && !(("fw_" header) in known) && name != "")
		sorted[++num] = "fw_" header
	for (i = 2; i <= num; i++)
		for (k = i; k > 1 && sorted[k] < sorted[k - 1]; k--) {
			swap = sorted[k]
			sorted[k] = sorted[k - 1]
			sorted[k - 1] = swap
		}
	print ".Xr fairway 1" (num ? " ," : "") >page
	for (i = 1; i <= num; i++)
		print ".Xr " sorted[i] " 3" (i < num ? " ," : "") >page
}

function put_page(	name)
{
	name = entry
	put_head(name, brief)
	if (is_function)
		put_prototype(code)
	else
		put_code(code)
	print ".Sh DESCRIPTION" >page
	if (name == "fw_" header && prose[header] != "")
		put_prose()
	# Never an empty section: the purpose in a sentence.
	if (!num_params && !num_paragraphs)
		put_text("Purpose: " brief ".")
	put_params()
	put_paragraphs()
	if (name == "fw_" header)
		put_constants()
	if (context != "") {
		print ".Sh CALLING CONTEXT" >page
		put_text(context)
	}
	if (returns != "") {
		print ".Sh RETURN VALUES" >page
		put_text(returns)
	}
	put_see_also(name)
	close(page)
	made[name] = 1
}

function put_constants(	i)
{
	if (!num_constants[header])
		return
	print ".Pp\nThe header defines:\n.Bl -tag -width Ds" >page
	for (i = 1; i <= num_constants[header]; i++) {
		print ".It Dv " constants[header, i, "name"] >page
		put_text(constants[header, i, "brief"])
	}
	print ".El" >page
}

# The comment that a header begins with; what is set in by a tab is code.
function put_prose(	lines, num, i, code, text)
{
	num = split(prose[header], lines, "\n")
	for (i = 1; i <= num; i++) {
		if (lines[i] ~ /^\t/) {
			put_text(text)
			text = ""
			code = code substr(lines[i], 2) "\n"
			continue
		}
		if (code != "")
			put_code(code)
		code = ""
		if (lines[i] == "") {
			put_text(text)
			text = ""
			if (i < num && lines[i + 1] !~ /^\t/)
				print ".Pp" >page
		} else {
			text = text " " lines[i]
		}
	}
	put_text(text)
}

# Of a header without a page of its name.
function put_overview(	i)
{
	if (prose[header] == "" || made["fw_" header])
		return
	put_head("fw_" header, title[header])
	print ".Sh DESCRIPTION" >page
	put_prose()
	print ".Pp\nThe functions and types are:\n.Bl -tag -width Ds" >page
	for (i = 1; i <= num_entries[header]; i++) {
		print ".It Xr " entries[header, i] " 3" >page
		put_text(briefs[header, i])
	}
	print ".El" >page
	put_constants()
	put_see_also("")
	close(page)
}

# --- reading ---

# FW_X - what it means */, on one line
function read_constant(text,	at)
{
	sub(/^\/\*\* /, "", text)
	sub(/ \*\/$/, "", text)
	at = index(text, " - ")
	num_constants[header]++
	constants[header, num_constants[header], "name"] = substr(text, 1, at - 1)
	constants[header, num_constants[header], "brief"] = substr(text, at + 3) "."
}

function begin_entry()
{
	num_params = num_paragraphs = 0
	split("", params)
	context = returns = code = ""
	where = "brief"
}

# struct fw_x - what it is, or fw_x() - what it does
function read_brief(text,	at, name)
{
	at = index(text, " - ")
	if (!at)
		fail("expected NAME - PURPOSE")
	name = substr(text, 1, at - 1)
	brief = substr(text, at + 3)
	kind = name ~ /^struct / ? "struct" : name ~ /^enum / ? "enum" : ""
	is_function = kind == ""
	sub(/^(struct|enum) /, "", name)
	sub(/\(\)$/, "", name)
	entry = name
	where = "params"
}

# What follows "Context:" or "Return:" goes on until the comment ends.
function read_context(text)
{
	if (sub(/^Context and Return: /, "", text)) {
		returns = "Context and return values: " text
		where = "returns"
	} else if (sub(/^Context: /, "", text)) {
		where = "context"
		read_more(text)
	} else if (sub(/^Return: /, "", text)) {
		where = "returns"
		returns = text
	}
}

function read_more(text,	at)
{
	at = index(text, "Return: ")
	if (where == "context" && at) {
		context = context " " substr(text, 1, at - 1)
		returns = substr(text, at + 8)
		where = "returns"
	} else if (where == "context") {
		context = context " " text
	} else {
		returns = returns " " text
	}
}

function read_comment(text)
{
	if (where == "brief") {
		read_brief(text)
	} else if (text ~ /^(Context|Return|Context and Return): /) {
		read_context(text)
	} else if (where == "context" || where == "returns") {
		read_more(text)
	} else if (where == "params" && match(text, /^@[a-z0-9_A-Z]+: /)) {
		param[++num_params] = substr(text, 2, RLENGTH - 3)
		params[param[num_params]] = 1
		about[num_params] = substr(text, RLENGTH + 1)
	} else if (where == "params" && text ~ /^\t/) {
		about[num_params] = about[num_params] " " text
	} else if (text == "") {
		where = "text"
		fresh = 1
	} else {
		if (fresh || !num_paragraphs)
			num_paragraphs++
		paragraph[num_paragraphs] = fresh ? text : \
			paragraph[num_paragraphs] " " text
		fresh = 0
	}
}

function note_entry()
{
	num_entries[header]++
	entries[header, num_entries[header]] = entry
	briefs[header, num_entries[header]] = brief (brief ~ /\?$/ ? "" : ".")
	known[entry] = 1
}

# The prototype or the type is over?
function code_ends(text)
{
	return is_function ? text ~ /;$/ : text ~ /^};$/ || text ~ /^struct [a-z_]+;$/
}

# The files are read twice: first for all names, then for the pages.
FNR == 1 {
	if (pass == 2 && header != "")
		put_overview()
	header = FILENAME
	sub(/.*\//, "", header)
	sub(/\.h(\.in)?$/, "", header)
	if (seen[header]++)
		pass = 2
	else
		pass = 1
	state = "between"
	prose_done = pass == 2
}

state == "between" && /^\/\*\* .*\*\/$/ {
	if (pass == 1)
		read_constant($0)
	next
}
state == "between" && /^\/\*\*$/ {
	begin_entry()
	fresh = 0
	state = "comment"
	next
}
# Some words about the whole header come before the first entry.
state == "between" && /^\/\*$/ && !prose_done && !num_entries[header] {
	state = "prose"
	next
}
state == "prose" {
	if (/^ \*\//) {
		prose_done = 1
		state = "between"
		title[header] = prose[header]
		sub(/[.:\n].*/, "", title[header])
		title[header] = tolower(substr(title[header], 1, 1)) \
			substr(title[header], 2)
		next
	}
	prose[header] = prose[header] (prose[header] == "" ? "" : "\n") strip($0)
	next
}
state == "comment" {
	if (/^ \*\//) {
		state = "code"
		if (pass == 1)
			note_entry()
		next
	}
	read_comment(strip($0))
	next
}
state == "code" {
	code = code $0 "\n"
	if (!code_ends($0))
		next
	if (pass == 2)
		put_page()
	state = "between"
}

END {
	if (!failed)
		put_overview()
}
