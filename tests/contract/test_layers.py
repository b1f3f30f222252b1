"""Who may import whom. Anything that this table does not allow is a decision to be made, not an import to be added."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
PACKAGE = TREE / "_meta" / "design_arbiters"

#: Module → our own modules that it may import.
MAY_IMPORT = {
    "__init__": "",
    "contract": "",
    "documents": "contract",
    "tokens": "contract",
    "pin": "",
    "install": "",
    "runtime": "contract",
    "neighbours": "contract",
    "neighbour_child": "",
    "visual.__init__": "",
    "visual.chrome": "contract",
    "visual.shape": "documents",
    "visual.skeleton": "contract documents tokens visual.shape",
    "visual.request": "contract tokens visual.skeleton",
    "visual.facts": "contract visual.request",
    "visual.inline_style": "tokens",
    "visual.subjects": "tokens visual.facts visual.inline_style visual.request visual.skeleton",
    "visual.rubric": "contract tokens visual.facts visual.inline_style visual.request visual.skeleton visual.subjects",
    "visual.measure": "contract visual.progress",
    "visual.progress": "",
    "visual.cli": "contract documents neighbours pin tokens visual.chrome visual.facts visual.measure "
    "visual.progress visual.request visual.rubric visual.skeleton",
    "drift.__init__": "",
    "drift.color": "",
    "drift.families": "contract tokens drift.color drift.profile",
    "drift.profile": "contract documents",
    "drift.rubric": "contract tokens drift.families drift.profile",
    "drift.cli": "contract documents neighbours pin tokens drift.families drift.profile drift.rubric",
    "report.__init__": "",
    "report.advice": "",
    "report.printable": "",
    "report.markup": "report.printable",
    "report.model": "contract documents",
    "report.findings": "contract report.model report.printable visual.skeleton",
    "report.terminal": "report.advice report.findings report.model report.printable",
    "report.style": "",
    "report.blueprint": "report.markup report.model report.printable visual.skeleton",
    "report.page": "report.advice report.blueprint report.findings report.markup report.model report.printable "
    "report.style visual.skeleton",
    "report.cli": "contract documents report.findings report.model report.page report.printable report.terminal "
    "visual.skeleton",
}
#: What decides: functions of their arguments, and of nothing else.
PURE = (
    "tokens",
    "visual.facts",
    "visual.inline_style",
    "visual.request",
    "visual.rubric",
    "visual.subjects",
    "drift.color",
    "drift.families",
    "drift.rubric",
    *("report.advice", "report.blueprint", "report.findings", "report.markup", "report.page"),
    *("report.printable", "report.style", "report.terminal"),
)
#: All that a pure module may import at run time from outside. A parser of what the browser measured reads JSON.
PURE_IMPORTS = {"__future__", "collections", "collections.abc", "decimal", "fractions", "functools", "math", "numpy"}
PURE_IMPORTS |= {"re", "typing", "types", "dataclasses", "urllib.parse", "json", "html", "unicodedata", "hashlib"}
PURE_IMPORTS |= {"base64"}
READS_JSON = ("visual.facts",)
#: Third-party package → the modules that may import it.
THIRD_PARTY = {
    "yaml": ("documents", "drift.profile"),
    "jsonschema": ("contract",),
    "referencing": ("contract",),
    "numpy": ("drift.color",),
}
STARTS_PROCESSES = ("visual.measure", "neighbours", "install")
#: Builtins that read, print or run something.
IMPURE_BUILTINS = {"open", "print", "input", "exec", "eval", "__import__", "globals", "breakpoint"}
#: What both scripts load before there is a third-party package, and the drift script within its start-up time.
LIGHT = ("contract", "documents", "tokens", "runtime", "neighbours", "drift.cli", "drift.rubric", "drift.families")
#: What runs before node is started, which takes as long as importing these.
BEFORE_NODE = ("visual.cli", "visual.chrome", "visual.measure", "visual.progress")
LATER = {"dataclasses", "typing", "pathlib", "tempfile", "shutil", "urllib", "traceback", "hashlib", "yaml"}
HEAVY = {"dataclasses", "typing", "pathlib", "subprocess", "tempfile", "hashlib", "jsonschema", "numpy", "yaml"}


def modules() -> dict[str, ast.Module]:
    """Dotted name below the package → its syntax tree."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in PACKAGE.rglob("*.py")
    }


MODULES = modules()


