# SPDX-License-Identifier: Apache-2.0
"""The documents and the manual as a site: `site.py stage|check FOLDER`.

`stage` lays out what MkDocs reads, a copy of the documents with the manual as
pages beside them, and its settings. `check` reads the built pages: each link
leads somewhere, and nothing is loaded from a network. `./bootstrap site` calls
both.
"""

import html.parser
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

TOP = Path(__file__).resolve().parent.parent
#: Where the reader begins; what is not named here is found by links.
NAV = [
    ("Fairway", "README.md"),
    ("Guide", ["docs/try-it.md", "docs/srpf.md", "docs/traces.md",
               "docs/paper.md"]),
    ("Engines", ["docs/vllm.md", "python/README.md", "docs/cuda.md",
                 "examples/cuda/README.md"]),
    ("Costs", ["docs/bench.md", "docs/index.md", "docs/vllm-figures.md"]),
    ("Design", ["ARCHITECTURE.md", "docs/decisions"]),
    ("Project", ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
                 "abi/README.md"]),
]
#: What mandoc's pages need of a style.
STYLE = """\
.mandoc table.head, .mandoc table.foot { display: none }
.mandoc h1 { font-size: 1.25em; margin: 1.6em 0 0.6em }
.mandoc h2 { font-size: 1.1em }
.mandoc table.Nm td:first-child { white-space: nowrap; padding-right: 1ch }
.mandoc dd { margin-bottom: 0.6em }
"""
LINK = re.compile(r"\]\(([^)#\s]+)((?:#[^)]*)?)\)")
XREF = re.compile(r'<a class="Xr" href="([^"]+)">(.*?)</a>', re.S)


def documents():
    found = [*TOP.glob("*.md"), *TOP.glob("docs/**/*.md")]
    for name in ("abi", "cuda", "examples", "lib", "python", "tests", "tools"):
        found += [p for p in TOP.glob(f"{name}/**/README.md")]
    return [p.relative_to(TOP) for p in sorted(found)]


def target_on_site(page, link, pages):
    """Where a document's link leads on the site, by the paths of the tree."""
    path = (TOP / page.parent / link).resolve()
    if path.is_dir():
        path /= "README.md" if (path / "README.md").exists() else "index.md"
    name = path.relative_to(TOP)
    if re.fullmatch(r"man/.*\.[1-9]", str(name)):
        name = Path(f"{name}.md")
        assert name in pages, f"{page}: no page {name}"
    up = "../" * len(page.parent.parts)
    return up + str(name), name


def stage_documents(to, manual):
    """Each document, and the files that they link to."""
    pages = {*documents(), *manual}
    for page in documents():
        def leads(match, page=page):
            link, anchor = match.groups()
            if urlsplit(link).scheme:
                return match.group()
            link, name = target_on_site(page, link, pages)
            if name not in pages and not (to / name).exists():
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(TOP / name, to / name)
            return f"]({link}{anchor})"

        (to / page).parent.mkdir(parents=True, exist_ok=True)
        (to / page).write_text(LINK.sub(leads, (TOP / page).read_text()))


def manual_sources(folder):
    """Pages of the manual; those of section 3 are made from the headers."""
    made = folder / "man3"
    made.mkdir()
    headers = sorted(TOP.glob("include/fairway/*.h*"))
    headers = [h for h in headers if h.name != "fairway.h"]
    subprocess.run(["awk", "-v", f"out={made}", "-v", "date=", "-f",
                    TOP / "man/section3.awk", *headers, *headers], check=True)
    return sorted(TOP.glob("man/*.[1-9]")) + sorted(made.glob("*.3"))


def stage_manual(to, sources):
    """Pages of mandoc's, which link to each other and to no other manual."""
    (to / "man").mkdir()
    names = {f"{s.name}.html" for s in sources}
    for source in sources:
        text = subprocess.run(
            ["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", source],
            check=True, capture_output=True, text=True).stdout
        text = XREF.sub(lambda m: m[0] if m[1] in names else m[2], text)
        title = re.sub(r"\.(\d)$", r"(\1)", source.name)
        Path(to, "man", f"{source.name}.md").write_text(
            f"# {title}\n\n<div class=\"mandoc\">\n{text}</div>\n")


def navigation(manual):
    nav = []
    for title, names in NAV:
        if isinstance(names, list):
            for folder in [n for n in names if (TOP / n).is_dir()]:
                names = [n for n in names if n != folder] + sorted(
                    f"{folder}/{p.name}" for p in (TOP / folder).glob("*.md"))
        nav.append({title: names})
    for section, title in ("15", "Commands and files"), ("3", "C interface"):
        nav.append({title: [{re.sub(r"\.(\d)\.md$", r"(\1)", p.name): str(p)}
                            for p in manual if p.name[-4] in section]})
    return nav


def stage(folder):
    sources_folder = folder / "made"
    to = folder / "docs"
    for path in (sources_folder, to):
        path.mkdir(parents=True)
    sources = manual_sources(sources_folder)
    manual = [Path("man", f"{s.name}.md") for s in sources]
    stage_documents(to, manual)
    stage_manual(to, sources)
    (to / "manual.css").write_text(STYLE)
    settings = {
        "site_name": "Fairway",
        "docs_dir": "docs",
        "site_dir": str(TOP / "site"),
        "use_directory_urls": False,
        # Fonts of the reader's own machine.
        "theme": {"name": "material", "font": False},
        "extra_css": ["manual.css"],
        "plugins": ["search"],
        "markdown_extensions": ["tables", "fenced_code", "toc"],
        "nav": navigation(manual),
        "validation": {"omitted_files": "ignore", "anchors": "warn",
                       "not_found": "warn", "unrecognized_links": "warn"},
    }
    # JSON is YAML as well.
    (folder / "mkdocs.yml").write_text(json.dumps(settings, indent=1))


class Page(html.parser.HTMLParser):
    """What a page names, links to and loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs[k] for k in ("id", "name") if attrs.get(k)}
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        elif tag == "link" and attrs.get("href"):
            if attrs.get("rel") != "canonical":
                self.loads.append(attrs["href"])
        elif attrs.get("src"):
            self.loads.append(attrs["src"])


def faults(path, page, pages):
    for link in page.links + page.loads:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.loads and parts.scheme != "data":
                yield f"loads {link}"
            continue
        to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not to.is_file():
            yield f"leads nowhere: {link}"
        elif parts.fragment and to.suffix == ".html":
            if unquote(parts.fragment) not in pages[to].ids:
                yield f"no such place: {link}"


def check(folder):
    pages = {p: Page(p) for p in sorted(folder.resolve().rglob("*.html"))}
    # It is shown from anywhere, by paths from the root.
    pages.pop(folder.resolve() / "404.html", None)
    found = [f"{p.relative_to(folder.resolve())}: {fault}"
             for p, page in pages.items() for fault in faults(p, page, pages)]
    for path in folder.rglob("*.css"):
        if re.search(r"url\(['\"]?(https?:)?//|@import", path.read_text()):
            found.append(f"{path}: loads from a network")
    print("\n".join(found) or f"{len(pages)} pages, every link leads somewhere")
    return bool(found) or not pages


if __name__ == "__main__":
    verb, where = sys.argv[1:]
    sys.exit({"stage": stage, "check": check}[verb](Path(where)))
