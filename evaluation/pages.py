"""Templates of HTML pages: whatever a model or a screen wrote is text in them, never markup."""

from __future__ import annotations

import jinja2


def page_templates(*packages: str) -> jinja2.Environment:
    """Return the templates of the folders ``templates/`` of these packages; of equal names the first one's."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
