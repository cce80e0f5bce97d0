"""Split a shell text into tokens: quotes, backslashes, variables, operators, redirections, comments.

Source: POSIX.1-2017, Shell Command Language, 2.2 Quoting and 2.3 Token Recognition. Here-documents, arithmetic,
``$'...'`` and background jobs, which adb clients do not use, are syntax errors. So they are never misread.
"""

from __future__ import annotations

import re

from manyhands.simulator.shell.language.words import (
    Operator,
    Part,
    Redirect,
    ShellSyntaxError,
    Substitution,
    Text,
    Token,
    Variable,
    Word,
)

MAX_DEPTH = 20
BLANKS = " \t"
OPERATORS = ("&&", "||", ";;", "|", ";", "&", "(", ")", "\n")
REDIRECTIONS = (">>", ">&", ">|", "<&", ">", "<")
SPECIAL_NAMES = "?$#@*0123456789"
WORD_ENDS = frozenset(BLANKS + "\n;&|()<>")
ESCAPABLE_IN_DOUBLE_QUOTES = frozenset('$`"\\\n')


NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Lexer:
    """Split one text into tokens. ``depth``: how many ``$(`` the text stands in."""

    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise ShellSyntaxError("commands nested too deep")
        self._text = text
        self._at = 0
        self._depth = depth

    def tokens(self) -> list[Token]:
        """Return all tokens. Raises ShellSyntaxError."""
        found: list[Token] = []
        while (token := self._next()) is not None:
            found.append(token)
        return found

    def _next(self) -> Token | None:
        self._skip_blanks()
        if self._at >= len(self._text):
            return None
        if (redirect := self._redirect()) is not None:
            return redirect
        for operator in OPERATORS:
            if self._text.startswith(operator, self._at):
                self._at += len(operator)
                return Operator(operator)
        return self._word()

    def _skip_blanks(self) -> None:
        while self._at < len(self._text):
            if self._text[self._at] in BLANKS:
                self._at += 1
            elif self._text.startswith("\\\n", self._at):
                self._at += 2
            elif self._text[self._at] == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            else:
                return

    def _redirect(self) -> Redirect | None:
        start = self._at
        digits = start
        while digits < len(self._text) and self._text[digits] in "0123456789":
            digits += 1
        operator = next((op for op in REDIRECTIONS if self._text.startswith(op, digits)), None)
        if operator is None:
            return None
        if self._text.startswith("<<", digits):
            raise ShellSyntaxError("here-documents are not supported")
        fd = int(self._text[start:digits]) if digits > start else int(operator[0] == ">")
        self._at = digits + len(operator)
        self._skip_blanks()
        if self._at >= len(self._text) or self._text[self._at] in WORD_ENDS:
            raise ShellSyntaxError(f"unexpected {self._unexpected()}")
        return Redirect(fd, operator, self._word())

    def _unexpected(self) -> str:
        return repr(self._text[self._at]) if self._at < len(self._text) else "'newline'"

    # ------------------------------------------------------------------ words
    def _word(self) -> Word:
        parts: list[Part] = []
        plain: list[str] = []

        def flush() -> None:
            if plain:
                parts.append(Text("".join(plain), quoted=False))
                plain.clear()

        while self._at < len(self._text) and (character := self._text[self._at]) not in WORD_ENDS:
            if character == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                self._at += 1 + len(escaped)
                if escaped != "\n":
                    flush()
                    parts.append(Text(escaped or "\\", quoted=True))
            elif character == "'":
                flush()
                parts.append(Text(self._until_quote(), quoted=True))
            elif character == '"':
                flush()
                parts.extend(self._double_quoted())
            elif character in "$`" and (part := self._expansion(quoted=False)) is not None:
                flush()
                parts.append(part)
            else:
                plain.append(character)
                self._at += 1
        flush()
        return Word(tuple(parts))

    def _until_quote(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return text

    def _double_quoted(self) -> list[Part]:
        parts: list[Part] = []
        plain: list[str] = []
        self._at += 1
        while True:
            if self._at >= len(self._text):
                raise ShellSyntaxError("no closing quote")
            character = self._text[self._at]
            if character == '"':
                self._at += 1
                if plain or not parts:
                    parts.append(Text("".join(plain), quoted=True))
                return parts
            if character == "\\" and self._text[self._at + 1 : self._at + 2] in ESCAPABLE_IN_DOUBLE_QUOTES:
                escaped = self._text[self._at + 1]
                plain.append("" if escaped == "\n" else escaped)
                self._at += 2
            elif character in "$`" and (part := self._expansion(quoted=True)) is not None:
                if plain:
                    parts.append(Text("".join(plain), quoted=True))
                    plain.clear()
                parts.append(part)
            else:
                plain.append(character)
                self._at += 1

    # ------------------------------------------------------------------ expansions
    def _expansion(self, *, quoted: bool) -> Part | None:
        """Return the part that begins with ``$`` or a backquote; None if the ``$`` stands for itself."""
        if self._text[self._at] == "`":
            return self._backquoted(quoted)
        after = self._at + 1
        following = self._text[after : after + 1]
        if self._text.startswith("((", after):
            raise ShellSyntaxError("arithmetic is not supported")
        if following == "(":
            return self._substitution(quoted)
        if following == "{":
            return self._braced(quoted)
        if following == "'" and not quoted:
            raise ShellSyntaxError("$'...' is not supported")
        if following and following in SPECIAL_NAMES:
            self._at += 2
            return Variable(following, quoted)
        name = NAME.match(self._text, after)
        if name is None:
            return None
        self._at = name.end()
        return Variable(name.group(), quoted)

    def _braced(self, quoted: bool) -> Variable:
        end = self._text.find("}", self._at)
        name, separator, default = self._text[self._at + 2 : end].partition(":-")
        if end < 0 or not (NAME.fullmatch(name) or (len(name) == 1 and name in SPECIAL_NAMES)):
            raise ShellSyntaxError(f"{self._text[self._at : end + 1 or None]}: bad substitution")
        self._at = end + 1
        return Variable(name, quoted, default if separator else None)

    def _backquoted(self, quoted: bool) -> Substitution:
        end = self._text.find("`", self._at + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        source = self._text[self._at + 1 : end]
        self._at = end + 1
        return Substitution(source, quoted)

    def _substitution(self, quoted: bool) -> Substitution:
        """Find the parenthesis that closes ``$(`` by reading tokens, so that quoted parentheses do not count."""
        inner = Lexer(self._text, self._depth + 1)
        start = inner._at = self._at + 2
        depth = 0
        while True:
            before = inner._at
            token = inner._next()
            if token is None:
                raise ShellSyntaxError("no closing parenthesis")
            if token == Operator("("):
                depth += 1
            elif token == Operator(")"):
                if depth == 0:
                    break
                depth -= 1
        end = self._text.rfind(")", before, inner._at)
        self._at = inner._at
        return Substitution(self._text[start:end], quoted)
