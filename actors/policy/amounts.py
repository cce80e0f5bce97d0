"""Find amounts of money in texts, and compare them as numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal

_NUMBER = r"\d{1,3}(?:[ ,.'’]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)*"
_SIGN = r"[$¢£¥\u20a0-\u20cf]"
_CODE = (
    r"\b(?:usd|eur|gbp|cny|rmb|chf|jpy|krw|inr|aud|cad|hkd|twd|ntd|sgd|brl|mxn|sek|nok|dkk|pln|czk|zar|idr|thb|vnd"
    r"|rub|aed|rs|kr|zł|dollars?|euros?|rupees?|yuan)\b"
)
_MONEY = re.compile(rf"(?:{_SIGN}|{_CODE}\.?)\s*(?:{_NUMBER})|(?:{_NUMBER})\s*(?:{_SIGN}|[元块塊円]|{_CODE})")
_TO_AMOUNTS = re.compile(r"\b(?:for|only|just|at|from|now|today|per|a|month|year|week)\b|[/·:-]|仅需?|每[月年周]")
_DECIMALS = re.compile(r"(?<![\d.,])\d+[.,]\d{2}(?![\d.,]*\d)")
_NUMBERS = re.compile(_NUMBER)


def has_money(text: str) -> bool:
    """Return whether a text has an amount with a currency."""
    return _MONEY.search(_plain(text)) is not None


def without_money(text: str) -> str:
    """Return a text without amounts with a currency, and without the words that lead to them."""
    return _TO_AMOUNTS.sub(" ", _MONEY.sub(" ", _plain(text)))


def read_amount(text: str) -> Decimal | None:
    """Return the amount that a text is; None if it is anything else."""
    plain = _plain(text).strip()
    return _value(_NUMBERS.findall(plain)[0]) if _NUMBERS.fullmatch(plain) or _MONEY.fullmatch(plain) else None


def is_greatest(amount: Decimal, texts: Iterable[str]) -> bool:
    """Return whether an amount stands in the texts, and no greater amount of money does."""
    contents = tuple(texts)
    numbers = {_value(number) for text in map(_plain, contents) for number in _NUMBERS.findall(text)}
    greatest = find_greatest(contents)
    return amount in numbers and (greatest is None or greatest <= amount)


def find_greatest(texts: Iterable[str]) -> Decimal | None:
    """Return the greatest amount of money in the texts; None if there is none."""
    return max((amount for text in map(_plain, texts) for amount in _money(text)), default=None)


def _money(text: str) -> Iterable[Decimal]:
    for amount in (*_MONEY.findall(text), *_DECIMALS.findall(text)):
        yield from map(_value, _NUMBERS.findall(amount))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _value(number: str) -> Decimal:
    """Return the value of a number as people write it: ``1,500``, ``1.500,00``, ``12,5``."""
    *groups, last = re.split(r"[ ,.'’]", number)
    if groups and len(last) != 3:
        return Decimal(f"{''.join(groups)}.{last}")
    return Decimal("".join((*groups, last)))
