"""Stands in for `python -m workers`: notes each call in a file, serves `/readyz`, drains on SIGTERM.

Run as `python stand_in.py NOTES COMMAND...`.
"""

import http.server
import os
import signal
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class _Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer 200 on /readyz."""
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        """Stay silent."""


def main() -> None:
    """Note the call; stay up if it is a worker's."""
    notes, *command = sys.argv[1:]
    role = urlsplit(os.environ["LITHIFY_DATABASE_URL"]).username
    owner = " knows the owner" if "LITHIFY_OWNER_DATABASE_URL" in os.environ else ""
    with Path(notes).open("a") as stream:
        stream.write(f"{' '.join(command)} as {role}{owner}\n")
    if command[0] not in {"run", "gateway"}:
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(sys.stdout.write("drained\n") and 0))
    port = int(os.environ.get("LITHIFY_HEALTH_PORT") or os.environ["LITHIFY_GATEWAY_PORT"])
    http.server.HTTPServer(("127.0.0.1", port), _Ready).serve_forever()


if __name__ == "__main__":
    main()
