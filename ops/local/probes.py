"""Whether a process can serve."""

import http.client

from ops.local.ports import HOST


def answers(port: int, path: str, token: str | None = None) -> bool:
    """Whether a GET of this path is answered with 200 within a second.

    Args:
        port: On the loopback address.
        path: The path, from "/".
        token: Sent as bearer token, if given.
    """
    connection = http.client.HTTPConnection(HOST, port, timeout=1.0)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
