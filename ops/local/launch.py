"""Start one process of the stack: it cannot outlive its supervisor, and can lose root's rights.

This file is run as a script (`python -I -S launch.py SPEC ARGV...`) and replaces itself by the program. It
does between fork and exec what is not safe to do in a process with threads, with the standard library only.

A program that must not run as root (PostgreSQL) is given another user. If a closed folder above keeps that
user from the program or the data folder, the process gets its own mount namespace, in which a small file
system in memory covers `/tmp`: the program is copied there and the data folder is mounted beside it. No other
process sees any of this, and it is gone when the process ends. Where a namespace is not allowed (most
containers), the process keeps one right of root: to pass closed folders.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TypedDict

PROGRAM, FOLDER = "{program}", "{folder}"
"""Placeholders in the argument list: where the program and the data folder are for this process."""

_PR_SET_PDEATHSIG, _PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS = 1, 28, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_SECBIT_NO_SETUID_FIXUP = 4
_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION = 0x20080522
_CLONE_NEWNS = 0x00020000
_MS_BIND, _MS_REC, _MS_PRIVATE, _MS_NOSUID, _MS_NODEV = 4096, 16384, 1 << 18, 2, 4
_NOT_NEEDED = shutil.ignore_patterns("pginstall", "*.a", "include", "pgxs", "pkgconfig", "__pycache__")


class Jail(TypedDict):
    """How a program loses root's rights.

    Attributes:
        uid: The user it runs as.
        gid: The group it runs as.
        program: Folders that make up the program, the first is what `{program}` stands for.
        folder: The data folder, owned by that user; what `{folder}` stands for.
        closed: Whether that user cannot reach these folders by their own path.
    """

    uid: int
    gid: int
    program: list[str]
    folder: str
    closed: bool


class Spec(TypedDict):
    """What the supervisor asks for.

    Attributes:
        parent: The supervisor's process id.
        death_signal: The signal to receive when the supervisor is gone.
        jail: How to lose root's rights, or None to keep the present user.
    """

    parent: int
    death_signal: int
    jail: Jail | None


def main() -> None:
    """Read the specification and become the program.

    Raises:
        SystemExit: If the supervisor is gone already.
        OSError: If a system call is refused.
    """
    spec: Spec = json.loads(sys.argv[1])
    argv = sys.argv[2:]
    jail = spec["jail"]
    if jail is not None:
        program, folder = _enter(jail)
        argv = [arg.replace(PROGRAM, program).replace(FOLDER, folder) for arg in argv]
    _die_with(spec["parent"], spec["death_signal"])
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.execvp(argv[0], argv)  # noqa: S606 - a fixed program, without a shell


def _enter(jail: Jail) -> tuple[str, str]:
    """Change the user, with a private view of the folders if they are closed to that user."""
    program, folder = jail["program"][0], jail["folder"]
    keep_passage = False
    if jail["closed"]:
        try:
            program, folder = _private_view(jail)
        except OSError:
            keep_passage = True
    os.chdir("/")
    if keep_passage:
        # Without it, setuid clears every capability and access(2) ignores them.
        _call("prctl", _PR_SET_SECUREBITS, _SECBIT_NO_SETUID_FIXUP, 0, 0, 0)
    os.setgroups([])
    os.setgid(jail["gid"])
    os.setuid(jail["uid"])
    if keep_passage:
        _keep_passage()
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return program, folder


def _private_view(jail: Jail) -> tuple[str, str]:
    """Show the program and the data folder under `/tmp`, to this process alone."""
    _call("unshare", _CLONE_NEWNS)
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE, None)
    sources = [os.open(path, os.O_PATH | os.O_DIRECTORY) for path in (*jail["program"], jail["folder"])]
    view = Path("/tmp").resolve()  # noqa: S108 - covered by a private file system in the next line
    _mount("tmpfs", str(view), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755")
    targets = [view / Path(path).name for path in jail["program"]]
    for source, target in zip(sources, targets, strict=False):
        shutil.copytree(f"/proc/self/fd/{source}/.", target, symlinks=True, ignore=_NOT_NEEDED)
        _open_to_all(target)
    folder = view / "data"
    folder.mkdir()
    _mount(f"/proc/self/fd/{sources[-1]}", str(folder), None, _MS_BIND, None)
    for source in sources:
        os.close(source)
    return str(targets[0]), str(folder)


def _open_to_all(tree: Path) -> None:
    """Undo a strict umask of the installation, in the private copy."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)


def _keep_passage() -> None:
    """Keep the right to pass closed folders, and nothing else of root's rights.

    Source: capabilities(7), ambient set.
    """
    mask = 1 << _CAP_DAC_OVERRIDE
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    _call("capset", header, data)
    _call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE, 0, 0)


def _die_with(parent: int, death_signal: int) -> None:
    """Receive a signal when the supervisor goes; a change of user would have cleared an earlier request."""
    if sys.platform == "linux":
        _call("prctl", _PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit("the supervisor is gone")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    encoded = [os.fsencode(text) if text is not None else None for text in (source, target, kind, options)]
    _call("mount", encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library.

    Raises:
        OSError: With the error number, if it answers other than 0.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
