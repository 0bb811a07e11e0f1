#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The page that --html writes: whole, escaped, well-formed, of bounded size,
# and loaded by a browser without a complaint. Prints TAP.
# shellcheck disable=SC2317,SC2016 # check() calls functions by name; no $ is meant
set -u
# shellcheck source=tests/cli/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"
cli_begin

# What must never be read as markup, as a name of a phase and of a file.
evil='</title><script>alert(1)</script>&"'\'
evil_json='</title><script>alert(1)</script>&\"'\'
evil_file='<script>&"'\''.jsonl'

hostile_trace()
{
	printf '{"timestamp": %s, "input_length": %s, "hash_ids": %s%s}\n' \
		0 32 '[1, 2]' ", \"block_size\": 16, \"phase\": \"$evil_json\"" \
		1000 48 '[1, 2, 3]' ", \"phase\": \"$evil_json\"" \
		2000 48 '[4, 5, 6]' ', "phase": "\\\"); system(\"touch pwned\")"' \
		3000 48 '[4, 5, 6]' ', "phase": "%d %s $(touch pwned) `touch pwned`"'
}

succeeds()
{
	[ "$status" -eq 0 ] && return
	cat "$cli_dir/err"
	return 1
}

# Anything that a browser would fetch, run, or send.
refers_outside()
{
	grep -Eio '(https?|ftp|file|ws):|(src|action|data)=|@import|url\(' "$1"
	grep -Eo "href=[\"'][^#\"'][^\"']*|xlink:" "$1" | grep -vx 'href="data:,'
	grep -Eio '<(iframe|object|embed|img|form|base)[ >]' "$1"
	grep -Eo '<script[^>]*>' "$1" | grep -v 'type="application/json"'
}

stands_alone()
{
	local found

	found=$(refers_outside "$1")
	[ -z "$found" ] && return
	echo "$found"
	return 1
}

lacks() { ! grep -qF -- "$2" "$1"; }

at_most() { [ "$(wc -c <"$1")" -le "$2" ]; }

# SVG and all else as XML would have it: python's parser is strict about tags
# that do not match, which browsers mend in silence.
well_formed()
{
	python3 - "$1" <<-'END'
	import html.parser, json, sys

	class Page(html.parser.HTMLParser):
	    void = {"meta", "link", "br", "input"}
	    def __init__(self):
	        super().__init__()
	        self.open, self.ids, self.text, self.data = [], set(), [], {}
	    def handle_starttag(self, tag, attrs):
	        names = [name for name, value in attrs]
	        assert len(names) == len(set(names)), (tag, names)
	        for name, value in attrs:
	            if name == "id":
	                assert value not in self.ids, value
	                self.ids.add(value)
	                self.last = value
	        if tag not in self.void:
	            self.open.append(tag)
	    def handle_startendtag(self, tag, attrs):
	        pass
	    def handle_endtag(self, tag):
	        assert self.open and self.open[-1] == tag, (tag, self.open)
	        self.open.pop()
	    def handle_data(self, text):
	        if self.open and self.open[-1] == "script":
	            self.data[self.last] = json.loads(text)
	        else:
	            self.text.append(text)

	page = Page()
	page.feed(open(sys.argv[1], encoding="utf-8").read())
	page.close()
	assert not page.open, page.open
	run = page.data["fairway-run"]
	assert run["schema"] == "fairway.page/1"
	assert run["run"]["schema"] == "fairway.sim/1"
	assert run["command"][0] == "sim", run["command"]
	assert page.data["fairway-series"]
	END
}

# The texts come out as they went in, however they are escaped.
shows()
{
	python3 - "$1" "$2" <<-'END'
	import html.parser, sys

	class Page(html.parser.HTMLParser):
	    text = ""
	    def handle_data(self, text):
	        self.text += text

	page = Page()
	page.feed(open(sys.argv[1], encoding="utf-8").read())
	assert sys.argv[2] in page.text
	END
}

check_page()
{
	run sim --workload sec-dynamic --policy fcfs,lpm,fairway \
		--targets 'median<=1.1xlpm,max<=9s' --html page.html
	check "a page is written" succeeds
	check "it refers to nothing outside" stands_alone page.html
	check "it has a figure for narrow and for wide screens" \
		grep -q 'class="narrow"' page.html
	check "its plots say what they show" \
		grep -q 'role="img" aria-labelledby="figure1n-t figure1n-d"' \
		page.html
	check "gnuplot's own colours are gone" lacks page.html 'rgb('
	check "and so are the names in its script" \
		test 0 -eq "$(grep -Ec '>L[NBXY][0-9]*<' page.html)"
	check "a line's tooltip is its policy, not a name of the drawing" \
		tooltips_named page.html
	check "a table that goes on beyond the screen has a shadow there" \
		grep -q '^.scroll{.*local,linear-gradient' page.html
	check "a list of contents leads to every section" linked page.html
	if command -v python3 >/dev/null; then
		check "the slowest request ends its plot" slowest page.html
	else
		skip "the slowest request ends its plot" "no python3"
	fi
	check "each policy can be chosen to stand out" \
		test "$(grep -c '<input type="radio"' page.html)" -eq 4
	"$fairway" sim --workload sec-dynamic --policy fcfs,lpm,fairway \
		--quiet --requests each.csv
	if command -v python3 >/dev/null; then
		check "who waited longest is told, and why" \
			worst_explained page.html
		check "values are where the cursor is" values_shown page.html
	else
		skip "who waited longest is told, and why" "no python3"
		skip "values are where the cursor is" "no python3"
	fi
	cp page.html first.html
	run sim --workload sec-dynamic --policy fcfs,lpm,fairway \
		--targets 'median<=1.1xlpm,max<=9s' --html page.html --jobs 1
	check "a second run changes nothing but its command line" \
		same_but_command first.html page.html
	run sim --workload sec-dynamic --policy fcfs --quiet --html -
	check "a page can go to standard output" \
		grep -q '^<!DOCTYPE html>' "$cli_dir/out"
}

