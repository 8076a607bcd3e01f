"""The whole demo but its rendering: play, let the night pass, read back."""

from collections.abc import Mapping
from dataclasses import dataclass

from lithify.client import KafkaPublisher, Lithify
from ops.demo.play import WAIT_SECONDS, DemoError, Nightly, Played, play, reflect
from ops.demo.read import Diary, read_back
from ops.demo.script import Script
from ops.local.vectors import wait_for_vectors
from pipelines.settings import load_settings
from pipelines.topics import Topic, topic_name


@dataclass(frozen=True, slots=True)
class Performance:
    """What was done, and what came of it."""

    played: Played
    nightly: Nightly
    diary: Diary


def perform(script: Script, settings: Mapping[str, str], environment: Mapping[str, str]) -> Performance:
    """Perform a script on a running stack.

    Args:
        script: what is said.
        settings: `LITHIFY_*` of the stack.
        environment: what the nightly run inherits besides.

    Raises:
        DemoError: the nightly run failed, or the workers fell behind.
        LithifyError: broker or gateway cannot be reached, or a turn was not decided in time.
    """
    loaded = load_settings(settings)
    publisher = KafkaPublisher(loaded.kafka_bootstrap, topic=topic_name(loaded, Topic.TURNS), timeout=WAIT_SECONDS)
    with Lithify(settings["LITHIFY_GATEWAY_URL"], publisher=publisher, timeout=WAIT_SECONDS) as memory:
        played = play(script, publisher, memory)
        nightly = reflect(script, settings, environment)
        if not wait_for_vectors(loaded, WAIT_SECONDS):
            raise DemoError("the reflection worker has not embedded everything in time")
        return Performance(played, nightly, read_back(script, played, memory))
