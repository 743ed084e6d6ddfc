from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import NESTED, TICKETS
from text2math.inference.potentials import Symbol
from text2math.inference.tree import TextMathTree, TreeError
from text2math.language.problem import Problem, read_problem
from text2math.render import caption, html_page, owners, shades, svg, terminal
from text2math.render.brackets import read_brackets
from text2math.render.colours import PALETTES, THEMES, Shade, contrast, rgb
from text2math.render.lines import wrap
from text2math.render.picture import MARGIN, _place
from text2math.render.plain import cells
from text2math.render.scene import Piece, scene_of

APPLES = (
    "[+ Mike picked [7 7 apples]. [+ Nancy picked [3 3 apples] and Keith picked [6 6 apples] at the farm.] "
    "In total, how many apples were picked?]"
)
NUMBERS = (
    "[= [* [3 3] times [X1 one of the numbers]] is [-~ [11 11] less than [* [5 5] times [X2 the other.]]]]"
)
LONG = (
    "[/ [* [+ [- [24 A bakery had 24 trays of muffins in the morning, each of them fresh from the oven.] A "
    "man dropped [6 6 trays on the way to market], and the baker, unhappy, baked] [9 9 more trays before "
    "noon. Every tray]] holds [12 12 muffins, and] the muffins are packed in] [3 boxes for 3 "
    "extraordinarily-uncharacteristic supermarkets], in equal shares. How many muffins does each one get?]"
)
ANIMALS = (
    "[+ [+ [+ [+ [+ [+ [+ [1 1 cat] [2 2 dogs]] [3 3 birds]] [4 4 fish]] [5 5 hens]] and [6 6 ducks]] and "
    "[7 7 cows]] and [8 8 pigs]. How many animals?]"
)
TREES = [APPLES, NUMBERS, LONG, ANIMALS]
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def parts(brackets: str):
    problem, tree = read_brackets(brackets)
    return problem.text, problem.tokens, tree, [quantity.value for quantity in problem.quantities]