# The worst requests of fcfs are those of its own list, nobody overtook them,
# and under lpm somebody did.
worst_explained()
{
	python3 - "$1" each.csv <<-'END'
	import csv, html.parser, sys

	class Tables(html.parser.HTMLParser):
	    rows, cell = [], None
	    def handle_starttag(self, tag, attrs):
	        if tag == "tr":
	            self.rows.append([])
	        if tag in ("td", "th"):
	            self.cell = ""
	    def handle_endtag(self, tag):
	        if tag in ("td", "th"):
	            self.rows[-1].append(self.cell)
	            self.cell = None
	    def handle_data(self, text):
	        if self.cell is not None:
	            self.cell += text

	page = Tables()
	page.feed(open(sys.argv[1], encoding="utf-8").read())
	rows = [row for row in page.rows if len(row) == 11 and
	        row[1].isdigit() and row[2].isalpha()]
	each = list(csv.DictReader(open(sys.argv[2])))
	for name in ("fcfs", "lpm", "fairway"):
	    own = sorted((r for r in each if r["policy"] == name),
	                 key=lambda r: -float(r["ttft_s"]))[:5]
	    shown = [row for row in rows if row[0] == name]
	    assert [r[1] for r in shown] == [r["id"] for r in own], name
	    for row, one in zip(shown, own):
	        tokens = int(one["prompt_tokens"]) - int(one["cached_tokens"])
	        assert int(row[6].replace(",", "")) == tokens, row
	    overtaken = [row[10] != "none" for row in shown]
	    assert any(overtaken) == (name != "fcfs"), (name, overtaken)
	END
}

# The value under the cursor is a point of the curve, and it stands on the axes
# where the line does: by the ticks, which gnuplot placed.
values_shown()
{
	python3 - "$1" <<-'END'
	import json, re, sys

	page = open(sys.argv[1], encoding="utf-8").read()
	data = json.loads(re.search('id="fairway-series">\n(.*?)\n</script>',
	                            page, re.S).group(1))
	curve = data["distribution: all requests"]["lpm"]
	svg = re.search(r'<svg[^>]*>\n<title[^>]*>How soon: all requests.*?</svg>',
	                page, re.S).group(0)
	dots = re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="5"><title>lpm: '
	                  r'([\d.]+) (m?s), ([\d.]+)%<', svg)
	assert 2 < len(dots) <= 24, len(dots)
	points = [(x, y) for x, y in zip(curve["ttft_s"], curve["percent"])]
	for cx, cy, value, unit, percent in dots:
	    seconds = float(value) / (1000 if unit == "ms" else 1)
	    assert any(abs(x / seconds - 1) < 6e-3 and
	               abs(y - float(percent)) < 0.06 for x, y in points), value
	line = re.search(r'class="line l2".*?d=\'(.*?)\'', svg, re.S).group(1)
	path = [(float(x), float(y)) for x, y in
	        re.findall(r'([\d.]+),([\d.]+)', line)]
	for cx, cy, *_ in dots:
	    near = min(abs(x - float(cx)) + abs(y - float(cy)) for x, y in path)
	    assert near < 3, (cx, cy, near)
	END
}

tooltips_named()
{
	! grep -E '<title>[^<]*_plot_' "$1" && grep -q '<title>lpm<' "$1"
}

