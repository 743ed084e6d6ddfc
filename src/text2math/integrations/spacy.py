"""text2math as a spaCy component (extra ``[spacy]``): ``nlp.add_pipe("text2math")``, then ``doc._.math``.

    nlp = spacy.blank("en")
    nlp.add_pipe("text2math", config={"model": "small"})
    nlp("Tom has 3 pens and buys 2. How many pens has he?")._.math.answer

spaCy finds the component by its entry point once text2math is installed; otherwise import this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from spacy.language import Language
from spacy.tokens import Doc

from text2math.language.knowledge import Knowledge
from text2math.model.storage import FILE_SUFFIX
from text2math.parse import Parse
from text2math.parser import DEFAULT_MODEL, Parser, load

NAME = "text2math"
_FILE = f"model{FILE_SUFFIX}"


def math_of(doc: Doc) -> Parse | None:
    """The parse of a document, or None where the component has not run."""
    data = doc.user_data.get(NAME)
    return None if data is None else Parse.from_dict(data)


Doc.set_extension("math", getter=math_of, force=True)


class TextMathComponent:
    """Adds the mathematics of its text to a document, as plain data, so that it is saved with the document.

    A text that can't be read (too long, say) gets a parse of kind ``none`` with the reason as its warning.
    """

    def __init__(
        self,
        name: str = NAME,
        model: str = DEFAULT_MODEL,
        top: int = 5,
        min_probability: float | None = None,
        strict: bool = False,
        knowledge: bool | str = True,
    ) -> None:
        self.name = name
        self.model = model
        self.top = top
        self.min_probability = min_probability
        self.strict = strict
        self.knowledge = knowledge  # or the file of your own facts
        self._parser: Parser | None = None

    @property
    def parser(self) -> Parser:
        """The parser, loaded when first needed."""
        if self._parser is None:
            self._parser = self._load(self.model)
        return self._parser

    def _load(self, model: str | Path) -> Parser:
        facts = Knowledge.read(self.knowledge) if isinstance(self.knowledge, str) else self.knowledge
        return load(model, knowledge=facts)

    def __call__(self, doc: Doc) -> Doc:
        """Parse the document's text."""
        try:
            parse = self.parser.parse(
                doc.text, top=self.top, min_probability=self.min_probability, strict=self.strict
            )
        except ValueError as error:
            parse = Parse.nothing(doc.text, str(error), model=self.parser.name)
        doc.user_data[NAME] = parse.to_dict()
        return doc

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Keep the model with the pipeline."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.parser.save(folder / _FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> TextMathComponent:
        """Take the model that was kept."""
        self._parser = self._load(Path(path) / _FILE)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The model as bytes."""
        with TemporaryDirectory() as folder:
            self.to_disk(folder)
            return (Path(folder) / _FILE).read_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> TextMathComponent:
        """Take the model in these bytes."""
        with TemporaryDirectory() as folder:
            (Path(folder) / _FILE).write_bytes(data)
            return self.from_disk(folder)


@Language.factory(
    NAME,
    default_config={
        "model": DEFAULT_MODEL,
        "top": 5,
        "min_probability": None,
        "strict": False,
        "knowledge": True,
    },
    assigns=["doc._.math"],
)
def make(
    nlp: Language,
    name: str,
    model: str,
    top: int,
    min_probability: float | None,
    strict: bool,
    knowledge: bool | str,
) -> TextMathComponent:
    """Make the component for a pipeline."""
    return TextMathComponent(name, model, top, min_probability, strict, knowledge)
