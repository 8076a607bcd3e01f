"""Free ports on the loopback address, below the range from which the kernel takes ports for connections."""

import random
import socket
from collections.abc import Collection

HOST = "127.0.0.1"
_FIRST, _LAST = 15000, 32000
_ATTEMPTS = 200


def is_free(port: int) -> bool:
    """Whether a server could listen on this port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def choose(preferred: int | None = None, taken: Collection[int] = ()) -> int:
    """Choose a port.

    Args:
        preferred: Taken if it is free.
        taken: Ports not to choose, though they may be free now.

    Raises:
        OSError: If none is found.
    """
    if preferred is not None and is_free(preferred):
        return preferred
    candidates = random.SystemRandom().sample(range(_FIRST, _LAST), _ATTEMPTS)
    for port in candidates:
        if port not in taken and is_free(port):
            return port
    raise OSError(f"no free port between {_FIRST} and {_LAST}")


def accepts(port: int) -> bool:
    """Whether something listens on this port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((HOST, port)) == 0
