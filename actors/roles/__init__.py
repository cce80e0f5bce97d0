"""The roles that ask a model: planner, operator, reflector, notetaker, captioner."""

from manyhands.actors.roles.base import RoleSettings
from manyhands.actors.roles.captioner import Captioner, CaptionSettings
from manyhands.actors.roles.notetaker import Notetaker
from manyhands.actors.roles.operator import Operator
from manyhands.actors.roles.planner import Planner
from manyhands.actors.roles.reflector import Reflector

__all__ = ["CaptionSettings", "Captioner", "Notetaker", "Operator", "Planner", "Reflector", "RoleSettings"]
