"""What of a page of the documentation can be run: files that it shows, commands, programs."""
import pathlib
import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*$", re.M | re.S)
MARK = re.compile(r"<!--\s*(?P<words>[a-z0-9 =_-]+?)\s*-->\s*\Z")


@dataclass
class Step:
    """One block. `marks` stand in a comment in front of it: `slow`, `needs torch`, `exit 1`, `no-run`."""

    kind: str  # "file", "console", "python"
    text: str
    line: int
    name: str = ""
    marks: list = field(default_factory=list)

    def mark(self, word):
        """What follows a word of the marks, "" if nothing does, None without it."""
        for mark in self.marks:
            first, _, rest = mark.partition(" ")
            if first == word:
                return rest
        return None


def steps_of(page: pathlib.Path):
    text = page.read_text(encoding="utf-8")
    out = []
    for found in FENCE.finditer(text):
        info = found["info"].strip()
        language, _, rest = info.partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        mark = MARK.search(text[:found.start()])
        marks = [word.strip() for word in mark["words"].split("  ")] if mark else []
        line = text.count("\n", 0, found.start()) + 1
        if title:
            out.append(Step("file", found["body"], line, title[1], marks))
        elif language in ("console", "python"):
            out.append(Step(language, found["body"], line, marks=marks))
    return out


def commands_of(step: Step):
    """[(command, exit status that the page promises)] of a console block: lines after `$ `, continued by a backslash; `# exit 1` at the end."""
    joined = re.sub(r"\\\n\s*", "", step.text)
    out = []
    for line in joined.splitlines():
        if line.startswith("$ "):
            command, _, comment = line[2:].partition("  # ")
            status = re.search(r"\bexit (\d+)", comment)
            out.append((command.strip(), int(status[1]) if status else 0))
    return out
