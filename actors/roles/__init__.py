"""The roles that ask a model: planner, operator, reflector, notetaker, captioner."""

from actors.roles.base import RoleSettings
from actors.roles.captioner import Captioner, CaptionSettings
from actors.roles.notetaker import Notetaker
from actors.roles.operator import Operator
from actors.roles.planner import Planner
from actors.roles.reflector import Reflector

__all__ = ["CaptionSettings", "Captioner", "Notetaker", "Operator", "Planner", "Reflector", "RoleSettings"]