linked()
{
	local num

	num=$(grep -c '<section id=' "$1")
	[ "$num" -gt 4 ] && [ "$num" -eq "$(grep -c '<li><a href="#part-' "$1")" ]
}

# The last point of each curve is the worst time, of one request in all.
slowest()
{
	python3 - "$1" <<-'END'
	import json, re, sys

	page = open(sys.argv[1], encoding="utf-8").read()
	def data(name):
	    return json.loads(re.search(
	        'id="%s">\n(.*?)\n</script>' % name, page, re.S).group(1))
	curves = data("fairway-series")["slowest: all requests"]
	for policy in data("fairway-run")["run"]["policies"]:
	    curve = curves[policy["name"]]
	    worst = policy["ttft_s"]["max"]
	    one = 100 / policy["completed"]
	    assert abs(curve["ttft_s"][-1] / worst - 1) < 1e-4, policy["name"]
	    assert abs(curve["percent"][-1] / one - 1) < 1e-4, policy["name"]
	END
}

# Which phase is hardest, which of them are named, and many policies.
check_phases()
{
	run sim --workload flood --policy fcfs,lpm,fairway --html flood.html
	check "the page of a flood is about those who suffered most" \
		grep -q 'In the phase “backlog”, where requests waited longest' \
		flood.html
	check "a phase of an instant is named where it is drawn" \
		grep -q '<text[^>]*>backlog<\|>backlog</text>' flood.html
	run sim --workload flood --policy fcfs,lpm,srpf --html srpf.html
	check "without fairway it is about srpf" \
		grep -q '<strong>srpf</strong>\|“srpf”' srpf.html
	check "whose lanes are shown" \
		grep -q 'What the lanes of srpf released' srpf.html
	check "the fast one by what is left" \
		grep -q 'fast lane, shortest rest first' srpf.html
	run sim --workload sec-dynamic --policy all --html all.html
	check "many policies get a plot each" \
		grep -q '<h4>uniboost</h4>' all.html
	check "with the words of what they show" \
		grep -q 'Phases from left to right, every other one shaded:' \
		all.html
}

same_but_command()
{
	[ "$(diff "$1" "$2" | grep -c '^>')" -eq 2 ]
}

check_hostile()
{
	hostile_trace >"$evil_file"
	run sim --trace "$evil_file" --kv-blocks 100 --html evil.html
	check "hostile names do not stop it" succeeds
	check "they start no element" lacks evil.html '<script>'
	check "they refer to nothing outside" stands_alone evil.html
	check "nothing of them was run" test ! -e pwned
	if ! command -v python3 >/dev/null; then
		skip "they come out as they are" "no python3"
		skip "the page is well-formed" "no python3"
		skip "a page of hostile names too" "no python3"
		return
	fi
	check "they come out as they are" shows evil.html "$evil"
	check "the page is well-formed" well_formed page.html
	check "a page of hostile names too" well_formed evil.html
}

# A hundred thousand requests in hundreds of phases.
check_size()
{
	awk 'BEGIN { for (i = 0; i < 100000; i++)
		printf "{\"timestamp\": %d, \"input_length\": %d, " \
			"\"hash_ids\": [], \"phase\": \"p%d\"}\n",
			i * 200, 100 + i % 3000, i % 300 }' >many.jsonl
	run sim --trace many.jsonl --policy fcfs,lpm,fairway \
		--block-size 16000 --kv-blocks 100 --html many.html
	check "many requests make a page" succeeds
	check "of two megabytes at most" at_most many.html 2000000
}

# Nothing served, one request, one instant: no plot has anything to show.
check_empty()
{
	printf '{"timestamp":0,"input_length":64,"hash_ids":[1,2,3,4]}\n' \
		>one.jsonl
	run sim --trace one.jsonl --block-size 16 --kv-blocks 1 --html none.html
	check "a run that serves nothing has a page" succeeds
	check "which says so" grep -q 'No request was served' none.html
	run sim --trace one.jsonl --block-size 16 --html one.html
	check "a run of one request has a page" succeeds
}

check_gnuplot()
{
	mkdir empty
	PATH=$PWD/empty run sim --workload sec-dynamic --html no.html
	check "without gnuplot one line names the package" \
		told 1 'fairway sim: ' 'gnuplot-nox'
	check "and leaves nothing" test -z "$(find . -name '*no.html*')"
	printf '#!/bin/sh\necho $$ >child\nexec /bin/sleep 100\n' \
		>empty/gnuplot
	chmod +x empty/gnuplot
	PATH=$PWD/empty "$fairway" sim --workload sec-dynamic --html no.html &
	sleep 1
	kill -INT $!
	wait $!
	check "a signal ends it while gnuplot hangs" test $? -eq 130
	check "and leaves nothing either" \
		test -z "$(find . -name '*no.html*')"
	check "not even gnuplot" ended "$(cat child)"
	rm -r empty child
}

# Within a second: who reaps it may take a moment.
ended()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		if [ ! -d "/proc/$1" ] ||
			grep -q '^State:.Z' "/proc/$1/status"; then
			return 0
		fi
		sleep 0.1
	done
	return 1
}

# In a browser: no error on its console, no picture that did not load.
check_browser()
{
	local browser name

	for name in chromium chromium-browser google-chrome; do
		browser=$(command -v $name) && break
	done
	for name in page evil many; do
		if [ -z "${browser:-}" ]; then
			skip "a browser loads $name.html" "no chromium"
		else
			check "a browser loads $name.html" loads "$name.html"
		fi
	done
}

loads()
{
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$cli_dir/profile" --enable-logging=stderr \
		--dump-dom "file://$PWD/$1" >dom.html 2>browser.log || {
		tail -5 browser.log
		return 1
	}
	grep -q '</html>' dom.html && ! grep 'CONSOLE' browser.log
}

if ! command -v gnuplot >/dev/null; then
	echo "1..0 # SKIP no gnuplot (Debian package gnuplot-nox)"
	exit 0
fi
check_page
check_phases
check_hostile
check_size
check_empty
check_gnuplot
check_browser
cli_end
