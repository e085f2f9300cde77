# SPDX-License-Identifier: MIT
"""Opens pages in Debian's chromium and queries them. A test is a file NAME_test.py in this folder:

    import harness

    class Report(harness.PageTest):
        def test_total(self):
            page = self.open(self.tool("et-report", "x.run", "-o", "x.html"), width=1280, dark=False)
            self.assertEqual(page.text("h1"), "x")

    if __name__ == "__main__":
        harness.main()

open() loads the file offline and waits until the page has painted. It fails if the page wrote to the console, threw an
exception, requested anything except itself, or drew nothing.
"""
import argparse
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

import chromium

PAINT_TIMEOUT_S = 60
SOURCES = pathlib.Path(__file__).resolve().parents[2]

# Returns the page's result of painting, or nothing after a timeout.
PAINTED = """return new Promise(done => {
    const root = document.documentElement, report = () => root.dataset.painted && done(root.dataset.painted);
    new MutationObserver(report).observe(root, {attributes: true});
    setTimeout(done, arguments[0]);
    report(); })"""

options = None  # options of the command line


class Page:
    """A page in the browser's tab."""

    def __init__(self, browser, path):
        self.browser, self.path = browser, pathlib.Path(path)
        self.cpu_ms = self.wall_ms = 0.0

    def cdp(self, command, **arguments):
        return self.browser.call(command, **arguments)

    def metric(self, name):
        return {m["name"]: m["value"] for m in self.cdp("Performance.getMetrics")["metrics"]}[name]

    def js(self, script, *arguments):
        """Returns the value of a script with `return`; waits for a promise. The arguments are `arguments[0]`…"""
        call = f"(function () {{ {script}\n}}).apply(null, {json.dumps(arguments, default=str)})"
        answer = self.cdp("Runtime.evaluate", expression=call, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        result = answer["result"]
        return float(result["unserializableValue"].rstrip("n")) if "unserializableValue" in result else result.get("value")

    def go(self, address):
        """Opens an address in this page's tab and waits until it has loaded."""
        self.browser.events.clear()
        self.cdp("Page.navigate", url=address)
        self.browser.wait_for("Page.loadEventFired")

    def settle(self):
        """Waits until pending changes have been drawn."""
        self.js("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def cpu_of(self, action):
        """Returns the CPU milliseconds of the page's main thread while `action` runs and its effects are drawn."""
        before = self.metric("TaskDuration")
        action()
        self.settle()
        return 1000 * (self.metric("TaskDuration") - before)

    def heap_mb(self):
        """Returns the megabytes of the page's objects, typed arrays and elements."""
        self.cdp("HeapProfiler.collectGarbage")
        usage = self.cdp("Runtime.getHeapUsage")
        return sum(usage.get(k, 0) for k in ("usedSize", "embedderHeapUsedSize", "backingStorageSize")) / 1e6

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.textContent", selector)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def data(self, selector, name):
        """Returns the data-NAME attributes of all elements that match a selector."""
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.dataset[arguments[1]])",
                       selector, name)

    def exists(self, selector):
        return self.js("return document.querySelector(arguments[0]) !== null", selector)

    def click(self, selector):
        self.js("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def focus(self, selector):
        self.js("document.querySelector(arguments[0]).focus()", selector)

    def keys(self, *keys):
        """Presses keys in the focused element: letters, or names such as "Enter", "ArrowRight", " "."""
        for key in keys:
            known = {"key": key, "text": key} if len(key) == 1 else {"key": key, "code": key}
            if key == "Enter":
                known["text"] = "\r"
            self.cdp("Input.dispatchKeyEvent", type="keyDown", **known)
            self.cdp("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def box(self, selector):
        """Returns left, top, width and height of an element in the window."""
        return self.js("const r = document.querySelector(arguments[0]).getBoundingClientRect();"
                       "return [r.left, r.top, r.width, r.height]", selector)

    def hover(self, selector, x=0.5, y=0.5):
        """Moves the pointer over an element, to a position given as fractions of its size."""
        self.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        left, top, width, height = self.box(selector)
        self.mouse("mouseMoved", left + x * width, top + y * height)
        self.settle()

    def look(self, width, height, dark):
        """Sets the size of the window and the light or dark colours, without waiting for a redraw."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", media="",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def resize(self, width, height=900):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()

    def dark(self, on):
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if on else "light"}])
        self.settle()

    def screenshot(self, name):
        """Saves the whole page as NAME.png in the folder of screenshots."""
        folder = pathlib.Path(options.screenshots)
        folder.mkdir(parents=True, exist_ok=True)
        width, height = self.js("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": width, "height": min(height, 16000), "scale": 1})
        (folder / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def pdf(self, name=None):
        """Returns the page printed on A4; saves it in the folder of screenshots if a name is given."""
        data = base64.b64decode(self.cdp("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69,
                                         marginTop=0.4, marginBottom=0.4, marginLeft=0.4, marginRight=0.4)["data"])
        if name:
            folder = pathlib.Path(options.screenshots)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.pdf").write_bytes(data)
        return data

    def colors(self, selector="canvas"):
        """Returns the number of different colours in a sample of the pixels of each canvas that matches a selector."""
        return self.js("""return [...document.querySelectorAll(arguments[0])].map(c => {
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
            for (let i = 0; i < d.length; i += 4 * 7) seen.add(d[i] << 24 | d[i + 1] << 16 | d[i + 2] << 8 | d[i + 3]);
            return seen.size; })""", selector)

    def overflows(self):
        """Returns the elements that are wider than the window or, outside of scrolling boxes, than their section."""
        return self.js("""
            const out = [], most = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth > most) out.push('the page: ' + document.documentElement.scrollWidth);
            for (const section of document.querySelectorAll('section, header, .lead, .kpi, footer')) {
              const edge = section.getBoundingClientRect().right;
              for (const e of section.querySelectorAll('*')) {
                if (e.closest('.scroll, .wide, svg') && !e.matches('.scroll, .wide, svg')) continue;
                const r = e.getBoundingClientRect();
                if (r.width > 0 && r.right > edge + 1) {
                  out.push(`${section.id || section.className}: ${e.tagName} ${e.className} ${Math.round(r.right - edge)} px`);
                }
              }
            }
            return out""")

    def hidden_parts(self):
        """Returns the scrolling boxes whose contents would be cut off on paper."""
        return self.js("return [...document.querySelectorAll('.scroll, .wide')].filter(e => e.offsetHeight && "
                       "(e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1))"
                       ".map(e => `${e.closest('section, footer')?.id}: ${e.scrollWidth} of ${e.clientWidth}`)")

    def overlaps(self):
        """Returns the pairs of sections that overlap."""
        return self.js("""
            const all = [...document.querySelectorAll('main > *')].filter(e => e.offsetHeight), out = [];
            for (let i = 0; i < all.length; ++i) for (let k = i + 1; k < all.length; ++k) {
              const a = all[i].getBoundingClientRect(), b = all[k].getBoundingClientRect();
              if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) {
                out.push(`${all[i].id} and ${all[k].id}`);
              }
            }
            return out""")


def bitmaps(pdf):
    """Returns the number of bitmap images in a PDF."""
    texts = [pdf]
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            texts.append(zlib.decompressobj().decompress(match[1]))
        except zlib.error:
            pass
    return sum(len(re.findall(rb"/Subtype\s*/Image\b", text)) for text in texts)


def head_and_body(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    data = zlib.decompress(base64.b64decode(re.search(r'id="data"[^>]*>([^<]*)<', text)[1]))
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4:4 + length]), data[4 + length:]


def page_head(path):
    """Returns the head of a page's data."""
    return head_and_body(path)[0]


