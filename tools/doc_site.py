#!/usr/bin/env python3
"""Makes the documentation site in out/site from docs/, with a gallery of the samples.

usage: doc_site.py [--check]      --check only lays the pages out and checks that the navigation and the gallery are whole

mkdocs-material must be installed for some interpreter: that of MKDOCS_PYTHON, else the one that runs this. Without it the pages are laid out in
out/site-source, and the tool says what is missing and ends with status 6. The gallery has a page for each sample stage: its picture and its page with the recorded
run, both made now by the program, and its source.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE, SITE = ROOT / "out" / "site-source", ROOT / "out" / "site"
MECHANE = pathlib.Path(os.environ.get("MECHANE", ROOT / "build" / "release" / "bin" / "mechane"))


def samples():
    """Stages that the gallery shows, each a whole scene."""
    return [ROOT / "samples" / "quadruped" / "quadruped.usda", *sorted((ROOT / "samples" / "gallery").glob("*.usda"))]


def first_words(stage):
    """The comment or documentation at the head of a stage."""
    text = stage.read_text(encoding="utf-8")
    found = re.search(r'doc\s*=\s*"""(.*?)"""|doc\s*=\s*"([^"]*)"', text, re.S)
    if found:
        return " ".join((found[1] or found[2]).split())
    comments = [line[1:].strip() for line in text.splitlines()[1:] if line.startswith("#")]
    return " ".join(comments)


def lay_out():
    """Copies docs/ beside an index made of README.md; links that lead out of docs/ become links to files in the site."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (SOURCE / "index.md").write_text(re.sub(r"\]\(docs/", "](", readme), encoding="utf-8")
    for page in SOURCE.rglob("*.md"):
        home = ROOT / "docs" / page.relative_to(SOURCE).parent if page.name != "index.md" or page.parent != SOURCE else ROOT
        text = page.read_text(encoding="utf-8")

        def moved(found, home=home, page=page):
            target = (home / found[1]).resolve()
            if not target.is_relative_to(ROOT) or target.is_relative_to(ROOT / "docs") or not target.is_file():
                return found[0]
            copy = SOURCE / "files" / target.relative_to(ROOT)
            copy = copy.with_name(copy.name + ".txt") if copy.suffix in (".md", ".py", ".cpp", ".h") else copy
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, copy)
            return f"]({os.path.relpath(copy, page.parent)}{found[2] or ''})"

        page.write_text(re.sub(r"\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)", moved, text), encoding="utf-8")


def gallery(pictures):
    folder = SOURCE / "gallery"
    folder.mkdir(exist_ok=True)
    lines = ["# Gallery", "", "Each sample with its picture, a page with its run, and its source.", ""]
    for stage in samples():
        name = stage.stem
        if pictures:
            ground = [] if stage.parent.name == "gallery" else ["--ground"]
            for output, more in ((f"{name}.png", ["render", "--at", "0.5", "--size", "640x360"]), (f"{name}_run.html", ["sim", "--duration", "3s"])):
                subprocess.run([MECHANE, more[0], stage, *more[1:], *ground, "-q", "-o", folder / output], check=True, stdout=subprocess.DEVNULL)
        (folder / f"{name}.md").write_text(
            f"# {name.replace('_', ' ')}\n\n{first_words(stage)}\n\n![{name}]({name}.png)\n\n[Watch the run]({name}_run.html) ·\n"
            f"`mechane view {stage.relative_to(ROOT)}`\n\n```usda\n{stage.read_text(encoding='utf-8')}```\n", encoding="utf-8")
        lines.append(f"- [![{name}]({name}.png){{ width=320 }}]({name}.md) [{name.replace('_', ' ')}]({name}.md)")
    (folder / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def missing_pages():
    """Pages that mkdocs.yml names and that are not there."""
    named = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1]))
    return sorted(n for n in named if not (SOURCE / n).exists())


def main():
    check = "--check" in sys.argv
    lay_out()
    gallery(pictures=not check and MECHANE.exists())
    if missing_pages():
        raise SystemExit(f"mkdocs.yml names pages that are not there: {', '.join(missing_pages())}")
    if check:
        return 0
    python = os.environ.get("MKDOCS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import material, mkdocs"], capture_output=True).returncode:
        print(f"the pages lie in {SOURCE.relative_to(ROOT)}; {python} lacks mkdocs-material: {python} -m pip install mkdocs-material", file=sys.stderr)
        return 6
    shutil.rmtree(SITE, ignore_errors=True)
    subprocess.run([python, "-m", "mkdocs", "build", "-q", "-f", ROOT / "mkdocs.yml"], check=True, cwd=ROOT)
    print(f"{(SITE / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
