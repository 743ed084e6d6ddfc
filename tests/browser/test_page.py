"""The page as a visitor meets it, in a real browser."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

APPLES = "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 pears. How many are there?"
TIMES = "3 times one of the numbers is 11 less than 5 times the other."
PAGES = "On page 12 are 4 cats and 5 dogs. How many animals are there?"


def run_of(page: Any, words: str) -> Any:
    return page.locator("#words .run", has_text=words).first


def lit(page: Any) -> set[str]:
    return set(
        page.eval_on_selector_all("#result .lit[data-node]", "all => all.map(one => one.dataset.node)")
    )


# ------------------------------------------------------------------------------------------------ reading


def test_typing_shows_answer_formula_words_and_tree(visit: Any) -> None:
    page = visit.open()
    page.fill("#text", "")
    page.type("#text", APPLES)
    visit.settled()
    assert visit.answer() == "16"
    assert page.locator("#formula math").text_content() == "7+(3+6)"
    assert page.inner_text("#words").replace("\xa0", " ") == APPLES
    assert page.locator("#tree .node").count() == 5
    visit.shot("answer")


def test_sureness_is_said_in_words_and_as_a_figure(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    assert page.inner_text("#sure-words") == "Quite sure"
    assert page.inner_text("#sure-figure") == "75 %"


def test_an_example_is_a_click_away(visit: Any) -> None:
    page = visit.open()
    assert page.locator("[data-example]").count() == 22
    page.click("text=The DAX")
    visit.settled()
    assert "DAX" in page.input_value("#text")
    assert "DAX" in page.inner_text("#words")


@pytest.mark.slow
def test_every_example_is_read_by_the_default_model(visit: Any) -> None:
    page = visit.open("#model=default")
    sure = {}
    for button in page.locator("[data-example]").all():
        button.click()
        visit.settled()
        name = button.inner_text()
        page.locator("#tree .node").first.wait_for()
        sure[name] = page.inner_text("#sure-words")
        visit.shot(f"example-{name.lower().replace(' ', '-')}", full=True)
    assert sure["Unsure"] not in ("Very sure", "Quite sure")
    page.click("text=Irrelevant number")
    visit.settled()
    assert page.locator("#words .number.unused").all_inner_texts() == ["9"]


def test_an_equation_is_shown_with_its_unknowns(visit: Any) -> None:
    page = visit.open()
    visit.ask("Something is 3 more than 4")
    assert page.locator("#answer math").text_content() == "X1=3+4"
    assert page.inner_text("#unknowns").split("\n") == ["X₁", "Something = 7"]
    assert page.inner_text("#answer-title") == "Equation"


def test_the_answer_of_a_system_is_shown_with_its_equations_and_unknowns(visit: Any) -> None:
    page = visit.open("#model=default")
    page.click("text=Ages")
    visit.settled()
    assert page.inner_text("#answer-title") == "Answer"
    assert visit.answer() == "Ben is 24, Eva is 12"
    assert page.locator("#formula math").count() == 1
    assert page.inner_text("#unknowns").split("\n") == ["X₁", "Ben = 24", "X₂", "Eva = 12"]
    assert page.inner_text("#said").startswith("Answer: Ben is 24, Eva is 12. X1 = 2 * X2; X1 + X2 = 36.")
    page.click("[data-copy=python]")
    page.locator("#toast.shown", has_text=re.compile("^python ", re.IGNORECASE)).wait_for()
    found: dict[str, Any] = {}
    exec(visit.clipboard().replace("print(solve(equations))", "found = solve(equations)"), found)
    assert {str(name): int(value) for name, value in found["found"].items()} == {"X1": 24, "X2": 12}


def test_an_equation_inside_another_is_in_the_tree_the_words_and_the_formula(visit: Any) -> None:
    page = visit.open("#model=default")
    page.click("text=Tickets")
    visit.settled()
    signs = page.locator("#tree .node .sign").all_text_contents()
    assert [signs.count(sign) for sign in ("=", "; =", "+", "×")] == [1, 1, 2, 2]
    assert {"4", "6", "2876", "525"} <= set(signs)
    assert page.locator("#words .number.unused").count() == 0
    inside = page.locator("#tree .node", has_text="; =").get_attribute("data-node")
    assert page.locator(f"#formula [data-node='{inside}']").count() == 2


def test_an_unknown_without_words_has_its_value_alone(visit: Any) -> None:
    page = visit.open("#model=default")
    page.click("text=Coins")
    visit.settled()
    assert visit.answer() == "12 dimes"
    assert page.locator("#unknowns q").filter(has_text=re.compile("^$")).count() == 0
    assert "1 dime = 0.10 dollars" in page.inner_text("#known")


def test_a_number_that_a_word_refers_to_is_used_and_can_be_left_out(visit: Any) -> None:
    page = visit.open("#model=default")
    visit.ask("Pia had $79 to spend on 9 books. After buying them she had 16. What did each book cost?")
    assert visit.answer() == "$7"
    assert page.locator("#words .number.unused").count() == 0
    page.locator("#words .number", has_text=re.compile("^9$")).click()
    visit.settled()
    assert page.locator("#words .number.unused").all_inner_texts() == ["9"]
    assert page.locator("#formula math").filter(has_text="÷9").count() == 0


@pytest.mark.parametrize(
    ("example", "answer"),
    [
        ("A known number", "21 miles"),
        ("Used twice", "21 pens"),
        ("Rounded up", "4 buses (3.25, rounded up)"),
        ("Times of day", "95 minutes"),
    ],
)
def test_examples_of_the_larger_grammar_are_answered_and_copied_as_python(
    visit: Any, example: str, answer: str
) -> None:
    page = visit.open("#model=default")
    page.click(f"text={example}")
    visit.settled()
    assert visit.answer() == answer
    page.click("[data-copy=python]")
    page.locator("#toast.shown", has_text=re.compile("^python ", re.IGNORECASE)).wait_for()
    found: dict[str, Any] = {}
    exec(visit.clipboard(), found)
    assert found["answer"] == int(answer.split()[0])


def test_a_text_without_mathematics_says_so(visit: Any) -> None:
    page = visit.open()
    visit.ask("Good morning!")
    assert visit.answer() == "No mathematics found."
    assert "there is no number" in page.inner_text("#warnings")


def test_a_refused_text_says_why_and_the_next_one_works(visit: Any) -> None:
    visit.open()
    visit.ask("word " * 100)
    assert "at most 80" in visit.answer()
    visit.ask("2 and 2")
    assert visit.answer() == "4"


def test_a_model_that_still_loads_says_so_and_is_asked_again(visit: Any) -> None:
    error = {"error": {"status": 503, "code": "out_of_time", "message": "no answer"}}
    visit.page.route("**/api/parse", lambda route: route.fulfill(status=503, json=error))
    visit.page.route("**/health", lambda route: route.fulfill(json={"status": "starting"}))
    page = visit.open(f"#q={quote(APPLES)}")
    page.locator("#answer", has_text="Getting ready").wait_for()
    # Only now, so that a slow machine does not miss what is shown while the model loads.
    page.unroute("**/api/parse")
    page.unroute("**/health")
    page.locator("#answer", has_text="16").wait_for()


def test_text_from_the_user_is_never_markup(visit: Any) -> None:
    page = visit.open()
    hostile = '<img src=x onerror="document.title=1"> has 2 </script><b>3</b> \u202e{{7*7}} & 👩‍👩‍👧 4'
    visit.ask(hostile)
    assert page.inner_text("#words").replace("\xa0", " ") == hostile
    assert page.locator("#result img, #result b script").count() == 0
    assert page.title() == "text2math"


def test_strange_characters_keep_words_and_numbers_in_place(visit: Any) -> None:
    page = visit.open()
    visit.ask("🍎🍎 cost 3 and 🍐 cost 4")
    assert page.locator("#words .number").all_inner_texts() == ["3", "4"]


# ------------------------------------------------------------------------------------------------ lighting up


def test_pointing_at_a_node_lights_its_words_and_the_other_way_round(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    node = page.locator("#tree .node", has_text="apples").first
    node.hover()
    name = node.get_attribute("data-node")
    assert lit(page) == {name}
    assert "lit" in run_of(page, "apples").get_attribute("class")
    visit.shot("lit")
    page.hover("h1")
    assert lit(page) == set()
    run_of(page, "Nancy").hover()
    assert lit(page) == {"0"}
    assert "lit" in page.locator("#tree .node").first.get_attribute("class")


def test_tabbing_to_a_node_lights_its_words(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    page.locator("#tree .node").first.focus()
    assert lit(page) == {"0"}
    page.keyboard.press("ArrowDown")
    assert lit(page) == {"1"}
    page.keyboard.press("ArrowRight")
    assert lit(page) == {"2"}
    page.keyboard.press("ArrowUp")
    assert lit(page) == {"0"}
    page.keyboard.press("Enter")
    page.focus("#text")
    assert lit(page) == {"0"}, "a pinned node stays lit"


def test_pointing_at_the_formula_lights_the_node(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    page.locator("#formula mn", has_text="6").hover()
    assert lit(page) == {"4"}


def test_the_tree_is_also_a_nested_list(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    page.click("#list-box summary")
    assert page.locator("#list > ul > li").count() == 1
    assert page.locator("#list > ul > li > ul > li").count() == 2
    assert "3 apples" in page.inner_text("#list")


# ------------------------------------------------------------------------------------------------ choosing


def test_a_click_on_a_number_forces_it_in_or_out(visit: Any) -> None:
    page = visit.open()
    visit.ask(PAGES)
    assert visit.answer() == "9 animals"
    unused = page.locator("#words .number", has_text="12")
    assert "unused" in unused.get_attribute("class")
    unused.click()
    visit.settled()
    assert visit.answer() == "21 animals"
    assert "forced" in unused.get_attribute("class")
    assert "use=0" in page.url
    visit.shot("forced")
    page.locator("#words .number", has_text="4").click()
    visit.settled()
    assert visit.answer() == "17 animals"
    unused.click()
    visit.settled()
    assert visit.answer() == "5 animals"
    page.click("#release")
    visit.settled()
    assert visit.answer() == "9 animals"


def test_an_alternative_is_shown_in_full(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    page.locator("#readings button").nth(1).click()
    assert visit.answer() == "10"
    assert page.inner_text("#sure-words") == "Only a guess"
    assert page.locator("#tree .sign").first.text_content() == "−"
    assert page.locator("#readings button").nth(1).get_attribute("aria-pressed") == "true"
    page.locator("#readings button").nth(0).click()
    assert visit.answer() == "16"


def test_why_opens_the_explanation(visit: Any) -> None:
    page = visit.open(f"#model=default&q={quote(APPLES)}")
    page.click("#why")
    page.wait_for_selector("#reasons .sentences", timeout=120_000)  # the first one compiles
    assert "7" in page.inner_text("#reasons .sentences")
    assert page.get_attribute("#why", "aria-expanded") == "true"
    page.locator("#explanation").scroll_into_view_if_needed()
    visit.shot("why")
    page.click("#why")
    assert page.is_hidden("#explanation")


def test_the_model_can_be_chosen(visit: Any) -> None:
    page = visit.open()
    page.select_option("#model", "default")
    visit.settled()
    assert "model=default" in page.url


def test_implied_numbers_can_be_left_out(visit: Any) -> None:
    page = visit.open()
    assert page.is_hidden("#knowledge")
    page.select_option("#model", "facts")
    visit.ask("Al jogs 3 miles a day. How many miles is that in a week?")
    assert page.inner_text("#answer").startswith("21")
    page.uncheck("#knowledge")
    visit.settled()
    assert page.inner_text("#answer") == "No mathematics found."
    assert "knowledge=no" in page.url
    page.reload()
    visit.settled()
    assert not page.is_checked("#knowledge")
    page.check("#knowledge")
    visit.settled()
    assert page.inner_text("#answer").startswith("21")


# ------------------------------------------------------------------------------------------------ taking away


def test_copy_gives_latex_python_json_and_svg(visit: Any) -> None:
    page = visit.open()
    visit.ask("half of 3 and 4.5")
    found = {}
    for kind in ("latex", "python", "json", "svg"):
        page.click(f"[data-copy={kind}]")
        page.locator("#toast.shown", has_text=re.compile(f"^{kind} ", re.IGNORECASE)).wait_for()
        found[kind] = visit.clipboard()
    assert found["latex"] == json.loads(found["json"])["latex"]
    assert found["svg"].startswith("<svg ")
    assert found["python"].startswith("from fractions import Fraction\n")
    assert 'Fraction("4.5")' in found["python"]


def test_a_link_carries_the_problem_and_the_forced_numbers(visit: Any) -> None:
    page = visit.open()
    visit.ask(PAGES)
    page.locator("#words .number", has_text="12").click()
    visit.settled()
    page.click("#share")
    page.wait_for_selector("#toast.shown")
    link = visit.clipboard()
    other = visit.context.new_page()
    other.goto(link)
    other.wait_for_selector("#result[aria-busy=false]")
    assert other.input_value("#text") == PAGES
    assert other.inner_text("#answer") == "21 animals"


# ------------------------------------------------------------------------------------------------ many


def test_a_file_of_problems_becomes_a_table_and_a_download(visit: Any, tmp_path: Path) -> None:
    page = visit.open()
    file = tmp_path / "problems.txt"
    lines = ["2 and 3", json.dumps({"text": "4 and 5", "id": "b"}), "", "<b>none</b>", "word " * 100]
    file.write_text("\n".join(lines), encoding="utf-8")
    page.set_input_files("#file", file)
    page.locator("#rows tr").nth(3).wait_for()
    rows = page.locator("#rows tr").all_inner_texts()
    assert re.search(r"2\+3\s+5\s+75 %", rows[0].replace("\n", ""))
    assert rows[1].startswith("b")
    assert "<b>none</b>" in rows[2]
    assert "at most 80" in rows[3]
    page.locator("#progress-words", has_text="4 of 4, 1 with errors").wait_for()
    page.locator("#batch").scroll_into_view_if_needed()
    visit.shot("table")
    with page.expect_download() as download:
        page.click("#save-jsonl")
    saved = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
    assert [one.get("answer") for one in saved] == [5, 9, None, None]
    with page.expect_download() as download:
        page.click("#save-csv")
    assert '"b","4 and 5","4 + 5","9"' in Path(download.value.path()).read_text()
    page.click("#rows button >> nth=0")
    visit.settled()
    assert page.input_value("#text") == "2 and 3"


def test_a_long_file_is_shown_in_pages(visit: Any, tmp_path: Path) -> None:
    page = visit.open()
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(f"{n} and 1" for n in range(250)), encoding="utf-8")
    page.set_input_files("#file", file)
    page.locator("#progress-words", has_text="250 of 250").wait_for()
    assert page.locator("#rows tr").count() == 100
    page.click("#more")
    assert page.locator("#rows tr").count() == 200


# ------------------------------------------------------------------------------------------------ every way


def test_everything_works_with_the_keyboard_alone(visit: Any) -> None:
    page = visit.open()
    page.focus("#text")
    page.keyboard.press("Control+A")
    page.keyboard.type(PAGES)
    page.keyboard.press("Enter")
    visit.settled()
    assert visit.answer() == "9 animals"
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className.baseVal "
                                  "|| document.activeElement.className"))  # fmt: skip
        if page.evaluate("document.activeElement.matches('#words .number.unused')"):
            page.keyboard.press("Enter")
            visit.settled()
            assert visit.answer() == "21 animals"
            assert page.evaluate("document.activeElement.matches('#words .number')")
            break
    assert "why" in seen
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.reading") == "1":
            page.keyboard.press("Space")
            break
    assert visit.answer() == "13"


@pytest.mark.parametrize("visit", [{"color_scheme": "dark"}], indirect=True)
def test_dark_mode_follows_the_system_and_the_switch(visit: Any) -> None:
    page = visit.open(f"#model=default&q={quote(TIMES)}")
    ground = "getComputedStyle(document.body.parentElement).backgroundColor"
    dark = page.evaluate(ground)
    visit.shot("dark")
    page.click("#theme")
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    assert page.evaluate(ground) == light, "the choice is kept"
    page.click("#theme")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("visit", [{"size": "narrow"}], indirect=True)
def test_a_narrow_screen_needs_no_sideways_scrolling(visit: Any) -> None:
    page = visit.open("#model=default")
    page.click("text=Sharing")
    visit.settled()
    page.mouse.move(0, 0)
    visit.shot("narrow", full=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("visit", [{"size": "projector"}], indirect=True)
def test_a_projector_gets_larger_type(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") > 16
    visit.shot("projector")


def test_a_screen_reader_hears_the_result(visit: Any) -> None:
    page = visit.open()
    visit.ask(APPLES)
    assert page.inner_text("#said") == "Answer: 16. 7 + (3 + 6). Quite sure, 75 %."
    assert page.get_attribute("#said", "aria-live") == "polite"


# ------------------------------------------------------------------------------------------------ answers


def test_steps_doubts_and_the_unit_are_beside_the_answer(visit: Any) -> None:
    page = visit.open()
    visit.ask("7 apples, 3 apples and 6 apples. How many apples in all?")
    assert page.locator("#steps li").all_inner_texts() == ["3 + 6 = 9 apples", "7 + 9 = 16 apples in all"]
    assert visit.answer() == "16 apples"
    assert not page.is_visible("#doubts")
    visit.ask("5 centimeters and 3 meters of rope. How much rope?")
    assert page.inner_text("#sure-words") == "This may be beyond what I can do"
    assert page.get_attribute("#sure", "data-level") != "high"
    assert "combined without converting" in page.inner_text("#doubt-list")
    assert "beyond what I can do" in page.inner_text("#said")
    page.click("#doubts a")
    page.wait_for_url("**/limits")
    assert "English only" in page.inner_text("main")


def test_your_own_answer_is_checked(visit: Any) -> None:
    page = visit.open()
    visit.ask("7 apples and 3 apples. How many apples?")
    for given, kind, said in [
        ("ten apples", "right", "Right"),
        ("4", "wrong", "you subtracted"),
        ("?", "open", "can’t tell"),
    ]:
        page.fill("#given", given)
        page.press("#given", "Enter")
        page.wait_for_selector(f"#verdict[data-kind={kind}]")
        assert said in page.inner_text("#verdict")


def test_a_csv_file_is_read_by_its_column(visit: Any, tmp_path: Path) -> None:
    page = visit.open()
    assert ".csv" in page.get_attribute("#file", "accept")
    file = tmp_path / "sheet.csv"
    file.write_text('id,text\n7,"2 ""big"" cats, and 3 cats"\n8,4 and 5\n', encoding="utf-8")
    page.set_input_files("#file", file)
    page.locator("#rows tr").nth(1).wait_for()
    assert page.locator("#rows .problem").first.inner_text() == '2 "big" cats, and 3 cats'
    assert page.locator("#rows th").first.inner_text() == "7"


@pytest.mark.parametrize("visit", [{"size": "phone"}], indirect=True)
def test_what_is_wider_than_a_phone_says_that_it_scrolls(visit: Any) -> None:
    page = visit.open()
    visit.ask("7 apples, 3 pears, 6 plums, 8 figs and 9 limes in the big basket. How many are there?")
    assert page.is_visible("#tree-cue")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    visit.ask("7 and 3")
    assert not page.is_visible("#tree-cue")


def test_the_api_is_described_and_tried_without_anything_from_elsewhere(visit: Any) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    visit.page.goto(f"{visit.address}docs")
    visit.page.wait_for_selector("#endpoints[aria-busy=false]")
    titles = visit.page.locator("#endpoints h2").all_inner_texts()
    assert {"POST /api/parse", "POST /api/check", "GET /health"} <= set(titles)
    card = visit.page.locator("#endpoints section", has_text="POST /api/check")
    card.get_by_role("button", name="Try it").click()
    card.locator("pre", has_text='"agrees"').wait_for()
    assert all(url.startswith(visit.address) for url in asked)


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from the npm package in the folder TEXT2MATH_AXE names."""
    folder = os.environ.get("TEXT2MATH_AXE")
    if folder is None:
        pytest.skip("TEXT2MATH_AXE does not name the folder of axe-core: npm install axe-core")
    return (Path(folder) / "axe.min.js").read_text(encoding="utf-8")


