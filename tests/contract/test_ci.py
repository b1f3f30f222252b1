"""What counts where CI=true."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

SKIPS = {
    "by a call": "import pytest\ndef test_it(): pytest.skip('not here')\n",
    "by a mark": "import pytest\n@pytest.mark.skipif(True, reason='not here')\ndef test_it(): pass\n",
    "as a module": "import pytest\npytest.skip('not here', allow_module_level=True)\n",
}


def run(folder: Path, source: str, ci: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(TESTS / "conftest.py", folder)
    (folder / "test_it.py").write_text(source, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)],
        cwd=folder,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("how", SKIPS)
def test_a_skipped_test_has_failed_in_ci_and_nowhere_else(tmp_path: Path, how: str) -> None:
    failed = run(tmp_path, SKIPS[how], ci="true")
    assert failed.returncode != 0
    assert "counts as failed where CI=true: Skipped: not here" in failed.stdout
    assert "1 skipped" in run(tmp_path, SKIPS[how], ci="").stdout


def test_an_expected_failure_is_no_skip(tmp_path: Path) -> None:
    source = "import pytest\n@pytest.mark.xfail\ndef test_it(): assert False\n"
    done = run(tmp_path, source, ci="true")
    assert done.returncode == 0 and "1 xfailed" in done.stdout