def words_of(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("brackets", TREES)
@pytest.mark.parametrize("theme", THEMES)
def test_every_word_of_the_text_is_in_the_picture_in_order(brackets, theme) -> None:
    text, tokens, tree, values = parts(brackets)
    shown = "".join(words_of(svg(text, tokens, tree, values, theme=theme)))
    assert shown.startswith("".join(text.split()))


@pytest.mark.parametrize("brackets", TREES)
def test_no_two_labels_of_the_tree_overlap(brackets) -> None:
    boxes = _place(scene_of(*parts(brackets)), 552)
    for one, other in itertools.combinations(boxes, 2):
        apart = one.right <= other.left or other.right <= one.left
        assert apart or one.bottom < other.top or other.bottom < one.top


@pytest.mark.parametrize("brackets", TREES[:3])
def test_a_picture_is_600_wide_and_nothing_leaves_it(brackets) -> None:
    root = ElementTree.fromstring(svg(*parts(brackets)))
    assert root.get("width") == "600"
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        length = float(element.get("textLength", 0))
        x = float(element.get("x")) - (length / 2 if element.get("text-anchor") == "middle" else 0)
        assert x >= MARGIN - 1
        assert x + length <= 600 - MARGIN + 1
        assert float(element.get("font-size")) >= 13


def test_a_picture_has_no_script_and_nothing_from_elsewhere() -> None:
    picture = svg(*parts(APPLES)).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "http" not in picture
    assert not re.search(r"<script|<image|<foreignObject|<style|url\(|@font-face", picture)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_makes_a_valid_picture_a_valid_page_and_a_terminal_text(text) -> None:
    problem = read_problem(text)
    tree = TextMathTree(Symbol.X1, (0, len(problem.tokens))) if problem.tokens else None
    given = text, problem.tokens, tree, ()
    ElementTree.fromstring(svg(*given))
    svg(*given).encode("utf-8")
    html_page(*given).encode("utf-8")
    assert "\x1b" not in terminal(*given)


def test_markup_in_the_text_stays_text() -> None:
    text = "<script>alert(1)</script> & \"7\" 'apples'"
    problem = read_problem(text)
    tree = TextMathTree(Symbol.X1, (0, len(problem.tokens)))
    page = html_page(text, problem.tokens, tree, (), title="</title><b>", alternatives=[("<i>", 0.5)])
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;" in page


def test_the_same_node_has_the_same_colour_in_text_and_tree() -> None:
    text, tokens, tree, values = parts(APPLES)
    picture = svg(text, tokens, tree, values)
    for node, shade in zip(tree.nodes(), shades(tree), strict=True):
        colour = PALETTES["light"].colour(shade)
        assert f'fill="{colour}"' in picture
        runs = sum(1 for i in node.words if i - 1 not in node.words)
        # A run is underlined once a line; this text has two lines.
        assert runs <= picture.count(f'stroke="{colour}"') <= runs + 1


@pytest.mark.parametrize("brackets", TREES)
def test_neighbours_in_the_text_never_share_a_colour(brackets) -> None:
    _, tokens, tree, _ = parts(brackets)
    found = shades(tree)
    for one, other in itertools.pairwise(owners(tree, len(tokens))):
        if one != other:
            assert found[one].colour != found[other].colour
    assert len({shade for shade in found if shade.colour is not None}) == sum(
        bool(node.words) for node in tree.nodes()
    )


@pytest.mark.parametrize("theme", THEMES)
def test_text_stands_out_from_all_that_is_behind_it(theme) -> None:
    palette = PALETTES[theme]
    assert contrast(palette.ink, palette.ground) >= 4.5
    assert contrast(palette.faint, palette.ground) >= 3
    for at, colour in enumerate((*palette.nodes, palette.faint)):
        shade = Shade(at if at < len(palette.nodes) else None)
        assert contrast(palette.ink, palette.behind(shade)) >= 4.5
        assert contrast(palette.on(colour), colour) >= 4.5
        assert contrast(colour, palette.ground) >= 3


# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
EYES = {
    "normal": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def oklab(linear: np.ndarray) -> np.ndarray:
    cones = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
    lab = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])
    return lab @ np.cbrt(np.clip(cones @ linear, 0, None))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eye", EYES)
def test_colours_stay_apart_for_every_kind_of_eye(theme, eye) -> None:
    linear = [(np.array(rgb(colour)) / 255) ** 2.2 for colour in PALETTES[theme].nodes]
    seen = [oklab(np.array(EYES[eye]) @ colour) for colour in linear]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 0.1


@pytest.mark.parametrize("brackets", TREES)
@pytest.mark.parametrize("width", [20, 40, 80])
def test_terminal_lines_keep_to_the_width_and_lose_no_word(brackets, width) -> None:
    text, tokens, tree, values = parts(brackets)
    for colour in (False, True):
        shown = ANSI.sub("", terminal(text, tokens, tree, values, colour=colour, width=width))
        above, below = shown.split("\n\n")[:2]
        assert max(cells(line) for line in above.splitlines()) <= width
        if width == 80:
            assert max(cells(line) for line in below.splitlines()) <= width
        if colour:
            assert "".join(above.split()) == "".join(text.split())


def test_without_colour_every_node_has_a_letter_in_text_and_tree() -> None:
    shown = terminal(*parts(NUMBERS), width=100)
    assert shown.splitlines()[0].startswith("[c: 3] [b: times] [d: one of the numbers] [a: is] [i: 11]")
    assert "└─ e  −  … less than …" in shown
    assert shown.endswith("3 × X1 = 5 × X2 − 11")


def test_colours_are_those_every_terminal_of_256_has_and_are_reset() -> None:
    shown = terminal(*parts(APPLES), colour=True)
    assert len(re.findall(r"\x1b\[38;5;(?:16|231);48;5;\d+(?:;4)?m", shown)) == shown.count("\x1b[0m") > 5


