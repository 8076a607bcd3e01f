"""The endpoint of the model that reads turns, where one is set."""

from collections.abc import Iterator

import httpx

from pipelines.settings import PREFIX, Settings
from workers.operate.doctor.finding import Finding, ok, warn

_ANSWER_SECONDS = 5.0


def check_model(settings: Settings) -> Iterator[Finding]:
    """Whether it answers, and has the model. A fault is a warning: turns keep what the rules read until it is back."""
    if settings.reads_with == "rules":
        yield ok("model", "none: the rules alone read turns")
        return
    key = settings.model_key.get_secret_value() if settings.model_key else None
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(f"{str(settings.model_url).rstrip('/')}/models", headers=headers, timeout=_ANSWER_SECONDS)
        answer.raise_for_status()
        names = [str(item["id"]) for item in answer.json()["data"]]
    except httpx.HTTPStatusError as error:
        yield warn(
            "model", f"the endpoint answers {error.response.status_code}", f"check {PREFIX}MODEL_KEY and the address"
        )
    except httpx.HTTPError as error:
        yield warn("model", f"{settings.model_url}: {error}", f"is it up, and {PREFIX}MODEL_URL right?")
    except (ValueError, KeyError, TypeError):
        yield warn(
            "model", "the endpoint does not list its models", f"is {PREFIX}MODEL_URL the base URL, such as .../v1?"
        )
    else:
        if settings.model_name in names:
            yield ok("model", f"{settings.model_name} at {settings.model_url}")
        else:
            there = ", ".join(names[:5]) or "none"
            yield warn("model", f"{settings.model_name} is not among its models: {there}", f"set {PREFIX}MODEL_NAME")
