"""The tokens of one expression, as the parsers of its parts take them one after the other."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax.lexer import CLOSING, KEYWORDS, MAX_NESTING, OPENING, Token, shown
from dap_dotnet.evaluation.syntax.positions import SyntaxFault
from dap_dotnet.evaluation.syntax.tree import Cursor, Place

AN_EXPRESSION, AN_OPERATOR = "an expression", "an operator or the end"
_MOST_LEVELS = 2 * MAX_NESTING
_MOST_SHOWN = 60
_CODES = {"a name": "CS1001", "a type": "CS1031", "')'": "CS1026", "'select'": "CS0742"}
_QUERY_WORDS = frozenset({
    "ascending", "by", "descending", "equals", "from", "group", "in", "into", "join", "let", "on", "orderby", "select",
    "where",
})  # fmt: skip


class TokenReader:
    """`current` is the next token; the last one is of the kind "end" and is not taken.

    `level`: how many expressions, operands, types, patterns and statements are being parsed around that token.
    """

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        level: int = 0,
        *,
        is_hole: bool = False,
        is_unfinished: bool = False,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.current = tokens[0]
        self.level = level
        self._is_hole = is_hole
        self.is_in_query = False
        """Whether the words of queries are no names."""
        self.is_in_name_of = False
        """Whether parentheses and `!` are kept, which the argument of nameof cannot have."""
        self.open_conditions = 0
        """How many conditional expressions wait for their colon."""
        self.groups: set[int] = set()
        """The numbers of the parentheses that only group what is in them."""
        self.is_unfinished = is_unfinished
        """Whether the text ends at a cursor: what would follow is not missed."""
        self.cursor: Cursor | None = None
        """The cursor, where it stands for no expression: in a type, or for the name of a member in braces."""
        self._closing: dict[int, int] = {}
        """Of opening brackets by their number the number of the closing ones."""
        open_brackets: list[int] = []
        for number, token in enumerate(tokens):
            if token.text in OPENING:
                open_brackets.append(number)
            elif token.text in CLOSING:
                self._closing[open_brackets.pop()] = number
        self._closing.update(dict.fromkeys(open_brackets, len(tokens) - 1))  # of an unfinished text

    # looking ahead

    def ahead(self, count: int) -> Token:
        """The token behind so many others; the last one where there are no more."""
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def behind_brackets(self, count: int = 0) -> Token:
        """The token behind the bracket that closes the one which opens behind so many tokens."""
        return self.tokens[min(self._closing[self.at + count] + 1, len(self.tokens) - 1)]

    def is_next(self, *texts: str) -> bool:
        """Whether the next tokens have these texts."""
        return all(self.ahead(count).text == text for count, text in enumerate(texts))

    def is_name(self, count: int = 0) -> bool:
        """Whether the token behind so many others may be a name where it stands."""
        kind, text, *_ = self.ahead(count)
        return kind == "word" and text not in KEYWORDS and not (self.is_in_query and text in _QUERY_WORDS)

    # taking

    def take(self) -> Token:
        """The next token, which is then the last one taken."""
        token = self.current
        if token.kind != "end":
            self.move(self.at + 1)
        return token

    def move(self, number: int) -> None:
        """Go to a token: on, or back to what is to be read in another way."""
        self.at = number
        self.current = self.tokens[number]

    @property
    def is_cut(self) -> bool:
        """Whether an unfinished text ends here."""
        return self.is_unfinished and self.current.kind == "end"

    def accept(self, text: str) -> bool:
        """Take the next token if it has this text."""
        if self.current.text != text:
            return False
        self.take()
        return True

    def expect(self, text: str) -> Token:
        """Take the next token, which must have this text."""
        if self.current.text != text and not self.is_cut:
            raise self.fault(f"'{text}'")
        return self.take()

    def name(self) -> str:
        """Take a name: without the @ that lets it be a keyword, and without the quotes of F#."""
        if not self.is_name():
            raise self.fault("a name")
        return self.take().text.removeprefix("@").strip("`")

    def enter(self) -> None:
        """One level deeper. CS8078 for too many; `leave` follows where nothing is wrong."""
        self.level += 1
        if self.level > _MOST_LEVELS:
            raise self.too_deep()

    def leave(self) -> None:
        """One level up again."""
        self.level -= 1

    # places, texts and errors

    @property
    def end(self) -> int:
        """Where the last token ends that was taken."""
        return self.tokens[self.at - 1].end if self.at else 0

    def written(self, first: int) -> str:
        """What the tokens from number `first` on say that were taken: without parentheses around the whole."""
        last = self.at - 1
        while first in self.groups and self._closing[first] == last:
            first, last = first + 1, last - 1
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def place(self) -> Place:
        """Of the next token."""
        return Place(self.current.start, self.current.start)

    def fault(self, expected: str) -> SyntaxFault:
        """The next token is none of what is expected here."""
        token, text = self.current, self.text
        identifier = _CODES.get(expected, "CS1003" if expected.startswith("'") else "CS1525")
        written = token.text or text[token.start : token.start + 1 if self._is_hole else token.start]
        stands = f"unexpected {shown(written)}" if written else "the expression ends"
        if self._is_hole and token.kind == "end" and identifier == "CS1525" and self.tokens[self.at - 1].text != ")":
            identifier = "CS1733"
        return SyntaxFault(f"{stands}; expected {expected}", text, token.start, identifier=identifier)

    def too_deep(self) -> SyntaxFault:
        """CS8078."""
        said = f"the expression nests more than {MAX_NESTING} levels deep"
        return SyntaxFault(said, self.text, 0, identifier="CS8078")

    def diagnostic(self, at: int, key: str, *arguments: object) -> Diagnostic:
        """An error in the compiler's words about what stands behind so many characters."""
        error = Diagnostic(key, *arguments)
        error.trail.append(Place(at, at))
        return error

    def unsupported(self, at: int, said: str) -> EvaluationError:
        """An error in our words about what stands from a place on."""
        error = EvaluationError(f"{said}: '{self.text[at:].strip()[:_MOST_SHOWN]}'")
        error.trail.append(Place(at, at))
        return error
