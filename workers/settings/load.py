"""``config/*.yaml`` -> `Settings`. Every mistake is named with its file and key, and all of them at once.

Layers, later wins key by key: ``config/`` of the project, ``ORACLE_HOME/config``, the folder ``ORACLE_CONFIG``, the
command line. ``${NAME}`` and ``${NAME:-default}`` are replaced from the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import yaml
from pydantic import ValidationError

from workers.contracts import Role
from workers.errors import ConfigError
from workers.settings.entry_points import MODULE
from workers.settings.families import Family, add_families, find_families, leave_out
from workers.settings.mistakes import Place, describe_errors, describe_unreadable, place_of, suggest
from workers.settings.remote_addresses import read_remote_address, read_site_address
from workers.settings.schema import ANTHROPIC, Core, DocumentSource, RepositorySource, Section, Tree
from workers.settings.section_models import known_keys, sections_model
from workers.settings.slices import own_sections

ROOT = Path(__file__).resolve().parents[2]
COMMAND_LINE = "command line"
"""The origin of what no file says."""
PATTERNS = "patterns"
FILES = ("oracle", "tools", "agents", PATTERNS, "models", "access")
ENV = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
LIBRARY = "litellm"
"""Speaks to the models of every provider but Anthropic."""
MAX_BYTES = 1_000_000
MAX_NESTING = 50
TEXT = "tag:yaml.org,2002:str"
S = TypeVar("S", bound=Section)
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C, ten times as fast, where libyaml is there


@dataclass(frozen=True)
class Settings:
    """Checked configuration.

    ``origin`` maps a dotted key to where its value came from. ``families``: the installed packages that bring agents,
    tools or settings, those that are left out too. ``shown``: the sources that exist for whom these settings were
    narrowed, as ``KIND:NAME``; all when None.
    """

    home: Path
    tree: Tree
    origin: Mapping[str, str] = field(default_factory=dict)
    families: tuple[Family, ...] = ()
    shown: frozenset[str] | None = None

    def shows(self, source: str) -> bool:
        """Whether a source, ``KIND:NAME``, exists for whom these settings are."""
        return self.shown is None or source in self.shown

    @property
    def core(self) -> Core:
        """``config/oracle.yaml``."""
        return self.tree.oracle

    @property
    def default_agent(self) -> str:
        """The agent that answers what no other one claims: the first when none is configured."""
        return self.core.default_agent or next(iter(self.tree.agents), "")

    @property
    def database_url(self) -> str:
        """SQLAlchemy address; SQLite under ORACLE_HOME when none is configured."""
        return self.core.database_url or f"sqlite:///{self.home / 'oracle.db'}"

    def section(self, model: type[S]) -> S:
        """The section of ``oracle.yaml`` that a family brings. Raises: ConfigError: none brings it."""
        for found in self.tree.sections.values():
            if type(found) is model:
                return found
        raise ConfigError(f"oracle.settings: no installed package names {model.__module__}:{model.__qualname__}")

    def tools_of(self, names: Iterable[str]) -> tuple[str, ...]:
        """Tools by the names in an agent's entry: a server's stands for all its tools, one that is off for none."""
        entries = self.tree.tools
        off = {own for n, entry in entries.items() if not entry.on for own in (n, *entry.names(n))}
        found = (own for n in names if n not in off for own in (entries[n].names(n) if n in entries else (n,)))
        return tuple(dict.fromkeys(found))

    def where(self, key: str) -> str:
        """File and line (or variable) that set a dotted key, or its closest parent."""
        while key:
            if key in self.origin:
                return self.origin[key]
            key = key.rpartition(".")[0]
        return "default"


@lru_cache(maxsize=32)  # a run of evals reads the same files for each of its cases; nobody changes a node
def compose(raw: str) -> yaml.Node | None:
    """A YAML text as nodes; the events are read first, for aliases can stand for themselves or for millions of values.

    Raises:
        yaml.YAMLError: it is not YAML, or has an alias.
        RecursionError: it is nested deeper than `MAX_NESTING`.
    """
    depth = 0
    for event in yaml.parse(raw, Loader=LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_NESTING:
            raise RecursionError
        if isinstance(event, yaml.AliasEvent):
            mark: Any = event.start_mark  # the C parser has its own class of marks
            raise yaml.composer.ComposerError(problem="aliases (*name) are not used here", problem_mark=mark)
    return yaml.compose(raw, Loader=LOADER)


def oracle_home() -> Path:
    """ORACLE_HOME, ``.oracle`` by default."""
    return Path(os.environ.get("ORACLE_HOME", ".oracle")).resolve()


def load_settings(overrides: Mapping[str, Any] | None = None, *, home: Path | None = None) -> Settings:
    """Read all layers.

    Args:
        overrides: dotted key -> value from the command line.
        home: ORACLE_HOME, from the environment when not given.

    Raises:
        ConfigError: with one sentence a mistake.
    """
    base = home or oracle_home()
    layers = [ROOT / "config", base / "config"]
    extra = os.environ.get("ORACLE_CONFIG")
    problems: list[str] = []
    if extra:
        folder = Path(extra).resolve()
        if not folder.is_dir():
            problems.append(f"ORACLE_CONFIG: {extra} is not a folder")
        layers.append(folder)
    merged: dict[str, Any] = {}
    origin: dict[str, str] = {}
    families = find_families(read_layer)
    for number, folder in enumerate(layers):
        for name in FILES:
            if name != PATTERNS:
                merge(merged, {name: read_layer(folder / f"{name}.yaml", name, origin, problems)})
        if number == 0:
            problems.extend(add_families(merged, origin, families))
    leave_out(merged, families)
    merged[PATTERNS] = read_patterns(merged, layers, origin, problems)
    for key, value in (overrides or {}).items():
        put(merged, key.split("."), value)
        origin[key] = COMMAND_LINE
    problems.extend(unknown_files(layers))
    failures = [f"{family.package} is {family.line}" for family in families if family.failure]
    if problems:
        raise ConfigError(*problems, *failures)
    place = partial(place_of, origin=origin)
    own = read_own_sections(merged["oracle"], place, problems)
    merged["sections"] = own | read_sections(merged["oracle"], place, families, problems)
    try:
        tree = Tree.model_validate(merged)
    except ValidationError as error:
        told = describe_errors(error.errors(), known_keys(), "", place, merged)
        raise ConfigError(*problems, *told, *failures) from error
    settings = Settings(home=base, tree=tree, origin=origin, families=families)
    mistakes = [*problems, *cross_check(settings)]
    if mistakes:
        raise ConfigError(*mistakes, *failures)
    return settings


def read_own_sections(oracle: dict[str, Any], place: Place, problems: list[str]) -> dict[str, Any]:
    """Take the sections of this project's slices out of ``oracle.yaml``, checked; none when one is wrong."""
    values, model = {name: oracle.pop(name) for name in own_sections() if name in oracle}, sections_model()
    try:
        found = model.model_validate(values)
    except ValidationError as error:
        problems.extend(describe_errors(error.errors(), model, "oracle", place, {"oracle": values}))
        return {}
    return {name: getattr(found, name) for name in own_sections()}