def page_data(path):
    """Returns the head and the columns of a page's data, with a decoder that is independent of the page's."""
    head, body = head_and_body(path)
    columns = {}
    for info in head["columns"]:
        part = body[info["offset"]:info["offset"] + info["bytes"]]
        if info["code"] == "raw":
            kinds = {"u8": "B", "i32": "i", "f64": "d"}
            columns[info["name"]] = list(memoryview(part).cast(kinds[info["kind"]]))
            continue
        values, at, before = [], 0, 0
        for _ in range(info["rows"]):
            number = shift = 0
            while True:
                number |= (part[at] & 127) << shift
                shift += 7
                at += 1
                if part[at - 1] < 128:
                    break
            number = (number >> 1) ^ -(number & 1)
            before = before + number if info["code"] == "delta" else number
            values.append(before)
        columns[info["name"]] = values
    return head, columns


def ending(path):
    """Returns two counts for an algorithm's page: required chunks (per NPU), and those not drawn as complete at the end."""
    head, columns = page_data(path)
    relays = set(head["relays"])
    everywhere = [n for n in range(head["npus"]) if n not in relays]

    def sets(name):
        nodes = iter(columns[f"{name}_node"])
        return [everywhere if count < 0 else [next(nodes) for _ in range(count)] for count in columns[f"{name}_count"]]

    pre, held = sets("pre"), {}
    if not head["played"]:
        held = {(npu, chunk): 1 for chunk, nodes in enumerate(pre) for npu in nodes}
    for npu, chunk, now in zip(columns["change_npu"], columns["change_chunk"], columns["change_held"]):
        held[npu, chunk] = now
    demanded = missing = 0
    for chunk, nodes in enumerate(sets("post")):
        needed = len(pre[chunk]) if head["sums"] else 1
        demanded += len(nodes)
        missing += sum(held.get((npu, chunk), 0) != needed for npu in nodes)
    return demanded, missing


