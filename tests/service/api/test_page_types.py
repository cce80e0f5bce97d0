"""The types that pages in ``web/`` use are those of ``openapi.json`` and of the report's data: ``make web-types``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from manyhands.service.api.page_types import REPORT_DATA, describe_page_types

DECLARED = Path(__file__).parents[3] / "web" / "src" / "api" / "schema.d.ts"


def test_each_field_has_its_type_in_the_pages() -> None:
    schemas: dict[str, Any] = describe_page_types()["components"]["schemas"]
    text = DECLARED.read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^        readonly (\w+): \{\n(.*?)^        \};", text, re.DOTALL | re.MULTILINE))
    expected = {name: set(schema["properties"]) for name, schema in schemas.items() if schema.get("properties")}
    declared = {
        name: set(re.findall(r'^            readonly "?([\w$-]+)"?\??:', block, re.MULTILINE))
        for name, block in blocks.items()
    }
    missing = {name: fields - declared.get(name, set()) for name, fields in expected.items()}
    assert {name: fields for name, fields in missing.items() if fields} == {}, "run: make web-types"
    assert {kind.__name__ for kind in REPORT_DATA} <= set(declared)
