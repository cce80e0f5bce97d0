"""What documents name exists: files, links, targets of make, commands, classes, functions, settings."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.roles.role import Role
from manyhands.protocol.service.events import EventKind

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "protocol",
    "actors",
    "deploy",
    "service",
    "benchmarks",
    "simulator",
    "evaluation",
    "rollouts",
    "training",
    "manyhands",
    "tests",
)
PAGES = [
    *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
TOP = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
MADE = {"runs", "build"}
"""Folders that are not in the checkout."""

_CODE = re.compile(r"`([^`\n]+)`")
_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"[\w./-]+\.(?:py|md|ya?ml|jinja|js|onnx|txt|json)|[\w.-]+(?:/[\w.-]+)*/")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_ROW = re.compile(r"^\| `(?P<path>[\w/]+\.py)` \| (?P<names>(?:`[\w.]+`(?:, )?)+) \|", re.MULTILINE)
"""A row of a table that names a file and what is in it."""
_MEMBER = re.compile(r"([A-Z]\w*[a-z]\w*)\.(\w+)(?:\(.*\))?")
_CLASS = re.compile(r"((?:[A-Z][a-z0-9]+){2,})")
_FUNCTION = re.compile(r"([a-z_]+)\(.*\)")
FOREIGN = {"SurfaceFlinger", "service.db"}
"""A name of Android's, and a file that is called as a module might be."""
_MODULE = re.compile(rf"(?:manyhands\.)?((?:{'|'.join(PACKAGES[:-2])})(?:\.\w+)+)(?:\(.*\))?")
_DOTTED = re.compile(rf"(?<![\w./-])(?:manyhands\.)?((?:{'|'.join((*PACKAGES[:-2], 'tests'))})(?:\.\w+)+)(?![\w/])")
_BARE = re.compile(r"(?<![\w./-])(?:\w+/)*\w+\.py\b")
_SLASHED = re.compile(rf"(?<![\w./-])(?:manyhands/)?((?:{'|'.join((*PACKAGES[:-2], 'tests'))})/\w(?:[\w./-]*\w)?)/?")


@cache
def tracked() -> frozenset[str]:
    """Return the files and folders of the checkout, with a slash behind the folders."""
    found = set[str]()
    for package in (*PACKAGES, "docs"):
        for path in (ROOT / package).rglob("*"):
            if "__pycache__" not in path.parts and "node_modules" not in path.parts:
                found.add(path.relative_to(ROOT).as_posix() + "/" * path.is_dir())
    return frozenset(found | {path.name for path in ROOT.iterdir() if path.is_file()} | {f"{name}/" for name in TOP})


@cache
def names_in(path: str) -> frozenset[str]:
    """Return what a module defines: functions, classes, constants, and with their class's name its members."""
    if path not in tracked():
        return frozenset()
    return frozenset(_defined(ast.parse((ROOT / path).read_text(encoding="utf-8")).body, ""))


def _defined(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield prefix + name
                yield from _defined(node.body, f"{prefix}{name}.")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield prefix + name
                if prefix:
                    yield from (prefix + target for target in _own_attributes(node))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name
            case ast.Assign(targets=targets):
                yield from (
                    prefix + one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)
                )
            case ast.Try(body=inner) | ast.If(body=inner):
                yield from _defined(inner, prefix)