class PageTest(unittest.TestCase):
    longMessage = True
    browser = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="etkit-pages-"))
        if PageTest.browser is None:
            PageTest.browser = chromium.Chromium()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def shell(self, command):
        """Runs a command line in the test's folder, with the tools first in PATH; returns its standard output."""
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=self.folder, capture_output=True,
                              timeout=300, env={**os.environ, "PATH": options.bin + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr.decode(errors='replace')}")
        return done.stdout

    def tool(self, *command):
        """Runs a tool whose last argument is its output file; returns the path of that file."""
        self.shell(" ".join(f"'{c}'" for c in command))
        return self.folder / command[-1]

    def open(self, path, width=1280, height=900, dark=False, quiet=True):
        """Opens a page. `quiet`: also runs check_quiet()."""
        page = Page(self.browser, path)
        page.look(width, height, dark)
        before = page.metric("TaskDuration")
        page.go(page.path.resolve().as_uri())
        painted = page.js(PAINTED, PAINT_TIMEOUT_S * 1000)
        after = page.metric("TaskDuration")
        page.cpu_ms = 1000 * (after - before if after >= before else after)
        page.wall_ms = float(page.js("return performance.now()"))
        self.assertTrue(painted, f"{path} has not painted: {self.browser.events}")
        page.settle()
        if quiet:
            self.assertNotEqual(painted, "failed", page.text("body"))
            self.check_quiet(page)
        return page

    def check_quiet(self, page):
        """Fails if the page wrote to the console, threw an exception or requested anything except itself since it was opened."""
        own, wrote, asked = page.path.resolve().as_uri(), [], []
        for event in self.browser.events:
            if event.get("method") in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                wrote.append(event["params"])
            elif event.get("method") == "Network.requestWillBeSent":
                asked.append(event["params"]["request"]["url"])
        self.browser.events.clear()
        self.assertEqual(wrote, [], f"console of {page.path}")
        self.assertEqual([u for u in asked if u.split("#")[0] not in (own, "about:blank")], [], f"requests of {page.path}")

    def check_layout(self, page):
        self.assertEqual(page.overflows(), [], f"{page.path} is too wide")
        self.assertEqual(page.overlaps(), [], f"panels of {page.path} overlap")

    def check_print(self, page, name=None):
        pdf = page.pdf(name)
        self.assertGreater(len(pdf), 2000)
        self.assertEqual(bitmaps(pdf), 0, "pictures of pixels in print")
        return pdf


def close():
    """Ends the browser if it was started."""
    if PageTest.browser is not None:
        PageTest.browser.close()
        PageTest.browser = None


def main():
    """Runs the tests of the calling file; prints a message and returns if chromium is not installed."""
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--samples", help="program that writes pages of hand-made runs")
    parser.add_argument("--screenshots", default="build/screenshots")
    options, rest = parser.parse_known_args()
    options.bin = str(pathlib.Path(options.bin).resolve())
    if not chromium.is_installed():
        print("no chromium here: package chromium")
        return
    try:
        result = unittest.main(module="__main__", argv=[sys.argv[0], *rest], exit=False).result
    finally:
        close()
    sys.exit(not result.wasSuccessful())