def read_sections(
    oracle: dict[str, Any], place: Place, families: tuple[Family, ...], problems: list[str]
) -> dict[str, Section]:
    """Take the sections of installed packages out of ``oracle.yaml``, each checked by its model."""
    found: dict[str, Section] = {}
    for name, model in (item for family in families for item in family.sections.items()):
        values = oracle.pop(name, None)
        try:
            found[name] = model.model_validate({} if values is None else values)
        except ValidationError as error:
            problems.extend(describe_errors(error.errors(), model, f"oracle.{name}", place, values or {}))
    return found


def read_patterns(
    merged: Mapping[str, Any], layers: list[Path], origin: dict[str, str], problems: list[str]
) -> dict[str, Any]:
    """The known plans: ``patterns.yaml`` beside each agent's module, overlaid by those of the layers.

    One that names no agent is that of its module's, in a layer that of the default agent.
    """
    patterns: dict[str, Any] = {}
    agents = merged["agents"]
    owners: dict[str, str] = {}
    for name, entry in agents.items():
        owners.setdefault(str(entry.get("module")) if isinstance(entry, dict) else "", name)
    for module, agent in owners.items():
        folder = find_package(module)
        own = read_layer(folder / "patterns.yaml", PATTERNS, origin, problems) if folder else {}
        for name, pattern in own.items():
            if name in patterns:
                problems.append(f"{origin[f'{PATTERNS}.{name}']}: another agent has a pattern named {name!r} too")
            patterns[name] = {"agent": agent, **pattern} if isinstance(pattern, dict) else pattern
    for folder in layers:
        merge(patterns, read_layer(folder / f"{PATTERNS}.yaml", PATTERNS, origin, problems))
    default = merged["oracle"].get("default_agent") or next(iter(agents), "")
    return {n: {"agent": default, **p} if isinstance(p, dict) else p for n, p in patterns.items()}


