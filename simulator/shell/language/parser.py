"""Parse a shell text: lists of pipelines of commands.

    script    : and_or (separator and_or)*          separator: ``;`` or a newline
    and_or    : pipeline (('&&' | '||') pipeline)*
    pipeline  : ['!'] command ('|' command)*
    command   : (assignment | redirection | word)+  |  '(' script ')'  |  '{' script '}'  |  if, with redirections
    if        : 'if' script 'then' script ('elif' script 'then' script)* ['else' script] 'fi'

The whole text is parsed before anything is executed, so that a line with a syntax error does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.simulator.shell.language.lexer import MAX_DEPTH, NAME, Lexer
from manyhands.simulator.shell.language.words import (
    Operator,
    Redirect,
    ShellSyntaxError,
    Substitution,
    Text,
    Token,
    Word,
)

MAX_TEXT = 128 << 10
"""In characters. On a real phone, too, no argument of a program is longer, such as the line of ``sh -c``."""
COMPOUND = frozenset(
    ("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "select")
)


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """Hold a command with its words, or assignments without a command."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Hold ``( script )``, which runs in a subshell with a copy of the variables, or ``{ script }``."""

    script: Script
    subshell: bool
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Hold ``if``: pairs of a condition and what runs if it holds, and what runs if none does (maybe nothing)."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script
    redirects: tuple[Redirect, ...]


Node = Simple | Group | Choice


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple[Node, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class AndOr:
    """Hold the first pipeline, then pairs of an operator (``&&`` or ``||``) and a pipeline."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...]


@dataclass(frozen=True, slots=True)
class Script:
    items: tuple[AndOr, ...]


def parse(text: str, depth: int = 0) -> Script:
    """Parse a whole text. Raises ShellSyntaxError."""
    if len(text) > MAX_TEXT:
        raise ShellSyntaxError("line too long")
    tokens = Lexer(text, depth).tokens()
    for token in tokens:
        word = token.target if isinstance(token, Redirect) else token
        for part in word.parts if isinstance(word, Word) else ():
            if isinstance(part, Substitution):
                parse(part.source, depth + 1)  # so that a syntax error in it is found before anything is executed
    return _Parser(tokens).whole()


def split_assignment(word: Word) -> Assignment | None:
    """Return a word as an assignment; None unless it is ``NAME=value`` with the name and the ``=`` unquoted."""
    first = word.parts[0]
    if not isinstance(first, Text) or first.quoted:
        return None
    name, equals, value = first.text.partition("=")
    if not equals or NAME.fullmatch(name) is None:
        return None
    rest = (Text(value, quoted=False), *word.parts[1:]) if value else word.parts[1:]
    return Assignment(name, Word(rest))


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Script:
        script = self._script()
        if self._at < len(self._tokens):
            raise self._unexpected()
        return script

    # ------------------------------------------------------------------ helpers
    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _accept(self, *operators: str) -> str | None:
        token = self._peek()
        if isinstance(token, Operator) and token.text in operators:
            self._at += 1
            return token.text
        return None

    def _accept_word(self, text: str) -> bool:
        token = self._peek()
        if isinstance(token, Word) and token.plain == text:
            self._at += 1
            return True
        return False

    def _unexpected(self) -> ShellSyntaxError:
        token = self._peek()
        if token is None:
            return ShellSyntaxError("unexpected end of line")
        if isinstance(token, Operator):
            if token.text == "&":
                return ShellSyntaxError("background jobs ('&') are not supported")
            shown = "newline" if token.text == "\n" else token.text
        else:
            shown = token.operator if isinstance(token, Redirect) else token.plain or "word"
        return ShellSyntaxError(f"unexpected '{shown}'")

    # ------------------------------------------------------------------ grammar
    def _script(self, *closing: str) -> Script:
        """Parse up to one of the closing operators or words; to the end of the text if there is none."""
        items: list[AndOr] = []
        while self._accept("\n"):
            pass
        while not self._at_end(*closing):
            items.append(self._and_or())
            if self._accept(";", "\n") is None and not self._at_end(*closing):
                raise self._unexpected()
            while self._accept("\n"):
                pass
        return Script(tuple(items))

    def _at_end(self, *closing: str) -> bool:
        token = self._peek()
        if token is None:
            return True
        return (token.plain if isinstance(token, Word) else getattr(token, "text", None)) in closing

    def _and_or(self) -> AndOr:
        first = self._pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while (operator := self._accept("&&", "||")) is not None:
            while self._accept("\n"):
                pass
            rest.append((operator, self._pipeline()))
        return AndOr(first, tuple(rest))

    def _pipeline(self) -> Pipeline:
        negated = self._accept_word("!")
        commands = [self._command()]
        while self._accept("|"):
            while self._accept("\n"):
                pass
            commands.append(self._command())
        return Pipeline(tuple(commands), negated)

    def _command(self) -> Node:
        if self._accept("("):
            return self._group(")", subshell=True)
        if self._accept_word("{"):
            return self._group("}", subshell=False)
        if self._accept_word("if"):
            return self._choice()
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while isinstance(token := self._peek(), Word | Redirect):
            self._at += 1
            if isinstance(token, Redirect):
                redirects.append(token)
            elif not words and (assignment := split_assignment(token)) is not None:
                assignments.append(assignment)
            else:
                words.append(token)
        if words and words[0].plain in COMPOUND:
            raise ShellSyntaxError(f"'{words[0].plain}' is not supported")
        if not (assignments or words or redirects) or self._peek() == Operator("("):
            raise self._unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _group(self, closing: str, *, subshell: bool) -> Group:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ShellSyntaxError("commands nested too deep")
        script = self._script(closing)
        if not script.items or not (self._accept(closing) or self._accept_word(closing)):
            raise self._unexpected()
        self._depth -= 1
        return Group(script, subshell, self._redirects())

    def _choice(self) -> Choice:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ShellSyntaxError("commands nested too deep")
        branches, otherwise = [], Script(())
        while True:
            condition = self._part("then")
            branches.append((condition, self._part("elif", "else", "fi", keep=True)))
            if not self._accept_word("elif"):
                break
        if self._accept_word("else"):
            otherwise = self._part("fi", keep=True)
        if not self._accept_word("fi"):
            raise self._unexpected()
        self._depth -= 1
        return Choice(tuple(branches), otherwise, self._redirects())

    def _part(self, *closing: str, keep: bool = False) -> Script:
        """Parse a part of ``if``, which is not empty, up to a closing word. ``keep``: the word is still to be read."""
        script = self._script(*closing)
        if not script.items or not (keep or self._accept_word(closing[0])):
            raise self._unexpected()
        return script

    def _redirects(self) -> tuple[Redirect, ...]:
        redirects: list[Redirect] = []
        while isinstance(token := self._peek(), Redirect):
            self._at += 1
            redirects.append(token)
        return tuple(redirects)
