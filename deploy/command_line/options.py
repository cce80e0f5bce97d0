"""Define command-line options: those that several commands share, and those made from the fields of FleetSettings."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from manyhands.deploy.settings.fleet import FleetSettings, RunOptions
from manyhands.deploy.settings.values import split_list
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role, agent_word, role_of, role_words
from manyhands.protocol.runs.run_cipher import IDENTITY_VARIABLE
from manyhands.protocol.utilities.setting_metadata import Flag, describe_default

TASKS, LIMITS = "Tasks", "Limits"
"""Groups of options in the help, beside those of settings."""
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON value instead of text.", rich_help_panel=RunOptions.panel)
]
Config = Annotated[
    Path | None, typer.Option("--config", envvar="MANYHANDS_CONFIG", help="A YAML file of settings (docs/settings.md).")
]
MaxSteps = Annotated[
    int | None, typer.Option("--max-steps", min=1, help="Steps at most, for every task.", rich_help_panel=LIMITS)
]
Inject = Annotated[
    Path | None,
    typer.Option("--inject", help="A YAML file of hints by task id.", show_default=False, rich_help_panel=TASKS),
]
Report = Annotated[
    bool,
    typer.Option(
        "--report", help="At the end, write the report and print its address.", rich_help_panel=RunOptions.panel
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        help="Write the results to this file, as JUnit XML.",
        show_default=False,
        rich_help_panel=RunOptions.panel,
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option("--repeat", min=1, max=100, help="Carry out each task so often: is it flaky?", rich_help_panel=LIMITS),
]
Group = Annotated[
    int | None,
    typer.Option(
        "--group",
        min=1,
        max=100,
        help="Episodes of each task from one start, for trainers. Sample above temperature 0.",
        rich_help_panel=LIMITS,
    ),
]
GroupEnough = Annotated[
    int | None,
    typer.Option(
        "--group-enough",
        min=1,
        max=100,
        help="Cancel the rest of a group when so many have a reward.",
        rich_help_panel=LIMITS,
    ),
]
Retries = Annotated[
    int | None,
    typer.Option(
        "--retries",
        min=0,
        max=20,
        help="Try a task that did not pass again, so often at most.",
        rich_help_panel=LIMITS,
    ),
]
Identity = Annotated[
    Path | None,
    typer.Option(
        "--identity",
        envvar=IDENTITY_VARIABLE,
        help="The file of your age identity, for encrypted runs (docs/storage.md).",
        show_default=False,
    ),
]
FailedOf = Annotated[
    Path | None,
    typer.Option(
        "--failed-of",
        help="Only the tasks that failed in the run of this folder. If the phone told nothing, a judge says which.",
        show_default=False,
        rich_help_panel=TASKS,
    ),
]


def reads_runs(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``--identity`` to a command that reads run folders.

    Until the command ends, the variable of the same meaning names the file. All that read a run look there, also in
    other processes.
    """

    @functools.wraps(function)
    def with_identity(identity: Path | None, **values: Any) -> None:
        before = os.environ.get(IDENTITY_VARIABLE)
        if identity is not None:
            os.environ[IDENTITY_VARIABLE] = str(identity.expanduser().absolute())
        try:
            function(**values)
        finally:
            os.environ.pop(IDENTITY_VARIABLE, None)
            os.environ.update({} if before is None else {IDENTITY_VARIABLE: before})

    signature = inspect.signature(function, eval_str=True)
    *own, last = (one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature.parameters.values())
    added = inspect.Parameter("identity", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Identity)
    parameters = [*own, added, last]  # --json comes last
    with_identity.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_identity.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    with_identity.rare_options = {"identity"}  # type: ignore[attr-defined]
    return with_identity


def role_option(help: str, among: Sequence[Role] = tuple(Role)) -> Any:
    """Return the option ``--role``. All commands accept the same words: ``planner``, or the key ``plan``."""

    def read(word: str) -> Role:
        try:
            return role_of(word, among)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    words = "|".join(map(agent_word, among))
    help_text = f"{help} Or by its key: {', '.join(among)}."
    return typer.Option("--role", parser=read, metavar=f"[{words}]", help=help_text, show_default=False)


