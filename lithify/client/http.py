"""The HTTP side of both clients: requests out, replies in; a line that is cut is `Unavailable`."""

import httpx

from lithify.client.errors import Unavailable
from lithify.client.steps import Reply, Request


def headers(token: str | None) -> dict[str, str]:
    """Headers of every request."""
    base = {"Content-Type": "application/json", "Accept": "application/json"}
    return base | ({"Authorization": f"Bearer {token}"} if token else {})


def url(base: str, request: Request) -> httpx.URL:
    """The full address of a request; the path is already encoded and stays as it is."""
    root = httpx.URL(base)
    target = root.copy_with(raw_path=(root.raw_path.rstrip(b"/") + request.path.encode()))
    return target.copy_merge_params(dict(request.params)) if request.params else target


def reply(response: httpx.Response) -> Reply:
    """What came back."""
    after = response.headers.get("Retry-After", "")
    return Reply(response.status_code, response.content, float(after) if after.isdigit() else None)


def unavailable(error: httpx.HTTPError) -> Unavailable:
    """A request that got no answer."""
    return Unavailable(f"the gateway cannot be reached: {str(error) or type(error).__name__}")