@pytest.mark.parametrize(
    ("brackets", "wanted"),
    [
        (APPLES, "7 + (3 + 6) = 16"),
        ("[/ [2 2 pies] for [3 3 people]]", "2 ÷ 3 = 2⁄3 ≈ 0.6667"),
        ("[/ [2 2 pies] for [0 0 people]]", "2 ÷ 0 has no value"),
        ("[= [X1 A number] is [7 7]]", "X1 = 7"),
    ],
)
def test_the_caption_tells_what_it_comes_to(brackets, wanted) -> None:
    problem, tree = read_brackets(brackets)
    assert caption(tree, [quantity.value for quantity in problem.quantities]) == wanted


def test_a_text_without_mathematics_is_shown_as_it_is() -> None:
    problem: Problem = read_problem("Good morning!")
    given = problem.text, problem.tokens, None, ()
    assert terminal(*given) == "Good morning!\n\nno mathematics found"
    assert "no mathematics found" in words_of(svg(*given))
    assert "Good morning!" in html_page(*given)


@given(st.text("ab 数é", max_size=40), st.integers(2, 12))
def test_no_line_is_longer_than_the_limit_and_nothing_is_lost(text, limit) -> None:
    pieces = [Piece(word, None, True, True) for word in text.split()]
    lines = wrap(pieces, limit, cells)
    assert all(line[-1].right <= limit for line in lines)
    assert "".join(run.text for line in lines for run in line).replace(" ", "") == "".join(text.split())


@pytest.mark.parametrize(
    ("brackets", "fault"),
    [
        ("[+ [7 7 apples]]", "needs two operands, not 1"),
        ("[+ [7 7 apples] [3 3 pears]", "each '\\[' with its '\\]'"),
        ("[7 7 apples]]", "without its"),
        ("so [7 7 apples]", "outside the brackets"),
        ("[8 7 apples]", "contains no number of that value"),
        ("[? 7 apples]", "is not an operator, an unknown or a number"),
        ("[+ [7 7] [3 ]]", "has no words"),
    ],
)
def test_a_faulty_tree_in_brackets_is_told(brackets, fault) -> None:
    with pytest.raises(TreeError, match=fault):
        read_brackets(brackets)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[ceil [130 130 children] by buses of [40 40]]", "⌈130 ÷ 40⌉ = 4"),
        ("[: [6 6 boys] for [8 8 girls]]", "6 : 8 = 3 : 4"),
        ("[gcd [12 12] and [18 18]]", "gcd(12, 18) = 6"),
        (
            "[; [= [+ [X1 apples] and [X2 pears]] make [7 7]] . [= [X1 Apples] are [3 3]]]",
            "X1 + X2 = 7; X1 = 3   ⇒   X1 = 3, X2 = 4",
        ),
    ],
)
def test_what_stands_only_at_the_root_is_drawn_with_what_it_comes_to(text: str, shown: str) -> None:
    problem, tree = read_brackets(text)
    values = [quantity.value for quantity in problem.quantities]
    assert caption(tree, values) == shown
    assert terminal(problem.text, problem.tokens, tree, values).endswith(shown)
    assert svg(problem.text, problem.tokens, tree, values).startswith("<svg ")


def test_an_aside_and_unknowns_without_words_are_drawn() -> None:
    problem = read_problem(" ".join(TICKETS))
    values = [quantity.value for quantity in problem.quantities]
    parts = problem.text, problem.tokens, NESTED, values
    scene = scene_of(*parts)
    assert [node.sign for node in scene.nodes] == ["=", "×", "4", "X1", "2876", "; =", "+", "X1", "X2", "525"]
    assert [node.parent for node in scene.nodes] == [None, 0, 1, 1, 0, 0, 5, 6, 6, 5]
    assert " ".join(piece.text for piece in scene.nodes[0].label) == "… , … , bring …"
    assert scene.nodes[7].label == ()
    assert scene.nodes[7].shade == Shade()
    assert scene.caption == "4 × X1 = 2876; X1 + X2 = 525   ⇒   X1 = 719, X2 = −194"
    assert "".join(words_of(svg(*parts))).startswith("".join(problem.text.split()))
    assert "; =" in terminal(*parts)
    assert "; =" in html_page(*parts)
