"""A headless Chromium, controlled by the DevTools protocol over a pair of pipes, without port, driver or library."""

import json
import os
import shutil
import signal
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Browser:
    """An empty page in a fresh profile; a context manager."""

    @staticmethod
    def path():
        return next(filter(None, map(shutil.which, NAMES)), None)

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="callqa-")
        reading, to_browser = os.pipe()
        from_browser, writing = os.pipe()
        words = [
            self.path(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
            "--window-size=1440,900", "about:blank",
        ]
        # The browser reads commands from descriptor 3 and answers on 4.
        shell = f'exec 3<&{reading} 4>&{writing}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *words], pass_fds=(reading, writing), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.profile},
        )
        os.close(reading), os.close(writing)
        self.commands, self.answers = os.fdopen(to_browser, "wb"), os.fdopen(from_browser, "rb")
        self.waiting, self.last, self.session = b"", 0, None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")
        return self

    def __exit__(self, *trouble):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, **parameters):
        """Sends a command and returns its result."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        return self.until(lambda answer: answer.get("id") == self.last).get("result", {})

    def until(self, is_it):
        """The first message for which `is_it` returns true."""
        while True:
            while b"\0" not in self.waiting:
                more = os.read(self.answers.fileno(), 1 << 16)
                if not more:
                    raise ConnectionError("the browser is gone")
                self.waiting += more
            text, self.waiting = self.waiting.split(b"\0", 1)
            message = json.loads(text)
            if is_it(message):
                return message

    def value(self, expression):
        return self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)["result"].get("value")

    def open(self, path):
        """Opens a page and waits until it has loaded."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url="file://" + path)
        # The command returns when navigation starts, so wait for the load event.
        self.value("new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', () => setTimeout(done)))")