def _own_attributes(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name


@cache
def members() -> dict[str, frozenset[str]]:
    """Return the members of each class, by its name; of classes with the same name and of their bases, all of them."""
    own: defaultdict[str, set[str]] = defaultdict(set)
    bases: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(tracked()):
        if path.endswith(".py") and not path.startswith("tests/"):
            for name in names_in(path):
                outer, _, member = name.rpartition(".")
                own[outer.rpartition(".")[2]].add(member)
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    own[node.name].update(())
                    bases[node.name] |= {
                        one.id for base in node.bases for one in ast.walk(base) if isinstance(one, ast.Name)
                    }
    return {name: frozenset().union(*(own[kind] for kind in _with_bases(name, bases))) for name in bases}


@cache
def names() -> frozenset[str]:
    """Return every name that some module defines, without its class's."""
    paths = (path for path in tracked() if path.endswith(".py"))
    return frozenset(name.rpartition(".")[2] for path in paths for name in names_in(path))


def _with_bases(name: str, bases: dict[str, set[str]]) -> set[str]:
    found, open_ones = set[str](), [name]
    while open_ones:
        kind = open_ones.pop()
        if kind not in found:
            found.add(kind)
            open_ones += bases.get(kind, ())
    return found


def code_in(page: Path) -> list[str]:
    return _CODE.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+)$", _BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_page_names_exist(page: Path) -> None:
    """A name that begins with a folder of the checkout is a path; another one is the end of a path."""
    missing = set[str]()
    for token in code_in(page):
        if not _FILE.fullmatch(token) or token.split("/")[0] in MADE:
            continue
        if token.split("/")[0] in TOP and "/" in token:
            if token not in tracked():
                missing.add(token)
        elif token.endswith(".py") and not any(f"/{path}".endswith(f"/{token}") for path in tracked()):
            missing.add(token)
    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    missing = set[str]()
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in link:
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                missing.add(link)
    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_classes_and_functions_that_a_page_names_exist(page: Path) -> None:
    missing = {token for token in code_in(page) if not exists(token)}
    for row in _ROW.finditer(page.read_text(encoding="utf-8")):
        absent = set(_CODE.findall(row["names"])) - names_in(row["path"])
        missing |= {f"{row['path']}: {name}" for name in absent}
    assert missing - FOREIGN == set()


def exists(token: str) -> bool:
    """Return whether a name is there, if it has the looks of a class, its member, a function or a module of ours."""
    if found := _MEMBER.fullmatch(token):
        return found[2] in members().get(found[1], frozenset())
    if found := _MODULE.fullmatch(token):
        return _module_has(found[1])
    if found := _CLASS.fullmatch(token) or _FUNCTION.fullmatch(token):
        return found[1] in names()
    return True


@cache
def _module_has(name: str) -> bool:
    """Return whether a dotted name is a module, a package, a folder, or what a module defines or imports."""
    parts = name.split(".")
    if f"{'/'.join(parts)}/" in tracked():
        return True
    for count in range(len(parts), 0, -1):
        stem, rest = "/".join(parts[:count]), ".".join(parts[count:])
        for path in (f"{stem}.py", f"{stem}/__init__.py"):
            if path in tracked():
                return not rest or rest in names_in(path) or rest in imported_by(path)
    return False


@cache
def imported_by(path: str) -> frozenset[str]:
    """Return the names that a module imports."""
    nodes = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(alias.asname or alias.name for node in imports for alias in node.names)


