# SPDX-License-Identifier: Apache-2.0
"""Pages of `--html`: well formed, self-contained, with the numbers of the JSON; a browser shows them on a phone (long)."""

import html
import html.parser
import json
import re
import shutil
import subprocess

import pytest

from processor_time import limited

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(html.parser.HTMLParser):
    """Elements with their attributes and texts; an element that is closed by another's tag is a fault."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.faults = [], [], []
        self.feed(text)
        self.close()
        self.faults += [f"{name} stays open" for name, _ in self.open]

    def handle_starttag(self, name, attributes):
        element = (name, {"": "", **dict(attributes), "within": [n for n, _ in self.open]})
        self.elements.append(element)
        if name not in VOID:
            self.open.append(element)

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)
        if name not in VOID:
            self.open.pop()

    def handle_endtag(self, name):
        if not self.open or self.open[-1][0] != name:
            self.faults.append(f"</{name}> closes {self.open[-1][0] if self.open else 'nothing'}")
        else:
            self.open.pop()

    def handle_data(self, text):
        for _, attributes in self.open:
            attributes[""] += text

    def all(self, name):
        return [attributes for element, attributes in self.elements if element == name]


def outside(page):
    """What the page would fetch."""
    for name, attributes in page.elements:
        for key in ("src", "href", "xlink:href", "srcset", "data", "action", "poster"):
            if key in attributes and not attributes[key].startswith("#"):
                yield f"{name} {key}={attributes[key]}"
        if name in ("script", "link", "iframe", "object", "embed", "base", "foreignobject"):
            yield name
    if re.search(r"@import|url\((?!['\"]?#)", "".join(a[""] + a.get("style", "") for _, a in page.elements)):
        yield "style"


def faults(text):
    page = Page(text)
    found = page.faults + list(outside(page))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    found += ["id twice"] * (len(ids) != len(set(ids)))
    targets = {a[key][1:] for _, a in page.elements for key in ("href", "xlink:href") if key in a}
    found += [f"no #{target}" for target in targets - set(ids)]
    found += ["no language"] * (page.all("html")[0].get("lang") != "en")
    found += ["no viewport"] * (["width=device-width, initial-scale=1"] != [a["content"] for a in page.all("meta") if a.get("name") == "viewport"])
    found += ["heading"] * (len(page.all("h1")) != 1 or page.all("h1")[0][""] != page.all("title")[0][""])
    found += ["picture without a text"] * any(a.get("role") != "img" or not a.get("aria-label") for a in page.all("svg"))
    regions = [a for a in page.all("div") if a.get("class") == "scroll"]
    found += ["region without name or focus"] * any(a.get("tabindex") != "0" or not a.get("aria-label") for a in regions)
    found += ["wide thing out of a region"] * any("div" not in a["within"] for a in page.all("table") + page.all("svg"))
    found += ["table without a caption"] * (len(page.all("caption")) != len(page.all("table")))
    found += ["head without a scope"] * any(a.get("scope") not in ("row", "col") for a in page.all("th"))
    return found


def tables(text):
    """Caption -> rows of cells."""
    found = {}
    for table in re.findall(r"<table>.*?</table>", text, re.S):
        rows = [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
                for row in re.findall(r"<tr>.*?</tr>", table, re.S)]
        found[html.unescape(re.search("<caption>(.*?)</caption>", table, re.S)[1])] = rows
    return found


def shown(value):
    if isinstance(value, dict) and set(value) == {"mean", "ci95"}:
        decimals = len(shown(value["mean"]).partition(".")[2])
        return shown(value["mean"]) + (f" ± {value['ci95']:.{decimals}f}" if value["ci95"] is not None else "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{0 if value >= 1000 else 2 if value >= 10 else 4}f}"
    return "–" if value is None else str(value)


def alike(cells, values):
    """JSON has 15 digits, so that a tie may be rounded otherwise."""
    for cell, value in zip(cells, values, strict=True):
        numbers = [[float(x) for x in re.findall(r"\d+\.\d+", text)] for text in (cell, shown(value))]
        assert cell == shown(value) or numbers[0] == pytest.approx(numbers[1], abs=1.01e-4 if max(numbers[0]) < 10 else 0.0101), (cell, value)
    return True


@pytest.fixture
def one(network, extorus):
    """The page of one run, and its JSON."""
    record = json.loads(extorus("sim", network("torus:4x4"), "--engine", "model", "--load", "0.3", "--html", "one.html", "--json"))
    return (extorus.folder / "one.html").read_text(), record


@pytest.fixture
def many(network, extorus):
    text = extorus("sim", network("twin:4x2"), "--engine", "model", "--load", "0.1,0.5,0.9", "--measure", "1000", "--html", "many.html", "--json")
    return (extorus.folder / "many.html").read_text(), json.loads(text)


@pytest.fixture
def swept(extorus):
    text = extorus("sweep", "torus:4x4", "mesh:3x3", "--load", "0.1,0.6", "--seeds", "3", "--traffic", "uniform,zipf", "--measure", "500",
                   "-o", "out", "--no-plot", "--html", "sweep.html", "--json")
    return (extorus.folder / "sweep.html").read_text(), json.loads(text)


def test_a_run(one):
    text, record = one
    assert faults(text) == []
    found = tables(text)
    values = dict(found["result"])
    for name, value in record.items():
        if not isinstance(value, (dict, list)):
            assert alike([values[name.replace("_", " ")]], [value])
    assert found["network latency"] == [["", *record["network_latency"]["cell"]]] + [
        [kind, *map(shown, latency.values())] for kind, latency in record["network_latency"].items()]
    assert found["per tc"][1:] == [[shown(value) for value in tc.values()] for tc in record["per_tc"]]
    assert text.count("<svg") == 2 and "extorus sim torus_4x4.img --engine model --load 0.3 --html one.html --json</pre>" in text


def test_runs_of_several_loads(many):
    text, records = many
    assert faults(text) == [] and text.count("<svg") == 3
    assert [row[0] for row in tables(text)["Runs"][1:]] == [shown(record["load"]) for record in records]
    assert [row[3] for row in tables(text)["Runs"][1:]] == [shown(record["network_latency"]["packet"]["mean"]) for record in records]
    assert text.count("<h2>Load ") == 3


def test_a_sweep(swept):
    text, records = swept
    assert faults(text) == [] and text.count("<svg") == 6
    found = tables(text)
    assert len(found) == 4
    for record in records:
        rows = found[f"{record['network']}, {record['traffic']} traffic"]
        [row] = [row for row in rows[1:] if row[0] == shown(record["load"])]
        assert alike(row, [value for name, value in record.items() if name not in ("network", "traffic")])


def test_texts_are_escaped(network, extorus):
    name = "<b>&\"'$(x)\x01.img"
    (extorus.folder / network("torus:2x2")).rename(extorus.folder / name)
    extorus("sim", name, "--engine", "model", "--measure", "300", "--html", "a&b.html")
    text = (extorus.folder / "a&b.html").read_text()
    assert faults(text) == [] and "<b>" not in text
    page = Page(text)
    assert dict(tables(text)["result"])["image"] == name.replace("\x01", "\ufffd")
    [line] = [a[""] for a in page.all("pre")]
    assert line == "extorus sim '" + name.replace("'", "'\\''").replace("\x01", "\ufffd") + "' --engine model --measure 300 --html 'a&b.html'"


def test_a_run_that_went_wrong_says_so(network, extorus):
    extorus("sim", network("torus:4x4"), "--engine", "model", "--fault", "block-nic:0,6,500", "--html", "wrong.html", status=1)
    text = (extorus.folder / "wrong.html").read_text()
    assert faults(text) == [] and "<p>SOMETHING WAS WRONG" in text and "<h3>reports</h3>\n<ul>\n<li>" in text


def test_bad_output(network, extorus):
    image = network("torus:2x2")
    extorus("sim", image, "--html", "-", status=2, stderr="--html: standard output has the result; name a file")
    extorus("sweep", "torus:2x2", "-o", "out", "--html", "-", status=2, stderr="--html: standard output has the table; name a file")
    extorus("sim", image, "--engine", "model", "--html", image, status=2, stderr="--html would write")
    extorus("sim", image, "--engine", "model", "--html", "absent/a.html", status=2, stderr="absent")


def test_faults_are_seen(one):
    text, _ = one
    names = re.findall(r'id="([^"]*)"', text)
    for old, new in ((f'id="{names[0]}"', f'id="{names[1]}"'), ("<figure>", '<img src="http://a/b.png"><figure>'), ("</table>", "</div>"), ('lang="en"', ""), ("</head>", "<script></script></head>"),
                     ('tabindex="0"', ""), ('role="img"', ""), ('name="viewport"', ""), ("<caption>", "<b>"), (' scope="row"', ""),
                     ("<h1>", "<h1>x"), ("</style>", "a{b:url(http://c)}</style>")):
        assert old in text
        assert faults(text.replace(old, new, 1)) != [], old


# The page in a frame as wide as a phone: what is wider than its frame, is not reached by keyboard, or was fetched.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body><iframe width="360" height="640"></iframe><script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const regions = [...page.querySelectorAll(".scroll")];
  const reached = regions.map(r => { r.focus(); return page.activeElement === r; });
  document.body.innerHTML = "<pre>" + JSON.stringify({
    width: page.documentElement.clientWidth, needed: page.documentElement.scrollWidth,
    regions: regions.length, scrolling: regions.filter(r => r.scrollWidth > r.clientWidth).length, reached: reached.filter(x => x).length,
    fetched: view.performance.getEntriesByType("resource").length, pictures: [...page.querySelectorAll("svg")].map(s => s.clientHeight),
    text: parseFloat(view.getComputedStyle(page.querySelector("td")).fontSize)}) + "</pre>";
};
frame.srcdoc = SOURCE;
</script>"""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["one", "many", "swept"])
def test_a_browser_on_a_phone(kind, request, extorus):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert browser, "no chromium: run .ci/setup .ci/packages-browser"
    text, _ = request.getfixturevalue(kind)

    def probe(page):
        source = json.dumps(page).replace("</", "<\\/")
        (extorus.folder / "probe.html").write_text(PROBE.replace("SOURCE", source))
        shown = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={extorus.folder}/profile",
                                "--virtual-time-budget=10000", "--dump-dom", (extorus.folder / "probe.html").as_uri()], check=True,
                               capture_output=True, text=True, **limited(120)).stdout
        return json.loads(html.unescape(re.search(r"<pre>(\{.*?\})</pre>", shown)[1]))

    found = probe(text)
    assert found["needed"] <= found["width"] <= 360
    assert found["reached"] == found["regions"] >= found["scrolling"] > 0
    assert found["fetched"] == 0 and all(height > 100 for height in found["pictures"]) and found["text"] >= 16
    # A page that does scroll is seen.
    wide = probe(text.replace("overflow-x:auto", "overflow-x:visible"))
    assert wide["needed"] > wide["width"]
