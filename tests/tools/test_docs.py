"""The hand-written pages: their links lead somewhere, the files that they name exist, and their drawings are current."""
import functools
import pathlib
import re
import subprocess
import unittest

from tools import drawings

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GENERATED = {"rules.md", "rep-0158.md", "diagnostics.md"}
PAGES = sorted(page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "samples" / "README.md"]
               if page.name not in GENERATED | {"CHANGELOG.md"} and "rules" not in page.parent.parts)
SOURCE = re.compile(r"`([\w./-]+\.(?:cpp|h|py|ts|toml))`")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def tracked():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return listed.stdout.splitlines()
    return [str(path.relative_to(ROOT)) for folder in ("src", "include", "tests", "tools", "python", "bench", "fuzz", "samples", "web/src", "docs")
            for path in (ROOT / folder).rglob("*") if path.is_file()]


def anchor(heading):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@functools.lru_cache(maxsize=None)
def anchors(page):
    text = page.read_text(encoding="utf-8")
    return {anchor(line.lstrip("#")) for line in text.splitlines() if line.startswith("#")} | set(re.findall(r'<a id="([^"]+)"', text))


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in LINK.findall(page.read_text(encoding="utf-8")):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, part = target.partition("#")
                with self.subTest(page=page.name, link=target):
                    where = (page.parent / path).resolve() if path else page
                    self.assertTrue(where.exists())
                    if part and where.suffix == ".md":
                        self.assertIn(part, anchors(where))

    def test_sources_that_pages_name_exist(self):
        files = {"/".join(parts[k:]) for parts in (name.split("/") for name in tracked()) for k in range(len(parts))}
        # Names that are the reader's own, or that belong to other programs.
        others = {"acme.toml", "acme.json", "mechane.toml", "robot.py"}
        for page in PAGES:
            for name in SOURCE.findall(page.read_text(encoding="utf-8")):
                if name in others:
                    continue
                with self.subTest(page=page.name, file=name):
                    self.assertTrue(name.lstrip("./") in files, "no such file in the project")

    def test_drawings_are_current(self):
        self.assertEqual(drawings.main(["--check"]), 0, "run: python3 tools/drawings.py")


if __name__ == "__main__":
    unittest.main()
