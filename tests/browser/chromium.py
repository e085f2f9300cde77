# SPDX-License-Identifier: MIT
"""Drives Debian's chromium over a pipe with the DevTools protocol: each message is a JSON object and a NUL byte."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = "/usr/bin/chromium"
FLAGS = ("--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync --disable-extensions --hide-scrollbars "
         "--force-device-scale-factor=1 --disable-dev-shm-usage "
         "--disable-features=BackForwardCache,RenderDocument,ProactivelySwapBrowsingInstance")  # one process for all pages
ANSWER_TIMEOUT_S = 90


def is_installed():
    return pathlib.Path(PROGRAM).exists()


class Chromium:
    """A browser with one tab and no network access."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="etkit-chromium-")
        command_in, self.commands = os.pipe()
        self.answers, answer_out = os.pipe()
        # Chromium reads commands from file descriptor 3 and writes answers to file descriptor 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{command_in} 4>&{answer_out}', "bash",
             PROGRAM, *FLAGS.split(), "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=(command_in, answer_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_in)
        os.close(answer_out)
        self.unread, self.events, self.last_id, self.session = b"", [], 0, None
        self.session = self.attach()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def attach(self):
        """Returns the session of the first tab as soon as it exists."""
        begin = time.monotonic()
        while time.monotonic() - begin < ANSWER_TIMEOUT_S:
            for target in self.call("Target.getTargets")["targetInfos"]:
                if target["type"] == "page":
                    return self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
            time.sleep(0.02)
        raise TimeoutError("chromium opens no tab")

    def call(self, method, **parameters):
        """Returns the result of a command; events received meanwhile are added to `events`."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.commands, text):]
        while True:
            answer = self.next_message(method)
            if answer.get("id") != self.last_id:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def next_message(self, awaited):
        parts = []
        while b"\0" not in self.unread:
            parts.append(self.unread)
            if not select.select([self.answers], [], [], ANSWER_TIMEOUT_S)[0]:
                raise TimeoutError(f"chromium does not answer {awaited}")
            self.unread = os.read(self.answers, 1 << 20)
            if not self.unread:
                raise ConnectionError(f"chromium has ended during {awaited}")
        head, self.unread = self.unread.split(b"\0", 1)
        return json.loads(b"".join([*parts, head]))

    def wait_for(self, name):
        """Waits for an event, unless it is already in `events`."""
        seen = 0
        while True:
            for event in self.events[seen:]:
                if event.get("method") == name:
                    return
            seen = len(self.events)
            self.events.append(self.next_message(name))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except OSError:
            self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)