def prose_in(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a module, those of classes, functions and fields too."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def absent_modules(text: str) -> set[str]:
    """Return the dotted and slashed paths into our packages that a text names and the checkout lacks."""
    dotted = {match[1] for match in _DOTTED.finditer(text) if not _FILE.fullmatch(match[1])}
    slashed = {match[1] for match in _SLASHED.finditer(text)}
    return {name for name in dotted - FOREIGN if not _module_has(name)} | {
        path for path in slashed if not {path, f"{path}/", f"{path}.py"} & tracked()
    }


def settings_of(model: type[BaseModel], at: str) -> Iterator[str]:
    """Yield the settings under ``at``, with all that is under them."""
    for name, field in model.model_fields.items():
        yield f"{at}{name}"
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from settings_of(kind, f"{at}{name}.")


def test_settings_that_pages_name_exist() -> None:
    """A dotted name that begins with a setting of a run is one."""
    known = {*settings_of(FleetSettings, ""), *settings_of(PerceptionSettings, "perception.")}
    known |= {f"models.{role}" for role in Role}
    groups = {name.partition(".")[0] for name in known if "." in name}
    dotted = re.compile(rf"(?:{'|'.join(groups)})(?:\.[a-z_]+)+")
    named = {
        token for page in PAGES for token in code_in(page) if dotted.fullmatch(token) and not _FILE.fullmatch(token)
    }
    assert len(named) > 10
    assert named - known - {*EventKind} == set(), "the events of a service begin so, too"


def test_targets_of_make_and_commands_that_pages_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    cli = (ROOT / "deploy/command_line/cli.py").read_text(encoding="utf-8")
    missing = set[str]()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        missing |= {f"make {name}" for name in re.findall(r"(?:`|^ {4}|^\$ )make ([a-z-]+)", text, re.MULTILINE)} - {
            f"make {name}" for name in targets
        }
        commands = re.findall(r"(?:`|^ {4}|^\$ |bin/)manyhands ([a-z-]+)", text, re.MULTILINE)
        missing |= {f"manyhands {name}" for name in commands if f'"{name}"' not in cli}
    assert missing == set()


def test_pages_and_modules_that_the_code_names_exist() -> None:
    """Comments and docstrings name pages of docs/ and files of the checkout."""
    named = re.compile(rf"(?:docs/[\w/-]+\.md|(?<![\w./-])(?:{'|'.join(PACKAGES[:-1])})/[\w/]+\.py)\b")
    missing = {
        f"{path}: {name}"
        for path in tracked()
        if path.endswith(".py") and not path.startswith("tests/")
        for name in named.findall((ROOT / path).read_text(encoding="utf-8"))
        if name not in tracked()
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("See ``actors.episode.episode`` and actors/episode/episode.py, ``actors.interfaces.Gateway``.", set()),
        ("``manyhands.protocol.roles.replies`` is in ``protocol/roles``.", set()),
        ("# as in actors.x.y", {"actors.x.y"}),
        ("``actors/x/y.py``, ``actors/x/``", {"actors/x/y.py", "actors/x"}),
        ("``actors.interfaces.Nothing``", {"actors.interfaces.Nothing"}),
        ("``manyhands.protocol.gone``", {"protocol.gone"}),
    ],
)
def test_absent_modules_are_found_by_dots_and_by_slashes(text: str, absent: set[str]) -> None:
    assert absent_modules(text) == absent


@cache
def sources() -> dict[str, str]:
    """Return our modules by their path, without tests."""
    ours = (path for path in tracked() if path.endswith(".py") and not path.startswith("tests/"))
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in ours}


def test_modules_that_docstrings_and_comments_name_exist() -> None:
    assert {
        f"{path}: {name}"
        for path, source in sources().items()
        if absent_modules(source)  # few have any: the rest need not be parsed
        for text in prose_in(source)
        for name in absent_modules(text)
    } == set()


def test_files_that_docstrings_and_comments_name_exist() -> None:
    """A name of a Python file is the end of a path. ``rollouts/formats`` cites files of other projects."""
    ends = {path.split("/", start)[-1] for path in tracked() for start in range(path.count("/") + 1)}
    missing = {path: set(_BARE.findall(source)) - ends for path, source in sources().items()}
    assert {
        f"{path}: {name}"
        for path, names in missing.items()
        if names and not path.startswith("rollouts/formats/")
        for text in prose_in(sources()[path])
        for name in names & set(_BARE.findall(text))
    } == set()


def test_paths_of_the_service_are_written_whole() -> None:
    words = "batches|tasks|episodes|session|events|wall|attention|figures|audit|schedules|webhooks|tokens|phones"
    short = re.compile(rf"(?:GET|POST|PUT|PATCH|DELETE) /(?:{words})\b")
    assert {path.name: short.findall(path.read_text(encoding="utf-8")) for path in PAGES} == {
        path.name: [] for path in PAGES
    }
