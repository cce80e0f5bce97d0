"""Define the base class of inputs that programs create through the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from manyhands.protocol.base import Input
from manyhands.protocol.errors import BadFields
from manyhands.protocol.utilities.yaml_document import find_problems


class PublicInput(Input):
    """Be written by people in files, and by programs that use the public API.

    A program that creates such an input with a wrong field gets BadFields. The message is the same as for a file with
    this mistake. Validation of files and messages raises pydantic's ValidationError, as with other models.
    """

    if not TYPE_CHECKING:  # with this method, type checkers would not know the fields

        def __init__(self, /, **values: Any) -> None:
            """Take the fields. Raises BadFields with all that is wrong."""
            try:
                super().__init__(**values)
            except ValidationError as error:
                problems = find_problems(error, type(self))
                raise BadFields(type(self).__name__, tuple(problem.said for problem in problems)) from None

        # pydantic's mark of an __init__ that validation need not call for nested models.
        __init__.__pydantic_base_init__ = True
