"""Mobile-Agent-E (section 3.1 of its paper)."""

from typing import Any

from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector, StepRole

ROLES: tuple[type[StepRole[Any, Any, Any]], ...] = (Planner, Operator, Reflector, Notetaker)
"""The roles that its stages ask."""
