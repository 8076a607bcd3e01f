"""Whether a process can serve."""

import http.client

from ops.local.ports import HOST


def answers(port: int, path: str) -> bool:
    """Whether a GET of this path is answered with 200 within a second."""
    connection = http.client.HTTPConnection(HOST, port, timeout=1.0)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
