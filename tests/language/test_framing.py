from __future__ import annotations

import pytest

from text2math.data import load
from text2math.language.framing import MOST_SKIPPED, problem_bounds

STORY = "Dan grew 23 turnips and sold 4 of them. How many turnips are left?"


@pytest.mark.parametrize(
    "opening",
    [
        "Please help me with this problem. ",
        "Can you solve this? ",
        "Hi! I need help with my homework. ",
        "Hello, ",
        "Here is a question from my son's worksheet: ",
        "Read the story and answer the question. ",
        "Solve the following word problem: ",
        "This is a problem from our test. ",
        "I bet you can't do this. ",
        "My cousin and I disagree about this: ",
        "ok so here goes: ",
        "Something for the clever ones among you! ",
        "This is what our teacher asks: ",
        "Maths - ",
        "hey can you help me pls ",
        "12. ",
        "Problem 3: ",
        "\ufeff",
        "\n\n",
    ],
)
def test_what_stands_before_a_problem_is_left_out(opening: str) -> None:
    text = opening + STORY
    assert text[slice(*problem_bounds(text))] == STORY


@pytest.mark.parametrize(
    "closing",
    [
        " Thank you!",
        " Thanks in advance.",
        " Show your work.",
        " Please help!",
        " Use a drawing if you like.",
        " My answer is wrong!",
    ],
)
def test_what_stands_after_a_problem_is_left_out(closing: str) -> None:
    text = STORY + closing
    assert text[slice(*problem_bounds(text))] == STORY


@pytest.mark.parametrize(
    "text",
    [
        "Please help Tom: he has 4 cats. How many legs?",
        "Sam has some homework. He did 5 problems and has 3 left. How many problems were there?",
        "Can you tell me how many apples are in 3 bags of 4?",
        "Answer 12 questions a day for 3 days. How many questions is that?",
        "Read 12 pages a day. How many pages in 5 days?",
        "Calculate with me. A pen costs 3 dollars and I buy 4. How much do I pay?",
        "You drive to the lake. The lake is 30 miles away, and 12 miles are done. How many are to go?",
        "Here are the prices in cents. A plum is 30 and a fig 45. How many cents are a plum and a fig?",
        "Please help Tom has 4 cats and Ann has 3. How many cats are there?",
        "So Anna has 4 cats and Ben has 3. How many cats are there?",
        "Thanks to a gift of 5 dollars he has 12. How much had he?",
        "We share a bill of 60 dollars. There are 4 people. How much does a person pay?",
        "We share the bill equally. It is 60 dollars for 4 people. How much does a person pay?",
        "I have a dog. He eats 3 bones a day. How many does my dog eat in 5 days?",
        "We counted bicycles and tricycles. There were 20 of them, and they had 48 wheels.",
        "Find my grandparents' ages, if you can. Grandpa is 4 years older than Grandma, who is 70.",
        "A kite costs 5 dollars and a ball 3. Help me find the price of a kite and a ball.",
        "Thank you!",
        "Can you solve this?",
        "",
        "   ",
    ],
)
def test_what_may_belong_to_the_problem_stays(text: str) -> None:
    start, end = problem_bounds(text)
    assert text[start:end].strip() == text.strip()


def test_no_problem_of_the_exam_or_the_corpus_loses_a_word() -> None:
    for name in ("exam", "corpus"):
        for example in load(name).examples:
            text = example.problem.text
            assert text[slice(*problem_bounds(text))].strip() == text.strip()


def test_a_text_of_nothing_but_remarks_is_searched_in_linear_time() -> None:
    start, _ = problem_bounds("ok. " * 5000 + STORY)
    assert start == 4 * MOST_SKIPPED
