"""The release that all later ones are paired with: built once from a commit or tag, or given as a binary."""

import os
import subprocess

# The release at the beginning of 2026-11-25. A later one is chosen only on purpose: never the one before.
COMMIT = "b8b95aa"


class Yardstick:
    """A binary, the folder of its queries and dialects, and what it is called in the results."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.wanted = os.environ.get("BENCH_YARDSTICK") or COMMIT
        self.callqa, self.source, self.environment, self.problem = None, None, {}, None
        self.name = self.wanted

    def prepare(self):
        """Builds it, unless that was done before. Without it, `problem` says why there are no pairs."""
        if os.path.isfile(self.wanted):
            self.name = os.path.basename(self.wanted)
            self.callqa = os.path.abspath(self.wanted)
            # A binary in the folder of its sources, as those that are built here, has its own queries and reports there.
            source = os.path.dirname(self.callqa)
            if os.path.isdir(os.path.join(source, "queries")):
                self.source, self.environment = source, {"CALLQA_HOME": source}
            return
        commit = self._git("rev-parse", "--verify", "--quiet", self.wanted + "^{commit}")
        if not commit:
            self.problem = f"there is no commit {self.wanted} here, so nothing was paired (a shallow clone?)"
            print("yardstick: " + self.problem)
            return
        source = os.path.join(self.folder, "yardstick-" + commit[:12])
        self.callqa, self.source = os.path.join(source, "callqa"), source
        # Its own queries, dialects and reports, wherever the variable points otherwise.
        self.environment = {"CALLQA_HOME": source}
        if not os.path.exists(self.callqa):
            self._build(commit, source)

    def _build(self, commit, source):
        print(f"== Building the yardstick, {self.wanted} (once)", flush=True)
        os.makedirs(source, exist_ok=True)
        archive = subprocess.Popen(["git", "-C", self.root, "archive", commit], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", source], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            raise SystemExit(f"git archive {commit} failed")
        static = subprocess.run(["scripts/static-flag"], cwd=source, capture_output=True, text=True).stdout.split()
        words = ["swift", "build", "-c", "release", "--product", "callqa", "-debug-info-format", "none", *static]
        subprocess.run(words, cwd=source, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.rename(os.path.join(source, ".build", "release", "callqa"), self.callqa)
        subprocess.run(["rm", "-rf", os.path.join(source, ".build")], check=True)

    def _git(self, *words):
        return subprocess.run(["git", "-C", self.root, *words], capture_output=True, text=True).stdout.strip()
