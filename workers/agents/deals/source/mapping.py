"""Makes records of deals out of other files, as a mapping says: Jinja2 templates over the columns of each row.

A mapping is a YAML file::

    faulty_rows: skip            # leave out what does not fit, and tell; without it every mistake refuses the whole
    tables: {countries: {USA: United States}}     # looked up in templates: countries[company_country_code]
    records:
      - kind: deals              # sectors, regions, deals, events or snippets
        file: acquisitions.csv   # in the source folder; or the source itself, when that is a file
        repeated: first          # of rows with one id the first counts; without it they are a mistake
        where: "{{ price }}"     # rows for which this is empty make no record
        fields: {id: "{{ company }}", name: "{{ company }}"}

A field whose template is empty for a row is absent there. ``row`` is the number of the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from pydantic import BaseModel, ConfigDict, ValidationError

from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.records import KINDS
from workers.agents.deals.source.row_reading import Row, read_csv, read_json, read_text, rows_of


class RecordEntry(BaseModel):
    """How one kind of record is made of each row of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["sectors", "regions", "deals", "events", "snippets"]
    file: str
    fields: dict[str, str]
    repeated: Literal["", "first"] = ""
    where: str = ""


class MappingFile(BaseModel):
    """A mapping as it is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: tuple[RecordEntry, ...]
    faulty_rows: Literal["refuse", "skip"] = "refuse"
    tables: dict[str, dict[str, str]] = {}


@dataclass(frozen=True)
class FieldMapping:
    """A mapping whose templates were read: field -> template for each entry."""

    name: str
    file: MappingFile
    templates: tuple[Mapping[str, Any], ...]

    @property
    def skip_faults(self) -> bool:
        """Whether rows that do not fit are left out."""
        return self.file.faulty_rows == "skip"


class Defaults(dict[str, str]):
    """A table in which what is not listed is itself."""

    def __missing__(self, key: str) -> str:
        return key


def read_mapping(file: Path) -> FieldMapping:
    """Read a mapping. Raises: DealDataError: one sentence for each mistake, with file and key."""
    try:
        read = MappingFile.model_validate(yaml.safe_load(read_text(file)))
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise DealDataError(f"{file.name}{line}: this is no YAML.") from error
    except ValidationError as error:
        faults = (f"{file.name}: {'.'.join(map(str, f['loc'])) or 'the file'}: {f['msg']}." for f in error.errors())
        raise DealDataError(*faults) from error
    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    templates, faults_found = [], []
    for number, entry in enumerate(read.records):
        known = KINDS[entry.kind].model_fields
        place = f"{file.name}: records.{number} ({entry.kind})"
        faults_found += [
            f"{place}: {name!r} is no field of {entry.kind}." for name in entry.fields if name not in known
        ]
        compiled = {}
        for name, text in {**entry.fields, **({"where": entry.where} if entry.where else {})}.items():
            try:
                compiled[name] = environment.from_string(text)
            except TemplateError as error:
                faults_found.append(f"{place}: {name}: {error.message}.")
        templates.append(compiled)
    if faults_found:
        raise DealDataError(*faults_found)
    return FieldMapping(file.name, read, tuple(templates))


def map_rows(mapping: FieldMapping, source: Path) -> dict[str, list[Row]]:
    """The rows of each kind of record that a mapping makes. Raises: DealDataError."""
    tables: dict[str, list[Row]] = {kind: [] for kind in KINDS}
    opened: dict[str, tuple[Sequence[str], list[Row]]] = {}
    lookups = {name: Defaults(table) for name, table in mapping.file.tables.items()}
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for number, (entry, templates) in enumerate(zip(mapping.file.records, mapping.templates, strict=True)):
        if entry.file not in opened:
            opened[entry.file] = read_rows(source, entry.file)
        columns, rows = opened[entry.file]
        empty = dict.fromkeys(columns, "")
        for row in rows:
            inputs = {**lookups, **empty, **row.values, "row": row.number}
            values: dict[str, str] = {}
            for name, template in templates.items():
                try:
                    values[name] = template.render(inputs).strip()
                except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
                    place = f"{mapping.name}: records.{number} ({entry.kind}): {name}"
                    raise DealDataError(f"{place}: {error} (at {row.place}).") from error
                if name == "id" and entry.repeated and values[name] in seen[entry.kind]:
                    break
            else:
                if values.pop("where", "yes"):
                    seen[entry.kind].add(values.get("id", ""))
                    tables[entry.kind].append(Row(row.file, row.number, {n: v for n, v in values.items() if v}))
    return tables


def read_rows(source: Path, name: str) -> tuple[Sequence[str], list[Row]]:
    """The columns and the rows of a file of the source."""
    file = source if source.is_file() else source / name
    if file.suffix == ".json":
        rows = rows_of(file.name, read_json(file))
        return list(dict.fromkeys(key for row in rows for key in row.values)), rows
    return read_csv(file)
