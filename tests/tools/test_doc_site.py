"""tools/doc_site.py: the pages of the site are laid out whole, without mkdocs."""
import re
import subprocess
import sys
import unittest

from tools import doc_site


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([sys.executable, doc_site.ROOT / "tools" / "doc_site.py", "--check"], check=True)

    def test_every_page_of_the_navigation_is_there(self):
        self.assertEqual(doc_site.missing_pages(), [])

    def test_every_tutorial_is_in_the_navigation(self):
        named = (doc_site.ROOT / "mkdocs.yml").read_text()
        for page in (doc_site.ROOT / "docs" / "tutorials").glob("*.md"):
            self.assertIn(f"tutorials/{page.name}", named)

    def test_the_gallery_has_a_page_with_the_source_of_each_sample(self):
        index = (doc_site.SOURCE / "gallery" / "index.md").read_text()
        for stage in doc_site.samples():
            self.assertIn(f"({stage.stem}.md)", index)
            self.assertIn(stage.read_text(), (doc_site.SOURCE / "gallery" / f"{stage.stem}.md").read_text())

    def test_links_between_pages_and_to_sources_lead_somewhere(self):
        for page in doc_site.SOURCE.rglob("*.md"):
            if "gallery" in page.parts:
                continue  # its pictures are made by the program
            text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
            for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
                with self.subTest(page=page.name, link=target):
                    self.assertTrue((page.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
