"""One question, four operators: stories in which the words of the question give nothing away.

A *cue* is a bank of questions ("how many does each have", "how many are left", "how long", "how old") with ways to
tell a story for each of + − × ÷ that all end in the same questions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from text2math.data.stories import words
from text2math.data.stories.grammar import plural
from text2math.data.stories.world import MONEY, Draft, Fact, Family, Thing, kinds_of, scenes

Telling = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cue:
    """Questions, and for each operator the ways to tell what they are asked about."""

    kind: str
    questions: tuple[str, ...]
    plus: tuple[Telling, ...]
    minus: tuple[Telling, ...]
    times: tuple[Telling, ...]
    over: tuple[Telling, ...]
    unit: str = ""  # what a and b count where it is not the scene's thing
    #: how often each operator is drawn: those that other stories ask this way least come most
    signs: str = "+-*/"
    weight: int = 1


_CUES: tuple[Cue, ...] = (
    Cue(
        "sharing",
        (
            "how many {t} / does each {friend.one} have / each {friend.one} has / [now|in all|altogether|left|]",
            "how many {t} / did each {friend.one} have / each {friend.one} had / [in the end|then|]",
            "how many {t} / does [every|one] {friend.one} have / [every|one] {friend.one} has / [now|]",
            "how many {t} / did each {friend.one} end up with / each {friend.one} ended up with /",
        ),
        (
            ("{c} {friend} had {A} each", "each of them [got|found|bought|received] {B.more}"),
            ("each {friend.one} had {A}", "then {p} gave every one of them {B.more}"),
            ("each {friend.one} got {A} from {p} and {b} from {q}",),
            ("every {friend.one} in the group of {c} picked up {a} {k@a} and {b} {j@b}",),
        ),
        (
            ("{c} {friend} had {A} each", "each of them [lost|gave away|used] {B.bare}"),
            ("each {friend.one} started with {A}", "{p} took {B.bare} from each of them"),
            ("{p} gave each {friend.one} {A}", "each {friend.one} {v.past} {B.of}"),
            ("each of the {c} {friend} needed {A} but was missing {b}",),
        ),
        (
            ("each of the {c} {friend} had {a} {box@a} of {t}", "there were {b} in every {box.one}"),
            ("{p} had {A}", "each {friend.one} had {b} times as many"),
            ("each {friend.one} carried {a} {box@a} with {b} {t@b} inside",),
            ("every {friend.one} got {A} a day for {b} days",),
        ),
        (
            ("{p} shared {A} equally among {b} {friend@b}",),
            ("{b} {friend@b} found {A} and shared them equally",),
            ("{A} were handed out to {b} {friend@b}, the same to each",),
            ("{p} had {A}, {b} times as many as each of {p.his} {friend}",),
        ),
        signs="+++---**",
    ),
    Cue(
        "groups",
        (
            "how many {t} are in [each|one|every] {box.one} [now|altogether|in all|] / / /",
            "how many {t} / does each {box.one} have / each {box.one} has / [now|]",
            "how many {t} / does [one|each] {box.one} hold / [one|each] {box.one} holds / [now|]",
            "how many {t} / will there be / there will be / in each {box.one}",
        ),
        (
            ("there were {A} in each of the {c} {box}", "{p} put {B.more} into every one"),
            ("each {box.one} holds {a} {k@a} and {b} {j@b}",),
            ("{p} packed {A} in each {box.one}", "{q} added {B.more} to each"),
        ),
        (
            ("there were {A} in each of the {c} {box}", "{p} took {B.bare} out of each one"),
            ("each {box.one} had {A}", "{B.of} were removed from every {box.one}"),
            ("{p} packed {A} in each {box.one}, but {B.of} fell out of every one",),
        ),
        (
            ("each of the {c} {box} has {a} layers with {B} in each layer",),
            ("each {box.one} is filled with {a} packs of {b} {t}",),
            ("there are {a} rows of {B} in every {box.one}",),
            ("a small {pack.one} holds {A}, and every {box.one} holds {b} times as many",),
        ),
        (
            ("{p} put {A} equally into {b} {box@b}",),
            ("there are {A} in {b} {box@b}, the same in all of them",),
            ("{p} divided {A} evenly among {b} {box@b}",),
            ("{A} fill {b} {box@b} of the same size",),
        ),
        signs="+++---**/",
    ),
    Cue(
        "compare",
        (
            "how many more {t} / {do p} have / {p} has / than {q} [now|]",
            "how many fewer {t} / {do q} have / {q} has / than {p} [now|]",
            "how many more {t} than {q} / {do p} have / {p} has /",
            "by how many {t} is {p} ahead of {q} [now|] / / /",
            "what is the difference between {p.s} and {q.s} number of {t} / / /",
        ),
        (
            ("{p} and {q} had the same number of {t}", "{p} got {A.more}, and {q} lost {B.bare}"),
            ("{p} had {A.more} than {q}", "then {p} [found|bought|got] {B.more}"),
            ("{p} had {A.more} than {q}", "{q} {v.past} {B.of}"),
            ("{p} found {a} more {k} than {q} and {b} more {j} than {q}",),
        ),
        (
            ("{p} has {A}", "{q} has {B}"),
            ("{p} had {A.more} than {q}", "then {q} got {B.more}"),
            ("{p} had {A.more} than {q}", "{p} {v.past} {B.of}"),
            ("{q} has {B} and {p} has {a}",),
        ),
        (
            (
                "{p} and {q} have the same number of {box}: {a} each",
                "there are {b} more {t} in each of {p.s} {box} than in each of {q.s}",
            ),
            (
                "every day {p} collects {A.more} than {q}",
                "this went on for {b} days",
            ),
            ("{p} gets {A.more} than {q} each week for {b} weeks",),
        ),
        (
            ("{p} had {A.more} than {q}", "then {q} caught up, and {p.s} lead became {b} times smaller"),
            ("{q} was {A.bare} {t} behind {p}", "today the gap is {b} times smaller"),
            ("last week {p} had {A.more} than {q}", "that is {b} times the lead {p.he} has today"),
        ),
        signs="++++***///-",
        weight=4,
    ),
    Cue(
        "change",
        (
            "how many {x} are left / / /",
            "how many {x} / {do p} have / {p} has / left",
            "how many {x} / did {p} have / {p} had / left",
            "how many {x} / {do p} still have / {p} still has /",
            "how many {x} remain / / /",
        ),
        (
            (
                "{p} {v.past} most of {p.his} {x}",
                "{p~} still has {a} [at home|in a drawer] and {b} [at school|in a box]",
            ),
            ("after the sale, {p} had {a} {x} left in one room and {b} left in another",),
            (
                "{p} gave away {c} {x}",
                "{p~} kept {a} at home and {b} with {q}",
            ),
            ("{p} left {a} {x} on the table and {b} on the shelf and took nothing",),
        ),
        (
            ("{p} had {a} {x}", "{p~} {v.past} {b} of them"),
            ("{p} had {a} {x} and gave {b} to {q}",),
            ("out of {a} {x}, {p} sold {b}",),
            ("{p} had {a} {x}", "{q} took {b} of them away"),
        ),
        (
            ("{p} {v.past} most of {p.his} {x}", "only {a} {pack@a} with {b} in each are not gone"),
            ("{p} has {a} {pack@a} of {x}", "each one still has {b} inside"),
            ("{p} sold {c} {x}", "the others are in {a} {pack@a} of {b}"),
        ),
        (
            (
                "{p} had {a} {x} in {b} equal {pack@b}",
                "{p~} gave away all except a single one of the {pack}",
            ),
            ("{p} used to have {a} {x}, {b} times as many as now",),
            (
                "the {a} {x} were split equally among {b} people",
                "{p} was among them and kept them all",
            ),
        ),
        signs="+++**//-",
    ),
    Cue(
        "combine",
        (
            "how many {t} / {do p~} have / {p~} has / [in all|altogether|in total|now|]",
            "what is the total number of {t} {p~} has / / /",
            "how many {t} / did {p~} have / {p~} had / [in all|altogether|in total|]",
            "how many {t} / does that make / that makes / [in all|altogether|for {p}|]",
        ),
        (
            ("{p} had {A} and [got|found|bought] {B.more}",),
            ("{q} had {A}", "{p} had {b} more than {q}"),
            ("{p} has {a} {k@a} and {b} {j@b}",),
        ),
        (
            ("{p} had {A} but {v.past} {B.bare}",),
            ("{q} had {A}", "{p} had {b} fewer than {q}"),
            ("{p} and {q} had {A} together", "{b} of them were {q.s}"),
            ("{q} has {A}, which is {b} more than {p} has",),
        ),
        (
            ("{p} had {a} {box@a} with {B} in each",),
            ("{q} had {A}", "{p} had {b} times as many as {q}"),
            ("{p} got {A} from each of {b} {friend@b}",),
            ("every day for {b} days, {p} got {A}",),
        ),
        (
            ("{p} was among {b} {friend@b} who shared {A} equally",),
            ("{q} had {A}", "that is {b} times as many as {p} had"),
            ("{q} divided {A} equally among {b} {friend@b}", "{p} was in that group"),
            ("{p} got an equal part when {A} were split {b} ways",),
        ),
        signs="--///+-*",
    ),
    Cue(
        "change",
        (
            "how many {t} / did {p} have / {p} had / [at first|in the beginning|to start with|before that|originally|at the start]",
            "how many {t} / did {p} start with / {p} started with /",
            "what was the number of {t} {p} had [at first|in the beginning|before] / / /",
        ),
        (
            ("{p} {v.past} {A}", "now {p~} has {B.bare} left"),
            ("{p} gave {A} to {q} and kept {B.bare}",),
            ("after {p} {v.past} {A}, there were {B.bare} left",),
        ),
        (
            ("{p} [found|bought|got] {B.more}", "now {p~} has {A}"),
            ("{q} gave {p} {B}", "that brought {p} up to {A}"),
            ("now {p} has {A}", "{p.he} got {b} of them from {q}"),
        ),
        (
            ("{p} gave all of {p.his} {t} to {b} {friend@b}", "each one got {A}"),
            ("{p} split {p.his} {t} into {b} equal {box}", "each {box.one} had {A}"),
            ("now {p} has {A}", "{p.he} used to have {b} times as many"),
        ),
        (
            ("now {p} has {A}, which is {b} times as many as before",),
            ("{p.s} collection of {t} grew to {b} times its size", "now there are {A}"),
            ("{p} now has {A}", "the number is {b} times what it was"),
        ),
        signs="***///+-",
    ),
    Cue(
        "rate",
        (
            "how many {x} / {do p~} need / {p~} needs / [in all|altogether|in total|]",
            "how many {x} / will {p~} need / {p~} will need / [in all|]",
            "how many {x} are needed [in all|altogether|] / / /",
        ),
        (
            ("{p} needs {a} {x} for the [party|class|project] and {b} for the [picnic|club|show]",),
            ("{p} is making two things", "{p.he} needs {a} {x} for the first and {b} for the second"),
            ("{p} thought {a} {x} would be enough, but {p.he} needs {b} more than that",),
        ),
        (
            ("{q} needs {a} {x}", "{p} needs {b} fewer than {q}"),
            ("the project takes {a} {x}", "{q} will bring {b} of them"),
            ("last year {p} needed {a} {x}", "this year {p.he} needs {b} fewer"),
        ),
        (
            ("{p} is planning for {b} guests", "each guest gets {a} {x}"),
            (
                "the recipe calls for {a} {x}",
                "{p} wants to make it {b} times",
            ),
            ("{p} gives {a} {x} to every student", "there are {b} students"),
        ),
        (
            (
                "{a} {friend} are coming",
                "{p} needs more {x}, one for every {b} {friend}",
            ),
            ("{a} {friend} are coming", "each of the {x} is enough for {b} of them"),
            (
                "{p} needs {a} {x} for {b} days, the same number for every day, and wants to prepare only for today",
            ),
        ),
        signs="++//-*",
    ),
    Cue(
        "combine",
        (
            "how many {t} / do they have / they have / [together|in all|altogether|in total|now|]",
            "how many {t} / do {p} and {q} have / {p} and {q} have / [together|in all|altogether|now|]",
            "what is the total number of {t} they have [together|now|] / / /",
        ),
        (
            ("{p} has {A} and {q} has {b}",),
            ("{p} and {q} had {A} together", "then they got {B.more}"),
        ),
        (
            ("{p} and {q} had {A} together", "then {p} {v.past} {B.of}"),
            ("{p}, {q}, and {r} have {A} in all", "{b} of them belong to {r}"),
            (
                "{p} and {q} together had {A}",
                "{q} gave {B.bare} to a friend",
            ),
        ),
        (
            ("{p} and {q} have {a} {box@a} between them", "there are {b} {t@b} in each {box.one}"),
            ("{r} has {A}", "{p} and {q} together have {b} times as many"),
            ("{p} and {q} get {A} every week", "they have been saving them for {b} weeks"),
        ),
        (
            ("{r} has {A}", "that is {b} times as many as {p} and {q} have together"),
            ("{A} were split equally among {b} teams", "{p} and {q} are a team"),
        ),
        signs="+---**////",
    ),
    Cue(
        "rate",
        (
            "how many times / did {p} {do} / {p} {done} / [in all|altogether|in total|that week|]",
            "how many times / was that / that was / [in all|altogether|]",
            "what is the number of times {p} {done} / / /",
        ),
        (
            ("{p} {done} {a} times in the morning and {b} times in the afternoon",),
            ("{p} {done} {a} times on {day}", "{p.he} did it {b} more times the next day"),
            (
                "{q} {done} {a} times",
                "{p} did it {b} more times than {q}",
            ),
        ),
        (
            ("{p} wanted to {do} {a} times but skipped {b} of them",),
            (
                "{p} {done} {a} times",
                "{b} of those were only practice and do not count",
            ),
            ("{q} {done} {a} times", "{p} did it {b} fewer times"),
        ),
        (
            ("{p} {done} {a} times a day for {b} days",),
            ("each of {p.his} {b} lessons had a break", "{p} {done} {a} times in every lesson"),
        ),
        (
            ("{p} {done} for {a} minutes in all", "each time took {b} minutes"),
            ("{p} {done} once for every {b} pages", "{p.he} read {a} pages"),
        ),
        signs="+++---***/",
    ),
    Cue(
        "compare",
        (
            "how many more {t} / did {p} {v} / {p} {v.past} / than {q} [in all|altogether|]",
            "how many fewer {t} / did {q} {v} / {q} {v.past} / than {p} [in all|]",
            "how much farther ahead is {p} than {q} in the number of {t} / / /",
        ),
        (
            (
                "on {day} {p} {v.past} {A.more} than {q}",
                "the next day {p.he} {v.past} {B.more} than {q} again",
            ),
            ("{p} {v.past} {a} more {k} and {b} more {j} than {q}",),
        ),
        (
            ("{p} {v.past} {A}", "{q} {v.past} {b}"),
            ("{p} {v.past} {A.more} than {q} on {day}", "the next day {q} {v.past} {b} more than {p}"),
        ),
        (
            ("each day {p} {v.past} {A.more} than {q}", "they did this for {b} days"),
            ("in each of {b} rounds, {p} {v.past} {A.more} than {q}",),
            ("in each of the {a} weeks {p} {v.past} {B.more} than {q}",),
        ),
        (
            (
                "over {b} weeks {p} {v.past} {A.more} than {q}, equally many every week, but only the last week counts",
            ),
            (
                "{p} {v.past} {A.more} than a friend",
                "that was {b} times as much as the lead {p.he} had over {q}",
            ),
        ),
        signs="++++****//",
    ),
    Cue(
        "price",
        (
            "how much / does each {g} cost / each {g} costs / [now|in all|]",
            "what is the price of [one|each|a single] {g} [now|] / / /",
            "how much / did each {g} cost / each {g} cost / [{p}|]",
            "how much / did {p} pay / {p} paid / for each {g}",
            "how much / does one {g} cost / one {g} costs / [now|]",
        ),
        (
            ("each {g} used to cost {A}", "then the price went up by {B}"),
            ("{p} bought {c} {gs} at {A} each", "there was a fee of {B} on every one"),
            ("each {h} costs {A}", "each {g} costs {B} more than that"),
        ),
        (
            ("each {g} used to cost {A}", "now it is {B} cheaper"),
            ("{p} bought {c} {gs}", "each was marked {A}, but {p} got {B} off every one"),
            ("each {h} costs {A}", "each {g} costs {B} less than that"),
        ),
        (
            ("each {h} costs {A}", "each {g} costs {b} times as much"),
            ("{p} paid for each {g} in {b} parts of {A}",),
            ("each {g} is made of {b} pieces, and every piece costs {A}",),
        ),
        (
            ("{p} paid {A} for {b} {gs}",),
            ("{b} {gs} cost {A}",),
            ("each {h} costs {A}, {b} times as much as each {g}",),
        ),
        "money",
        signs="+++---**",
    ),
    Cue(
        "price",
        (
            "how many {t} / did {p} buy / {p} bought / [in all|altogether|in total|]",
            "how many {t} / did {p} get / {p} got / [in all|altogether|]",
            "how many {t} / can {p} buy / {p} can buy / [in all|]",
            "what is the number of {t} {p} bought / / /",
        ),
        (
            ("{p} [paid for|ordered] {A} on {day} and {b} more the next day",),
            ("{q} has money for {A}", "{p} has money for {b} more than {q}"),
            ("at {c} dollars each, {p} took {a} {k@a} and {b} {j@b}",),
        ),
        (
            ("{p} [paid for|ordered] {A} but sent {b} back",),
            ("{q} has money for {A}", "{p} has money for {b} fewer than {q}"),
            ("{p} had {A} on {p.his} list but {b} of them were sold out",),
        ),
        (
            ("{p} [paid for|ordered] {a} {box@a} of {t} with {b} in each",),
            ("{q} has money for {A}", "{p} has money for {b} times as many"),
            ("every day for {b} days, {p} paid for {A}",),
        ),
        (
            ("{p} has {a} dollars", "the {t} cost {b} dollars each"),
            ("the {t} were {b} dollars each, and the bill was {a} dollars",),
            ("{q} has money for {A}, {b} times as many as {p}",),
        ),
        signs="+++---**/",
    ),
    Cue(
        "array",
        (
            "how many {t} are in [each|one|every] row [now|altogether|] / / /",
            "how many {t} / does each row have / each row has / [now|in all|]",
            "how many {t} / will there be / there will be / in each row",
        ),
        (
            ("there were {c} rows with {A} in each", "{p} put {B.more} in every row"),
            ("each row has {a} {k@a} and {b} {j@b}",),
        ),
        (
            ("there were {c} rows with {A} in each", "{p} took {b} out of every row"),
            ("each row had room for {A}, but {b} places in every row were empty",),
        ),
        (
            ("each of the {c} rows is made of {a} parts with {B} in each part",),
            ("the short rows have {A}", "the long rows have {b} times as many", "{p} looked at a long row"),
        ),
        (
            ("{p} put {A} in {b} equal rows",),
            ("{b} rows hold {A} altogether, the same in each",),
        ),
        signs="+++---**/",
    ),
    Cue(
        "array",
        (
            "how many rows are there [in all|altogether|now|] / / /",
            "how many rows / will there be / there will be / [in all|]",
            "how many rows / did {p} make / {p} made / [in all|altogether|]",
            "what is the number of rows / / /",
        ),
        (
            ("{p} made {a} rows of {k} and {b} rows of {j}",),
            ("there were {a} rows", "{p} added {b} more rows of {c} {t}"),
        ),
        (
            ("{p} made {a} rows of {t} but took {b} of them apart again",),
            ("{q} made {a} rows", "{p} made {b} fewer"),
        ),
        (
            ("the room has {a} parts with {b} rows of {t} in each",),
            ("{p} made {a} rows of {t} a day for {b} days",),
        ),
        (
            ("{p} has {A} to put in rows of {b}",),
            ("{p} put {A} in rows with {b} in each",),
        ),
        signs="++---***",
    ),
    Cue(
        "rate",
        (
            "how many {t} / did {p} {v} / {p} {v.past} / [each|every|per|in one] {time}",
            "how many {t} {an}{time} is that / / /",
            "how many {t} / does {p} {v} / {p} {v.s} / [each|every] {time}",
            "how many {t} / can {p} {v} / {p} can {v} / [in one|each] {time}",
        ),
        (
            ("each {time}, {p} {v.past} {a} {k@a} and {b} {j@b}",),
            ("{p} used to {v} {A} each {time}", "now {p~} can {v} {b} more than before"),
            ("{q} {v.past} {A} every {time}", "{p} {v.past} {b} more every {time}"),
        ),
        (
            ("{p} used to {v} {A} each {time}", "now {p~} does {b} fewer than before"),
            ("{q} {v.past} {A} every {time}", "{p} {v.past} {b} fewer every {time}"),
        ),
        (
            ("{q} {v.past} {A} every {time}", "{p} {v.past} {b} times as many"),
            ("{p} {v.past} {a} {box@a} of {t} each {time}", "there were {b} in every {box.one}"),
        ),
        (
            ("{p} {v.past} {A} in {b} {times}",),
            ("in {b} {times}, {p} {v.past} {A}, the same number every {time}",),
        ),
        signs="+++---**/",
    ),
    Cue(
        "rate",
        (
            "how many {times} / did it take {p} / it took {p} / [in all|altogether|]",
            "how many {times} / did {p} work / {p} worked / [in all|altogether|in total|]",
            "how many {times} / will it take {p} / it will take {p} / [in all|altogether|]",
            "how many {times} / did {p} need / {p} needed / [in all|]",
        ),
        (
            ("{p} worked {a} {times} on the first part and {b} {times} on the second",),
            ("it took {q} {a} {times}", "{p} needed {b} more {times}"),
        ),
        (
            ("{p} had {a} {times} but finished {b} {times} early",),
            ("it took {q} {a} {times}", "{p} needed {b} fewer {times}"),
        ),
        (
            ("each of the {a} parts took {b} {times}",),
            ("it took {q} {a} {times}", "{p} needed {b} times as many"),
        ),
        (
            ("{p} had {A} to make and made {b} of them every {time}",),
            ("{p} had {A} to pack", "{p~} packed {b} {t} {an}{time}"),
        ),
        signs="+++---***/",
    ),
    Cue(
        "groups",
        (
            "how many {box} / {do p} have / {p} has / [now|in all|altogether|left|]",
            "how many {box} are there [now|in all|altogether|] / / /",
            "how many {box} / will {p} need / {p} will need / [in all|]",
            "how many {box} / did {p} use / {p} used / [in all|altogether|]",
            "how many {box} of {t} / {do p} have / {p} has / [now|]",
        ),
        (
            ("{p} filled {a} {box@a} with {k} and {b} {box@b} with {j}",),
            ("{p} had {a} {box@a} of {t}", "{p~} bought {b} more {box} of {c}"),
        ),
        (
            ("{p} had {a} {box@a} with {c} {t} in each", "{p~} gave {b} of the {box} away"),
            ("{q} used {a} {box@a} for the {t}", "{p} used {b} fewer"),
        ),
        (
            ("{p} has {a} rooms", "in each room there are {b} {box@b} of {t}"),
            ("{q} used {a} {box@a} for the {t}", "{p} used {b} times as many"),
        ),
        (
            ("{p} put {A} into {box} of {b}",),
            ("each {box.one} holds {b} {t}", "{p} has {A}"),
        ),
        signs="+++---***/",
    ),
    Cue(
        "money",
        (
            "how much [money|] / did {p} pay / {p} paid / [in all|altogether|in total|]",
            "how much / did it cost {p} / it cost {p} / [in all|]",
            "how much [money|] / did {p} spend / {p} spent / [in all|altogether|]",
            "what did {p} pay [in all|in the end|] / / /",
        ),
        (
            ("{p} bought {an}{g} for {A} and {an}{h} for {B}",),
            ("{an}{g} costs {A}", "{p} had to pay {B} more for delivery"),
            ("{q} paid {A} for {an}{g}", "{p} paid {B} more than {q}"),
        ),
        (
            ("{an}{g} costs {A}", "{p} had a coupon for {B} off"),
            ("{p} went shopping with {A} and came home with {B}",),
            ("{q} paid {A} for {an}{g}", "{p} paid {B} less than {q}"),
            ("the bill came to {A}", "{q} paid {B} of it and {p} paid the rest"),
        ),
        (
            ("{p} bought {b} {gs} for {A} each",),
            ("{an}{g} costs {A}", "{p} bought {b} of them"),
            ("{p} paid {A} a month for {b} months",),
            ("{q} paid {A} for {an}{g}", "{p} paid {b} times as much"),
        ),
        (
            ("{p} and some friends, {b} people in all, split a bill of {A} equally",),
            ("{b} {gs} cost {A}", "{p} bought only a single one"),
            ("{q} paid {A}, which was {b} times as much as {p} paid",),
        ),
        "money",
        signs="+--//",
    ),
    Cue(
        "rate",
        (
            "how long / did it take {p} / it took {p} / [in all|altogether|]",
            "how many {t} / did it take {p} / it took {p} / [in all|altogether|]",
            "how many {t} / did {p} work / {p} worked / [in all|altogether|]",
            "how much time / did {p} spend / {p} spent / [in all|]",
        ),
        (
            ("{p} {did} for {A} in the morning and {B.more} in the evening",),
            ("{p} {did} for {A}", "then {p.he} took {B} to clean up"),
            ("{p} planned to work for {A} but needed {B.more}",),
        ),
        (
            ("{p} planned to work for {A} but finished {B} early",),
            ("it took {q} {A}", "{p} was {B} faster"),
            ("{p} was at the [shop|school|studio] for {A} and rested for {B} of that time",),
        ),
        (
            ("{p} {did} for {A} [a|each|every] day for {b} days",),
            ("each of the {b} [tasks|jobs|parts] took {p} {A}",),
            ("it took {q} {A}", "it took {p} {b} times as long"),
        ),
        (
            ("{p} finished {a} pages at a rate of {b} pages every {t.one}",),
            ("{q} took {A}", "{p} was {b} times as fast"),
            (
                "the work takes {A} for a single person",
                "{p} did it with others, {b} workers in all, who worked equally fast",
            ),
        ),
        "time",
        signs="++--**/",
    ),
    Cue(
        "speed",
        (
            "how far / did {p} go / {p} went / [in all|altogether|that day|]",
            "how many {t} / did {p} travel / {p} traveled / [in all|altogether|]",
            "what distance / did {p} cover / {p} covered / [in all|]",
            "how many {t} / did {p} go / {p} went / [in all|that day|]",
        ),
        (
            ("{p} walked {A} to [the park|school|{town}] and {B.more} to [the lake|the library|{town2}]",),
            ("{q} went {A}", "{p} went {B} farther than {q}"),
            ("{p} rode {A} in the morning and {B.bare} in the afternoon",),
        ),
        (
            ("the trip to {town} is {A}", "{p} stopped {B} before the end"),
            ("{q} went {A}", "{p} went {B} less than {q}"),
            ("{p} wanted to go {A} but took a shortcut that saved {B}",),
        ),
        (
            ("{p} went {A} an hour for {b} hours",),
            ("{p} ran around the lake {b} times", "the path around it is {A} long"),
            ("{q} went {A}", "{p} went {b} times as far"),
        ),
        (
            ("{p} and the rest of the relay team, {b} runners in all, shared a race of {A} equally",),
            ("{q} went {A}", "that is {b} times as far as {p} went"),
            ("{p} made {b} equal trips for a total of {A}", "today {p.he} made only a single trip"),
        ),
        "distance",
        signs="+--//*",
    ),
    Cue(
        "compare",
        (
            "how old is {p} [now|today|] / / /",
            "what is {p.s} age [now|] / / /",
            "how many years old is {p} / / /",
        ),
        (
            ("{q} is {a} years old", "{p} is {b} years older [than {q}|]"),
            ("{b} years ago, {p} was {a} [years old|]",),
            ("{p} was {a} when {q} was born", "{q} is {b} now"),
        ),
        (
            ("{q} is {a} years old", "{p} is {b} years younger [than {q}|]"),
            ("in {b} years, {p} will be {a}",),
            ("{q} is {a} years old", "{q} was {b} when {p} was born"),
        ),
        (
            ("{q} is {a} years old", "{p} is {b} times as old [as {q}|]"),
            ("{p} is {b} times as old as {q}, who is {a}",),
        ),
        (
            ("{q} is {a} years old", "that is {b} times {p.s} age"),
            ("{q}, who is {a}, is {b} times as old as {p}",),
        ),
        "age",
        signs="***///+-",
    ),
    Cue(
        "compare",
        (
            "how {adj} is the {second} {noun} / / /",
            "what is the {name} of the {second} {noun} / / /",
            "how many {t} {adj} is the {second} {noun} / / /",
        ),
        (
            ("the {first} {noun} is {A} {adj}", "the {second} {noun} is {B} {adjer}"),
            ("the {first} {noun} is {A} {adj}", "it is {B} {less} than the {second} {noun}"),
            ("the {second} {noun} is made of two parts, {A} and {B} {adj}",),
        ),
        (
            ("the {first} {noun} is {A} {adj}", "the {second} {noun} is {B} {less}"),
            ("the {first} {noun} is {A} {adj}", "it is {B} {adjer} than the {second} {noun}"),
            ("the {second} {noun} was {A} {adj} before {p} cut off {B}",),
        ),
        (
            ("the {first} {noun} is {A} {adj}", "the {second} {noun} is {b} times as {adj}"),
            ("the {second} {noun} is made of {b} pieces, each {A} {adj}",),
        ),
        (
            ("the {first} {noun} is {A} {adj}", "it is {b} times as {adj} as the {second} {noun}"),
            (
                "{p} cut the {first} {noun}, which is {A} {adj}, into {b} equal parts and used a single part as the {second} {noun}",
            ),
        ),
        "length",
        signs="**//+-",
    ),
    Cue(
        "combine",
        (
            "how many {t} are there [in all|altogether|in total|] / / /",
            "what is the total number of {t} / / /",
            "how many {t} / did {p} see / {p} saw / [altogether|in all|]",
            "how many {t} are there {place} / / /",
        ),
        (
            ("{p} saw {a} {k@a} and {b} {j@b} {place}",),
            ("there were {A} {place}", "{B.more} were brought in"),
            ("{p} counted {A} on the left and {b} on the right",),
        ),
        (
            ("{p} counted {a} things {place}", "{b} of them were not {t}"),
            ("there were {A} {place}", "{B.of} were taken away"),
            ("there were {a} {t} and chairs {place}", "{b} were chairs and the rest were {t}"),
        ),
        (
            ("{p} saw {a} rows of {t} {place}", "each row had {b}"),
            ("there are {a} shelves {place} with {B} on each",),
            ("on the left there are {A}", "the whole room has {b} times as many as that"),
        ),
        (
            ("{p} counted {a} labels {place}", "each of the {t} has {b} labels"),
            ("{p} paid {a} dollars for all of the {t} {place} at {b} dollars apiece",),
            ("there are {a} pens {place}, {b} for each of the {t}",),
        ),
        signs="---///+*",
    ),
)


_DRAWN = tuple(cue for cue in _CUES for _ in range(cue.weight))
_NAMES_P = re.compile(r"\{(?:\w+ )?p\b")


def cue(draft: Draft) -> None:
    """A story of one step whose question fits every operator."""
    chosen = draft.pick(_DRAWN)
    sign = draft.pick(chosen.signs)
    draft.tense = "past"
    scene = draft.pick([scene for scene in scenes() if scene.name != "games"])  # points have no boxes
    draft.set(t=draft.pick(scene.things))
    draft.person("p", roles=False)
    draft.person("q", roles=False)
    draft.person("r", roles=False)
    _dress(draft, chosen)
    _number(draft, chosen, sign)
    tellings = {"+": chosen.plus, "-": chosen.minus, "*": chosen.times, "/": chosen.over}[sign]
    draft.facts = [Fact(text) for text in draft.pick(tellings)]
    draft.gold = (sign, "a", "b")
    draft.kind = chosen.kind
    questions = chosen.questions
    if any(
        "{q" in fact.text for fact in draft.facts
    ):  # with two people the question names the one it is about
        questions = tuple(text for text in questions if _NAMES_P.search(text) or "they" in text) or questions
    draft.asks(questions)
    draft.spare = ["date"] if chosen.unit == "age" else ["date", "age"]


def _dress(draft: Draft, chosen: Cue) -> None:
    """Fill the slots that the tellings may use."""
    scene = draft.pick([scene for scene in scenes() if draft.thing in scene.things])
    box = draft.pick(scene.box)
    pack = draft.pick(("bag", "box", "pack", "basket"))
    friend = draft.pick(("friend", "child", "student", "player", "classmate", "cousin", "scout", "camper"))
    first, second = kinds_of(draft, scene, 2)
    goods = draft.rng.sample([good[0] for good in words.GOODS if good[2] <= 45], 2)
    towns = draft.rng.sample(words.TOWNS, 2)
    noun, adjective, longer, shorter, name = draft.pick(
        (
            ("rope", "long", "longer", "shorter", "length"), ("ribbon", "long", "longer", "shorter", "length"), ("board", "long", "longer", "shorter", "length"),
            ("wall", "high", "higher", "lower", "height"), ("tower of blocks", "tall", "taller", "shorter", "height"), ("wire", "long", "longer", "shorter", "length"),
            ("path", "long", "longer", "shorter", "length"), ("fence", "long", "longer", "shorter", "length"), ("string", "long", "longer", "shorter", "length"),
        )
    )  # fmt: skip
    one, two = draft.pick(
        (
            ("first", "second"),
            ("red", "blue"),
            ("old", "new"),
            ("short", "other"),
            ("green", "yellow"),
            ("thick", "thin"),
        )
    )
    draft.act("v", scene.make if chosen.kind == "rate" and scene.make else scene.lose)
    time = draft.pick(("hour", "day", "week", "minute", "month"))
    did = draft.pick(
        (
            ("swim across the pool", "swam across the pool"),
            ("jump rope", "jumped rope"),
            ("ring the bell", "rang the bell"),
            ("water the plants", "watered the plants"),
            ("run up the stairs", "ran up the stairs"),
            ("feed the fish", "fed the fish"),
            ("walk the dog", "walked the dog"),
            ("practice the song", "practiced the song"),
            ("call home", "called home"),
            ("ride the slide", "rode the slide"),
            ("visit the library", "visited the library"),
        )
    )
    draft.set(
        box=Thing(box, plural(box)), pack=Thing(pack, plural(pack)), friend=Thing(friend, plural(friend)), k=first, j=second,
        g=goods[0], h=goods[1], gs=plural(goods[0]), town=towns[0], town2=towns[1], place=draft.pick(scene.spot),
        time=time, times=plural(time), do=did[0], done=did[1], day=draft.pick(words.WEEKDAYS),
        did=draft.pick(("practiced", "read", "painted", "studied", "worked", "cleaned", "danced", "wrote")),
        noun=noun, adj=adjective, adjer=longer, less=shorter, name=name, first=one, second=two,
    )  # fmt: skip
    draft.slots["x"] = draft.thing


_UNITS = {
    "time": ("minute", "minute", "minute", "hour"),
    "distance": ("mile", "kilometer", "meter", "block", "yard"),
    "age": ("year",),
    "length": ("foot", "inch", "meter", "centimeter", "yard"),
}


def _number(draft: Draft, chosen: Cue, sign: str) -> None:
    """Amounts a and b for the sign, and c that does not matter."""
    high = draft.pick((12, 20, 40, 90))
    if chosen.unit == "time":
        high = 20
    match sign:
        case "+":
            a, b = draft.between(2, high), draft.between(2, high)
        case "-":
            a = draft.between(4, high + 4)
            b = draft.rng.randint(2, a - 1)
        case "*":
            a, b = draft.between(2, min(high, 25)), draft.between(2, 12)
        case _:
            b = draft.between(2, 12)
            a = b * draft.between(2, min(high, 25))
    if chosen.unit == "age" and sign == "*":
        a = min(a, 90 // b)
    elif chosen.unit == "age" and a > 90:
        a = b * 6
    draft.count("c", draft.between(2, 12))
    if chosen.unit == "money":
        draft.set(t=MONEY)
        draft.money("a", a)
        if sign in "+-":
            draft.money("b", b)
        else:
            draft.count("b", b)
        return
    if chosen.unit:
        unit = draft.pick(_UNITS[chosen.unit])
        draft.set(t=Thing(unit, plural(unit)))
    draft.amount("a", a)
    draft.amount("b", b)


CUES: tuple[tuple[Family, float], ...] = ((cue, 29.0),)