def find_package(module: str) -> Path | None:
    """The folder of a Python package, which is not imported for that, nor one above it; None: there is no such one."""
    top, *below = module.split(".") if MODULE.fullmatch(module) else ("",)
    try:
        found = find_spec(top) if top else None
    except ValueError:  # a program's own module
        return None
    places = (found.submodule_search_locations or ()) if found else ()
    return next((folder for place in places if (folder := Path(place, *below)).is_dir()), None)


def unknown_files(layers: list[Path]) -> list[str]:
    """A misspelled file name would otherwise be ignored silently."""
    found = (p for folder in layers if folder.is_dir() for p in sorted(folder.glob("*.y*ml")))
    return [
        f"{shown_path(p)}: unknown file; known are {', '.join(f'{n}.yaml' for n in FILES)}"
        for p in found
        if p.name not in {f"{n}.yaml" for n in FILES}
    ]


def shown_path(path: Path) -> str:
    """A path as a person would type it from here."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def shipped_places() -> str:
    """What the place of every value begins with that comes from the files of this project."""
    return f"{shown_path(ROOT / 'config')}{os.sep}"


def read_layer(path: Path, name: str, origin: dict[str, str], problems: list[str]) -> dict[str, Any]:
    """One file as a dictionary, each key's file and line noted in ``origin``."""
    if not path.is_file():
        return {}
    try:
        raw = path.read_text(encoding="utf-8")
        if len(raw) > MAX_BYTES:
            problems.append(f"{shown_path(path)}: larger than {MAX_BYTES:,} characters")
            return {}
        node = compose(raw)
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{shown_path(path)}: cannot be read ({error})")
        return {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problems.append(f"{shown_path(path)}{line}: not YAML ({describe_unreadable(error, raw)})")
        return {}
    except RecursionError:
        problems.append(f"{shown_path(path)}: nested too deeply")
        return {}
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        problems.append(f"{shown_path(path)}: must be a mapping of keys")
        return {}
    loader = yaml.SafeLoader("")
    return cast("dict[str, Any]", walk(node, name, shown_path(path), loader, origin, problems))


def walk(
    node: yaml.Node, key: str, file: str, loader: yaml.SafeLoader, origin: dict[str, str], problems: list[str]
) -> Any:
    """Build plain values from a YAML node, expanding variables and noting origins."""
    if isinstance(node, yaml.MappingNode):
        out: dict[str, Any] = {}
        for k, v in node.value:
            label, line = str(k.value), f"{file}:{k.start_mark.line + 1}"
            inner = f"{key}.{label}"
            if label in out:
                first = next(one.start_mark.line + 1 for one, _ in node.value if str(one.value) == label)
                problems.append(f"{line}: {inner} stands twice, first in line {first}: delete one of them")
            out[label] = walk(v, inner, file, loader, origin, problems)
            origin[inner] = f"{line}{variable_of(v)}"
        return out
    if isinstance(node, yaml.SequenceNode):
        for i, v in enumerate(node.value):
            origin[f"{key}.{i}"] = f"{file}:{v.start_mark.line + 1}"
        return [walk(v, f"{key}.{i}", file, loader, origin, problems) for i, v in enumerate(node.value)]
    if isinstance(node, yaml.ScalarNode) and "${" in node.value:
        return expand(node.value, f"{file}:{node.start_mark.line + 1}: {key}", problems)
    if node.tag == TEXT:
        return node.value
    try:
        return loader.construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        place = f"{file}:{node.start_mark.line + 1}"
        problems.append(f"{place}: {key}: cannot be read ({getattr(error, 'problem', None) or error})")
        return None


def variable_of(node: yaml.Node) -> str:
    """The variable that a value is taken from, in brackets, where the environment has it."""
    found = ENV.fullmatch(node.value) if isinstance(node, yaml.ScalarNode) else None
    return f" ({found[1]})" if found and os.environ.get(found[1]) else ""


def expand(text: str, place: str, problems: list[str]) -> Any:
    """Replace ``${NAME}``; a value that is nothing but one variable is read as YAML, so numbers stay numbers."""

    def one(match: re.Match[str]) -> str:
        name, default = match.groups()
        value = os.environ.get(name) or default
        if value is None:
            problems.append(f"{place}: environment variable {name} is not set: set it, or write ${{{name}:-}}")
            return ""
        return value

    result = ENV.sub(one, text)
    if ENV.fullmatch(text) and re.fullmatch(r"-?\d+(\.\d+)?|true|false", result):
        return yaml.safe_load(result)
    return result


def merge(into: dict[str, Any], layer: Mapping[str, Any]) -> None:
    """Overlay key by key; lists and scalars are replaced whole."""
    for key, value in layer.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


def put(tree: dict[str, Any], path: list[str], value: Any) -> None:
    """Set a dotted key."""
    for part in path[:-1]:
        tree = tree.setdefault(part, {})
    tree[path[-1]] = value


def is_zone(name: str) -> bool:
    """Whether a zone of that name exists."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def cross_check(settings: Settings) -> list[str]:
    """References between the files: agents name tools."""
    tree, out = settings.tree, []
    worker = tree.oracle.worker
    if worker.lease_s < 3 * worker.heartbeat_s:
        place = settings.where("oracle.worker.lease_s")
        out.append(
            f"{place}: worker.lease_s: {worker.lease_s:g} is less than three heartbeats ({worker.heartbeat_s:g} s)"
        )
    out.extend(check_installation(settings))
    out.extend(check_sources(settings))
    out.extend(check_served(settings))
    out.extend(check_agents(settings))
    out.extend(check_access(settings))
    zone = tree.oracle.timezone
    if zone != "auto" and not is_zone(zone):
        near = suggest(zone, available_timezones())
        out.append(
            f"{settings.where('oracle.timezone')}: timezone: {zone!r} is not an IANA name such as Europe/Berlin{near}"
        )
    return [*out, *check_models(settings)]


def check_access(settings: Settings) -> list[str]:
    """Where several workspaces install the app, an id alone may be that of another one's person, group or channel."""
    if not settings.core.slack.client_id:
        return []
    return [
        f"{settings.where(f'access.rules.{i}')}: rules.{i}.who: {term!r}: write T…/{term.partition(':')[2]}, as several"
        " workspaces may install the app"
        for i, rule in enumerate(settings.tree.access.rules or ())
        for term in rule.who
        if term.partition(":")[0] in {"person", "group", "channel"} and "/" not in term
    ]


def check_agents(settings: Settings) -> list[str]:
    """Tools, agents and tasks that are named exist, and are one's own."""
    tree, out = settings.tree, list[str]()
    tools = {own for n, t in tree.tools.items() if t.enabled for own in (n, *t.names(n))}
    lacking: dict[str, list[str]] = {}
    for name, agent in tree.agents.items():
        for i, tool in enumerate(agent.tools):
            if tool not in tools:
                lacking.setdefault(tool, []).append(f"agents.{name}.tools.{i}")
    out.extend(describe_lack(settings, tool, keys, tools) for tool, keys in lacking.items())
    for name, entry in tree.tools.items():
        for i, agent_name in enumerate(entry.agents):
            if agent_name not in tree.agents:
                place = settings.where(f"tools.{name}.agents.{i}")
                near = suggest(agent_name, tree.agents)
                out.append(f"{place}: {name}.agents: no agent named {agent_name!r} in agents.yaml{near}")
    tasks = [agent.task for agent in tree.agents.values()]
    for name, agent in tree.agents.items():
        if tasks.count(agent.task) > 1:
            out.append(
                f"{settings.where(f'agents.{name}.task')}: {name}.task: another agent has the task {agent.task!r} too"
            )
    for key, agent_name in (("default_agent", settings.default_agent), ("fallback_agent", tree.oracle.fallback_agent)):
        if agent_name not in tree.agents and (agent_name or key == "default_agent"):
            near = suggest(agent_name, tree.agents)
            out.append(f"{settings.where(f'oracle.{key}')}: {key}: no agent named {agent_name!r} in agents.yaml{near}")
    return out


def describe_lack(settings: Settings, tool: str, keys: Sequence[str], tools: Iterable[str]) -> str:
    """That agents list a tool which does not exist or is switched off, one sentence for all of them."""
    place = f"{settings.where(keys[0])}: {keys[0].split('.')[1]}.tools"
    more = f" (also {', '.join(settings.where(key) for key in keys[1:])})" if keys[1:] else ""
    if tool in settings.tree.tools:
        off = settings.where(f"tools.{tool}.enabled")
        return f"{place}: {tool!r} is switched off in {off}: take it out of the list too{more}"
    return f"{place}: no tool named {tool!r} in tools.yaml{more}{suggest(tool, tools)}"


def check_served(settings: Settings) -> list[str]:
    """Tools of servers have names of their own."""
    out, taken = list[str](), {name: name for name in settings.tree.tools}
    for name, entry in settings.tree.tools.items():
        place = settings.where(f"tools.{name}.tools")
        served = (*entry.tools, *entry.writes)
        for tool in served:
            if served.count(tool) > 1:
                out.append(f"{place}: {name}: {tool!r} stands twice under tools and writes")
        for own in entry.names(name):
            if taken.get(own, name) != name:
                out.append(f"{place}: {name}: {taken[own]} has a tool named {own!r} too")
            taken[own] = name
    return list(dict.fromkeys(out))


def check_models(settings: Settings) -> list[str]:
    """A language model that is asked needs every role, and somewhere to call each."""
    models = settings.tree.models
    if not models.thinks:
        return []
    where = settings.where("models.roles")
    out = [f"{where}: roles.{name} is missing" for name in get_args(Role) if name not in models.roles]
    for name, role in models.roles.items():
        if not models.endpoint_of(role).base_url and role.price is None and role.model not in models.prices:
            place = settings.where(f"models.roles.{name}")
            out.append(
                f"{place}: roles.{name}: {role.model} has no price under prices, so no budget in dollars would hold"
            )
        if not models.endpoint_of(role).connected:
            place = settings.where(f"models.roles.{name}")
            out.append(
                f"{place}: roles.{name} has no api_key, auth_token or base_url, nor has the endpoint of all roles"
            )
    return [*out, *check_providers(settings), *foreign_keys(settings)]


def check_providers(settings: Settings) -> list[str]:
    """What speaks to other providers than Anthropic is installed where one of them is named."""
    models = settings.tree.models
    own = {f"roles.{n}.provider": r.provider for n, r in models.roles.items() if "provider" in r.model_fields_set}
    named = {"endpoint.provider": models.endpoint.provider, **own}
    return [
        f"{settings.where(f'models.{key}')}: {key}: {provider} needs {LIBRARY}: pip install '.[providers]'"
        for key, provider in named.items()
        if provider != ANTHROPIC and find_spec(LIBRARY) is None
    ]


def foreign_keys(settings: Settings) -> list[str]:
    """What the environment holds for Anthropic is not sent to another provider."""
    endpoint, out = settings.tree.models.endpoint, list[str]()
    for key in ("base_url", "api_key", "auth_token") if endpoint.provider != ANTHROPIC else ():
        name = f"ANTHROPIC_{key.upper()}"
        if (value := getattr(endpoint, key)) and value == os.environ.get(name):
            place = settings.where(f"models.endpoint.{key}")
            out.append(
                f"{place}: endpoint.{key}: it is Anthropic's, of {name}: give that of {endpoint.provider}, or none"
            )
    return out


def check_sources(settings: Settings) -> list[str]:
    """Where each repository and each document lies: in one place, at an address that may be used."""
    core, out = settings.core, list[str]()
    for i, repository in enumerate(core.repositories):
        place = settings.where(f"oracle.repositories.{i}")
        out.extend(f"{place}: repositories.{i}{wrong}" for wrong in wrong_repository(repository))
    for i, document in enumerate(core.documents):
        place = settings.where(f"oracle.documents.{i}")
        out.extend(f"{place}: documents.{i}{wrong}" for wrong in wrong_document(document))
    return out


def wrong_repository(source: RepositorySource) -> list[str]:
    """What is wrong with an entry, as the end of a sentence that begins with its key."""
    if bool(source.path) == bool(source.url):
        return [": give either path (a folder on this machine) or url (https, ssh or file)"]
    return wrong_address("url", source.url, read_remote_address)


def wrong_document(source: DocumentSource) -> list[str]:
    """As `wrong_repository`."""
    if (source.repository and source.site) or not (source.path or source.repository or source.site):
        return [": give path (a folder), repository (an address, path is a folder inside it) or site"]
    if source.site and source.path:
        return [": give either path or site"]
    if source.branch and not source.repository:
        return [".branch: it goes with repository; a folder is read as it is on disk"]
    inside = PurePosixPath(source.path)
    if source.repository and (inside.is_absolute() or ".." in inside.parts):
        return [".path: with repository it is a folder inside it, such as docs"]
    return [
        *wrong_address("repository", source.repository, read_remote_address),
        *wrong_address("site", source.site, read_site_address),
    ]


def wrong_address(key: str, address: str, read: Callable[[str], object]) -> list[str]:
    """What is wrong with an address, if one is given."""
    try:
        if address:
            read(address)
    except ValueError as error:
        return [f".{key}: {error}"]
    return []


def check_installation(settings: Settings) -> list[str]:
    """Several workspaces can install the app only with all that OAuth needs; one workspace needs none of it."""
    slack = settings.core.slack
    if bool(slack.client_id) != bool(slack.client_secret):
        name, other = ("client_secret", "client_id") if slack.client_id else ("client_id", "client_secret")
        return [f"{settings.where(f'oracle.slack.{name}')}: slack.{name} is empty, but slack.{other} is set"]
    if slack.client_id and not slack.bot_token:
        needs = {
            "public_url": "an https:// address that Slack can reach",
            "teams": "the ids of those that may install the app (SLACK_TEAMS=T0123,E0456, or any)",
        }
        if not slack.app_token:
            needs["signing_secret"] = "the app's signing secret"  # noqa: S105 - words, no secret
        return [
            f"{settings.where(f'oracle.slack.{name}')}: slack.{name} is empty: several workspaces need {what}"
            for name, what in needs.items()
            if not getattr(slack, name)
        ]
    return []