def for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def walk(node: ast.AST, *, typing: bool, functions: bool = True) -> list[ast.AST]:
    """The nodes below, without what only a type checker sees, or what only runs when a function is called."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        if for_types(child) and not typing:
            continue
        if isinstance(child, ast.FunctionDef) and not functions:
            continue
        found += [child, *walk(child, typing=typing, functions=functions)]
    return found


def imports(name: str, *, typing: bool, functions: bool = True) -> tuple[set[str], set[str]]:
    """Our own modules that a module imports (dotted, below the package), and the others."""
    own, others = set(), set()
    package = name.split(".")[:-1]
    for node in walk(MODULES[name], typing=typing, functions=functions):
        if isinstance(node, ast.Import):
            others |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            others.add(node.module or "")
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) + 1 - node.level], *(node.module or "").split(".")]
            base = [part for part in base if part]
            inner = [".".join([*base, alias.name]) for alias in node.names]
            own |= {module for module in inner if module in MODULES} or {".".join(base)}
    return own, others


def test_the_table_lists_every_module() -> None:
    assert sorted(MODULES) == sorted(MAY_IMPORT)
    assert {allowed for row in MAY_IMPORT.values() for allowed in row.split()} <= set(MODULES)


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_a_module_imports_only_what_lies_below_it(name: str) -> None:
    own, others = imports(name, typing=True)
    assert own - set(MAY_IMPORT[name].split()) == set()
    assert not {module for module in others if module.startswith("design_arbiters")}, "import it relatively"


def test_the_two_arbiters_do_not_know_each_other_and_nothing_goes_round_in_circles() -> None:
    assert not [
        (name, allowed)
        for name, row in MAY_IMPORT.items()
        for allowed in row.split()
        if {name.split(".")[0], allowed.split(".")[0]} == {"visual", "drift"}
    ]
    left = {name: set(row.split()) for name, row in MAY_IMPORT.items()}
    while free := [name for name, row in left.items() if not row & set(left)]:
        for name in free:
            del left[name]
    assert left == {}


@pytest.mark.parametrize("name", PURE)
def test_what_decides_is_pure(name: str) -> None:
    own, others = imports(name, typing=False)
    assert others - (PURE_IMPORTS if name in READS_JSON else PURE_IMPORTS - {"json"}) == set()
    assert not own & {"documents", "neighbours", "pin", "runtime", "visual.measure", "visual.chrome"}
    called = {node.func.id for node in walk(MODULES[name], typing=False) if is_named_call(node)}
    assert called & IMPURE_BUILTINS == set()


def is_named_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_third_party_packages_and_processes_have_their_places(name: str) -> None:
    _, others = imports(name, typing=False)
    for package in {module.split(".")[0] for module in others} & set(THIRD_PARTY):
        assert name in THIRD_PARTY[package]
    assert "subprocess" not in others or name in STARTS_PROCESSES


@pytest.mark.parametrize("name", LIGHT)
def test_what_has_to_start_fast_imports_nothing_heavy_at_the_top(name: str) -> None:
    _, others = imports(name, typing=False, functions=False)
    assert {module.split(".")[0] for module in others} & HEAVY == set()


@pytest.mark.parametrize("name", BEFORE_NODE)
def test_node_is_started_before_anything_heavy_is_imported(name: str) -> None:
    _, others = imports(name, typing=False, functions=False)
    assert {module.split(".")[0] for module in others} & LATER == set()


# ----------------------------------------------------------------------------------------------------- measure/

JS_IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]""")


def scripts(pattern: str) -> dict[str, list[str]]:
    """Script below measure/ → what it imports."""
    measure = TREE / "measure"
    return {
        path.relative_to(measure).as_posix(): JS_IMPORT.findall(path.read_text(encoding="utf-8"))
        for path in measure.glob(pattern)
    }


def test_what_runs_in_the_page_imports_nothing() -> None:
    found = scripts("page/*.mjs")
    assert found
    assert {name: names for name, names in found.items() if names} == {}


def test_one_script_alone_imports_puppeteer() -> None:
    found = {**scripts("*.mjs"), **scripts("driver/*.mjs")}
    assert len(found) > 4
    outside = {name: [each for each in names if not each.startswith((".", "node:"))] for name, names in found.items()}
    assert [name for name, names in outside.items() if names] == ["driver/browser.mjs"]
    assert {name.split("/")[0] for name in outside["driver/browser.mjs"]} == {"puppeteer-core"}
