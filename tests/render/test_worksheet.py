"""A sheet to hand out: every problem with room to write, the solutions on a page of their own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from text2math.render.worksheet import SheetItem, html_sheet, markdown_sheet

ITEMS = [
    SheetItem(f"Ann has {n} pens & buys 2. How many?", f"{n + 2} pens", (f"{n} + 2 = {n + 2} pens",))
    for n in range(12)
]


def test_the_page_has_a_name_line_numbers_and_the_solutions_last():
    page = html_sheet(ITEMS)
    problems, solutions = page.split('<section class="solutions">')
    assert "Name:" in problems
    assert problems.count("<li>") == solutions.count("<li>") == len(ITEMS)
    assert "pens &amp; buys" in problems
    assert "11 + 2 = 13 pens" in solutions
    assert "13 pens" not in problems
    assert "<script" not in page


def test_markdown_escapes_its_signs_and_numbers_the_problems():
    shown = markdown_sheet([SheetItem("A *star* costs $3.", "$3", ("1 * 3 = $3",))])
    assert r"1. A \*star\* costs \$3." in shown
    assert shown.index("Answer: ___") < shown.index("# Solutions") < shown.index(r"\$3**")


@pytest.mark.slow
def test_chromium_prints_the_solutions_on_a_page_of_their_own(tmp_path: Path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    page, pdf = tmp_path / "sheet.html", tmp_path / "sheet.pdf"
    page.write_text(html_sheet(ITEMS[:3]), encoding="utf-8")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    subprocess.run(
        [*command, f"--print-to-pdf={pdf}", page.as_uri()], check=True, capture_output=True, timeout=120
    )
    # Three problems fit one page, so the second page is the solutions'.
    assert len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) == 2