Given = dict[str, Any]
"""The settings that a command line gives, in the nested form of ``load_settings``. Others are left out."""
ReadGiven = Callable[[], Given]
"""Returns the given settings. Raises BadInput for a value that cannot be read."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Describe a field of FleetSettings, or of a model within it, that has a flag."""

    path: tuple[str, ...]
    field: FieldInfo
    flag: Flag
    panel: str
    """The group of options that it belongs to in the help."""

    @property
    def option(self) -> str:
        """Return the flag as it is written, such as ``--adb-port``."""
        return f"--{self.flag.name or self.path[-1].replace('_', '-')}"

    @property
    def name(self) -> str:
        """Return the name of the command's parameter for this setting."""
        return self.option.removeprefix("--").replace("-", "_")

    @property
    def kind(self) -> Any:
        """Return the field's type, without None."""
        types = [kind for kind in get_args(self.field.annotation) if kind is not NoneType]
        return types[0] if NoneType in get_args(self.field.annotation) else self.field.annotation

    @property
    def help(self) -> str:
        """Return the first paragraph of the field's description."""
        first = " ".join((self.field.description or "").split("\n\n")[0].split()).replace("`", "")
        return f"{first} Repeat it, or use commas." if self.several else first

    @property
    def several(self) -> bool:
        """Return whether the flag may be given several times."""
        return get_origin(self.kind) in (tuple, dict)

    def parameter(self, default: Any, otherwise: str = "") -> inspect.Parameter:
        """Return a command's parameter for this setting, as typer reads it. ``default``: this command's own, or None.

        ``otherwise``: what the help shows as default, if that is not the setting's own.
        """
        bounds = {"min": "ge", "max": "le"}
        bounds_of_field = {
            ours: getattr(item, theirs)
            for item in self.field.metadata
            for ours, theirs in bounds.items()
            if hasattr(item, theirs)
        }
        plain = self.kind if self.kind in (int, float, bool, Path) else str
        if otherwise:
            default_text = otherwise
        elif default is None:
            default_text = describe_default(self.field).replace("`", "")
        else:
            default_text = ",".join(default) if isinstance(default, list) else str(default)
        option = typer.Option(
            self.option,
            help=self.help,
            show_default=default_text or False,
            rich_help_panel=self.panel or None,
            autocompletion=self._complete if get_origin(self.kind) is Literal else None,
            **bounds_of_field,
        )
        annotation: Any = (list[str] if self.several else plain) | None
        kind = Annotated[annotation, option]
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)

    def _complete(self, incomplete: str) -> list[str]:
        """Return the allowed values that begin with ``incomplete``, for completion in the shell."""
        return [str(value) for value in get_args(self.kind) if str(value).startswith(incomplete)]

    def read(self, value: Any) -> Any:
        """Turn the value from typer into the value of the setting. Raises BadInput."""
        if not isinstance(value, list | tuple):
            return value
        parts = [part for item in value for part in split_list(item)]
        if get_origin(self.kind) is dict:
            return dict(self._pair(part) for part in parts)
        return [] if parts == [self.flag.nothing] else parts

    def _pair(self, text: str) -> tuple[str, float]:
        role, _, seconds = text.partition("=")
        try:
            return role_of(role).value, float(seconds)
        except ValueError:
            raise BadInput(f"{self.option} {text}: write ROLE=SECONDS with a role of {role_words()}") from None


def settings_of(command: str, model: type[BaseModel] = FleetSettings, at: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Yield the settings that a command has as options."""
    for name, field in model.model_fields.items():
        path = (*at, name)
        panel = getattr(_declaring(model, name), "panel", "")
        for flag in (item for item in field.metadata if isinstance(item, Flag)):
            if command in flag.commands:
                yield Setting(path, field, flag, flag.panel or panel)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from settings_of(command, field.annotation, path)


def _declaring(model: type[BaseModel], name: str) -> type[Any]:
    """Return the class that declares a field: a group of settings, mostly."""
    return next(kind for kind in reversed(model.__mro__) if name in vars(kind).get("__annotations__", {}))


def given_settings(command: str, values: Mapping[str, Any]) -> Given:
    """Return the values of a command's options (by parameter name) as nested settings. Raises BadInput.

    One option may set several settings: ``--seed`` sets the seeds of sampling, of mistakes and of virtual phones.
    """
    nested: Given = {}
    for setting in settings_of(command):
        value = values.get(setting.name)
        if value is not None and value != []:
            part = functools.reduce(lambda under, key: under.setdefault(key, {}), setting.path[:-1], nested)
            part[setting.path[-1]] = setting.read(value)
    return nested


def with_settings(
    command: str,
    *,
    otherwise: str = "",
    without: Collection[str] = (),
    **defaults: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options to a command: one for each setting whose declaration names the command.

    ``defaults``: defaults of this command alone. ``otherwise``: what the help shows as default in place of a setting's
    own. ``without``: the parameters of settings that the command lacks. The command's parameter ``read_settings`` gets
    a function, which returns the settings in nested form and raises BadInput.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        options: dict[str, Setting] = {}
        for setting in settings_of(command):
            if setting.name not in without:
                options.setdefault(setting.name, setting)
        added = [setting.parameter(defaults.get(name), otherwise) for name, setting in options.items()]
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(function, eval_str=True).parameters.values()
            if parameter.name != "read_settings"
        ]

        @functools.wraps(function)
        def with_options(**values: Any) -> None:
            own_values = {name: values.pop(name) for name in options}
            function(**values, read_settings=functools.partial(given_settings, command, own_values))

        parameters = [*own[:-1], *added, own[-1]]  # --json comes last
        with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        rare = {name for name, setting in options.items() if not setting.flag.is_common}
        with_options.rare_options = rare | getattr(function, "rare_options", set())  # type: ignore[attr-defined]
        with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return with_options

    return decorate
