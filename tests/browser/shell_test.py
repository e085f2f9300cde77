# SPDX-License-Identifier: MIT
"""The common parts of all pages: shell, data block, keys, theme."""
import base64
import hashlib
import re
import subprocess

import harness


class Shell(harness.PageTest):
    def page(self, **how):
        subprocess.run([harness.options.samples, "empty", self.folder / "shell.html"], check=True)
        return self.open(self.folder / "shell.html", **how)

    def test_data_is_what_was_written(self):
        subprocess.run([harness.options.samples, "columns", self.folder / "columns.html"], check=True)
        head, columns = harness.page_data(self.folder / "columns.html")
        self.assertEqual(columns, {
            "raw_u8": [0, 1, 255], "raw_f64": [0.5, -1e300, 2.0**53], "none": [], "dict_i32": [0, 200, 3],
            "delta_i32": [5, 5, -2**31, 2**31 - 1, 0], "delta_f64": [0, 2**53, -2**53, 1, 64, 63, 128]})
        self.assertEqual(head["texts"], ["</script><script>alert(1)</script>"])

    def test_policy_allows_the_program_alone(self):
        page = self.page()
        text = (self.folder / "shell.html").read_text(encoding="utf-8")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
        script = re.search(r'<script type="module">(.*)</script>', text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertEqual(policy, f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:")
        page.js("const s = document.createElement('script'); s.textContent = 'window.bad = 1'; document.body.append(s)")
        self.assertIsNone(page.js("return window.bad"))
        self.assertEqual(len(re.findall("<script", text)), 2)
        self.assertIn("BSD-3-Clause", text)

    def test_theme_follows_the_system_and_the_key(self):
        page = self.page(dark=True)
        background = "return getComputedStyle(document.body).backgroundColor"
        self.assertEqual(page.js(background), "rgb(15, 19, 26)")
        page.keys("t")
        self.assertEqual(page.js(background), "rgb(246, 247, 249)")
        page.dark(False)
        page.keys("t")
        self.assertEqual(page.js(background), "rgb(15, 19, 26)")

    def test_help_lists_keys(self):
        page = self.page()
        page.keys("?")
        self.assertIn("light or dark", page.text("dialog"))

    def test_old_browsers_and_cut_files_get_a_sentence(self):
        self.page()
        text = (self.folder / "shell.html").read_text(encoding="utf-8")
        data = re.search(r'id="data"[^>]*>([^<]*)<', text)[1]
        (self.folder / "cut.html").write_text(text.replace(data, data[:len(data) // 8 * 4]), encoding="utf-8")
        cut = self.open(self.folder / "cut.html", quiet=False)
        self.assertIn("incomplete", cut.text(".message[role=alert]"))
        script = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.DecompressionStream")
        try:
            self.assertIn("newer browser", self.page(quiet=False).text(".message[role=alert]"))
        finally:
            self.browser.call("Page.removeScriptToEvaluateOnNewDocument", **script)

    def test_a_page_that_cannot_show_its_data_says_so(self):
        subprocess.run([harness.options.samples, "columns", self.folder / "columns.html"], check=True)
        page = self.open(self.folder / "columns.html", quiet=False)
        self.assertIn("cannot show", page.text(".message[role=alert]"))

    def test_what_a_page_must_not_do_would_be_found(self):
        for act in ("console.log('x')", "setTimeout(() => { throw Error('x') })", "fetch('https://x.invalid/').catch(() => 0)"):
            page = self.page()
            page.js(act)
            page.settle()
            with self.assertRaisesRegex(AssertionError, "console of ", msg=act):
                self.check_quiet(page)
        (self.folder / "asked.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        (self.folder / "asks.html").write_text("<html data-painted=1><img src=asked.svg></html>")
        with self.assertRaisesRegex(AssertionError, "requests of "):
            self.open(self.folder / "asks.html")

    def test_a_canvas_in_print_would_be_found(self):
        page = self.page()
        self.check_print(page)
        page.js("const c = document.createElement('canvas'); const p = c.getContext('2d');"
                "for (let i = 0; i < 99; ++i) { p.fillStyle = `hsl(${i * 3} 80% 50%)`; p.fillRect(i, i, 9, 9); }"
                "document.querySelector('main').append(c)")
        self.assertEqual(harness.bitmaps(page.pdf()) > 0, True)


if __name__ == "__main__":
    harness.main()