THEMES = [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"size": "narrow"}]


@pytest.mark.parametrize("visit", THEMES, indirect=True, ids=["light", "dark", "narrow"])
def test_axe_finds_nothing(visit: Any, axe: str, tmp_path: Path) -> None:
    page = visit.open(f"#model=default&q={quote(APPLES)}")
    file = tmp_path / "two.txt"
    file.write_text("2 and 3\n" + "word " * 100, encoding="utf-8")
    page.set_input_files("#file", file)
    page.locator("#rows tr").nth(1).wait_for()
    page.click("#why")
    page.wait_for_selector("#reasons .sentences", timeout=120_000)  # the first one compiles
    page.click("#list-box summary")
    page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = page.evaluate("tags => axe.run(document, {runOnly: tags})", tags)
    shown = "\n".join(f"{one['id']}: {node['html']}" for one in found["violations"] for node in one["nodes"])
    assert shown == ""


@pytest.mark.parametrize("visit", THEMES, indirect=True, ids=["light", "dark", "narrow"])
@pytest.mark.parametrize("path", ["docs", "limits"])
def test_axe_finds_nothing_on_the_other_pages(visit: Any, axe: str, path: str) -> None:
    visit.page.goto(visit.address + path)
    if path == "docs":
        visit.page.wait_for_selector("#endpoints[aria-busy=false]")
    visit.page.evaluate(axe)
    found = visit.page.evaluate("() => axe.run(document)")
    shown = "\n".join(f"{one['id']}: {node['html']}" for one in found["violations"] for node in one["nodes"])
    assert shown == ""
