"""An OpenAI-compatible server on loopback that answers well, or misbehaves on demand. Real HTTP, real sockets."""

import json
import re
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = dict[str, Any]
Claims = list[dict[str, Any]]
_DIETS = {"veggie": "vegetarian", "vegan": "vegan", "omnivore": "omnivore", "纯素": "vegan"}
_CITY = re.compile(r"digs (?:are )?in (\w+)")


class Bad(StrEnum):
    """Ways to misbehave."""

    FENCES = "fences"
    PROSE = "prose"
    THINK = "think"
    REASONING_FIELD = "reasoning_field"
    REASONING_PROSE = "reasoning_prose"
    EMPTY = "empty"
    BLANK_BODY = "blank_body"
    PROSE_ONLY = "prose_only"
    INVALID_SCHEMA = "invalid_schema"
    NOT_JSON = "not_json"
    HTML = "html"
    NO_CHOICES = "no_choices"
    CUT_OFF = "cut_off"
    REFUSED = "refused"
    HUGE = "huge"
    DEEP = "deep"
    DUPLICATES = "duplicates"
    WRONG_SPAN = "wrong_span"
    WRONG_TURNS = "wrong_turns"
    LAST_TURN_MISSING = "last_turn_missing"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    UNAUTHORIZED = "unauthorized"
    BAD_REQUEST = "bad_request"
    WRONG_OPTION = "wrong_option"
    RATE_LIMITED_200 = "rate_limited_200"
    UPSTREAM_ERROR = "upstream_error"
    COUNTS_NULL = "counts_null"
    COUNTS_HUGE = "counts_huge"
    COUNTS_NEGATIVE = "counts_negative"
    PARTS = "parts"
    TOOL = "tool"
    TOOL_PARSED = "tool_parsed"
    CUT_OFF_BEHIND = "cut_off_behind"
    HALF_CHARACTER = "half_character"
    HANG = "hang"
    TRICKLE = "trickle"
    TRUNCATED_BODY = "truncated_body"
    RESET = "reset"


def statement(quote: str, words: str, attribute: str, value: str, **more: Any) -> dict[str, Any]:
    """A claim as a model would write it."""
    return {
        "quote": quote,
        "words": words,
        "value": value,
        "attribute": attribute,
        "subject": "user",
        "relation": None,
        "polarity": "positive",
        "modality": "asserted",
        "certainty": "stated",
    } | more


def simple_mind(turn: Turn) -> Claims:
    """Knows a few diets, and "digs in CITY"; says nothing of anything else."""
    text = turn["text"]
    claims = [statement(text, word, "diet", value) for word, value in _DIETS.items() if word in text]
    city = _CITY.search(text)
    return claims + ([statement(city[0], city[1], "home", city[1].lower())] if city else [])


@dataclass
class Stub:
    """What the server does, and what it was asked."""

    mind: Callable[[Turn], Claims] = simple_mind
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of all requests, in order."""
    coming: deque[Bad] = field(default_factory=deque)
    """How the next requests are answered; then well."""
    always: Bad | None = None
    """How all others are answered."""
    refuses: tuple[str, ...] = ()
    """Parameters, or types of `response_format`, with which no request is taken."""
    arrived: threading.Event = field(default_factory=threading.Event)
    """Set by every request."""
    release: threading.Event = field(default_factory=threading.Event)
    """Lets those go that hang."""

    def turns_asked(self) -> list[list[str]]:
        """The texts of each request."""
        return [[turn["text"] for turn in turns_of(body)] for body in self.asked]


def turns_of(body: dict[str, Any]) -> list[Turn]:
    """The turns that a request is about."""
    turns: list[Turn] = json.loads(body["messages"][-1]["content"])["turns"]
    return turns


def _format_of(body: dict[str, Any]) -> str:
    return str(body.get("response_format", {}).get("type", ""))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stub: Stub

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub = self.stub
        stub.asked.append(body)
        refused = next((name for name in stub.refuses if name in (*body, _format_of(body))), None)
        bad = None if refused else stub.coming.popleft() if stub.coming else stub.always
        stub.arrived.set()
        try:
            self._refuse(refused) if refused else self._misbehave(bad, body)
        except OSError:
            self.close_connection = True

    def _refuse(self, name: str) -> None:
        """As OpenAI does it for its own parameters, and others in words only."""
        if name.startswith("json_"):
            self._send({"error": {"message": f"This response_format type is not available: {name}"}}, 400)
        else:
            error = {"message": f"Unsupported parameter: '{name}'.", "param": name, "code": "unsupported_parameter"}
            self._send({"error": error}, 400)

    def _misbehave(self, bad: Bad | None, body: dict[str, Any]) -> None:
        transport: dict[Bad | None, Callable[[], None]] = {
            Bad.RATE_LIMITED: lambda: self._send({"error": {"message": "slow down"}}, 429, {"Retry-After": "600"}),
            Bad.UNAVAILABLE: lambda: self._send({"error": {"message": "overloaded"}}, 503),
            Bad.UNAUTHORIZED: lambda: self._send({"error": {"message": "who are you"}}, 401),
            Bad.BAD_REQUEST: lambda: self._send({"error": {"message": "context_length_exceeded"}}, 400),
            Bad.WRONG_OPTION: lambda: self._send(
                {"error": {"message": "use max_completion_tokens", "param": "max_tokens"}}, 400
            ),
            Bad.RATE_LIMITED_200: lambda: self._send({"error": {"message": "slow down", "code": 429}}),
            Bad.UPSTREAM_ERROR: lambda: self._send(
                {"choices": [{"error": {"code": 502}, "finish_reason": "error", "message": {"content": ""}}]}
            ),
            Bad.HANG: self._hang,
            Bad.TRICKLE: self._trickle,
            Bad.TRUNCATED_BODY: self._truncate,
            Bad.RESET: self._reset,
            Bad.BLANK_BODY: lambda: self._write(b""),
            Bad.HTML: lambda: self._write(b"<html><body>Welcome to the proxy</body></html>"),
            Bad.NO_CHOICES: lambda: self._send({"choices": []}),
            Bad.HUGE: lambda: self._send(_completion("x" * 3_000_000)),
        }
        if bad in transport:
            transport[bad]()
        else:
            self._send(_reply(bad, turns_of(body), self.stub.mind))

    def _send(self, body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._write(json.dumps(body).encode(), status, headers)

    def _write(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._head(len(body), status, headers)
        self.wfile.write(body)

    def _head(self, length: int, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(length),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()

    def _hang(self) -> None:
        self.stub.release.wait(600)
        self.close_connection = True

    def _trickle(self) -> None:
        """A byte now and then: no pause is long, the whole is without end."""
        self._head(1_000_000)
        while not self.stub.release.wait(0.05):
            self.wfile.write(b" ")
        self.close_connection = True

    def _truncate(self) -> None:
        self._head(100_000)
        self.wfile.write(b'{"choices": [{"message": {"content": "{')
        self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def _reply(bad: Bad | None, turns: list[Turn], mind: Callable[[Turn], Claims]) -> dict[str, Any]:
    said = {"turns": [{"turn": turn["turn"], "claims": mind(turn)} for turn in turns]}
    match bad:
        case Bad.DUPLICATES:
            said["turns"] = [entry | {"claims": entry["claims"] * 3} for entry in said["turns"]] * 2
        case Bad.WRONG_SPAN:
            wrong = statement("I live on the moon", "moon", "home", "moon")
            said["turns"] = [entry | {"claims": [wrong]} for entry in said["turns"]]
        case Bad.WRONG_TURNS:
            said["turns"] = [entry | {"turn": f"x{entry['turn']}"} for entry in said["turns"]]
        case Bad.LAST_TURN_MISSING:
            said["turns"].pop()
    return _worded(bad, json.dumps(said, ensure_ascii=False))


def _worded(bad: Bad | None, text: str) -> dict[str, Any]:
    """The completion that carries `text`, or what comes in its place."""
    contents = {
        Bad.FENCES: f"```json\n{text}\n```",
        Bad.PROSE: f"Sure! Here it is:\n{text}\nHope this helps, see [docs].",
        Bad.THINK: f'<think>Maybe {{"turns": []}}? No.</think>\n{text}',
        Bad.EMPTY: "",
        Bad.PROSE_ONLY: "There was nothing worth remembering in these turns, done.",
        Bad.INVALID_SCHEMA: '{"turns": [{"turn": 1, "claims": "none"}]}',
        Bad.NOT_JSON: text[: len(text) // 2] + "…",
        Bad.DEEP: '{"turns": ' + "[" * 100_000,
        Bad.HALF_CHARACTER: text.replace('"relation": null', '"relation": "\\ud83d\\u0000"'),
    }
    counts = {
        Bad.COUNTS_NULL: {"prompt_tokens": None, "completion_tokens": 3.5},
        Bad.COUNTS_HUGE: {"prompt_tokens": 10**12, "completion_tokens": 10**30},
        Bad.COUNTS_NEGATIVE: {"prompt_tokens": -1, "completion_tokens": "many"},
    }
    if bad in counts:
        return _completion(text) | {"usage": counts[bad]}
    match bad:
        case Bad.REASONING_FIELD:
            return _completion("", reasoning_content=f"I think so: {text}")
        case Bad.REASONING_PROSE:
            return _completion("", reasoning_content="The user seems to be vegan, I should note that.")
        case Bad.REFUSED:
            return _completion(None, refusal="I cannot help with that.")
        case Bad.PARTS:
            return _completion([{"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}])
        case Bad.TOOL | Bad.TOOL_PARSED:
            arguments = text if bad is Bad.TOOL else json.loads(text)
            return _completion(None, "tool_calls", tool_calls=[{"function": {"name": "r", "arguments": arguments}}])
        case Bad.CUT_OFF_BEHIND:
            return _completion(text + "\n" * 500, finish="length")
        case Bad.CUT_OFF:
            return _completion(text[: len(text) // 2], finish="length")
        case _:
            return _completion(text if bad is None else contents.get(bad, text))


def _completion(content: object, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


@contextmanager
def stub_openai(mind: Callable[[Turn], Claims] = simple_mind) -> Iterator[Stub]:
    """A server until the block ends."""
    stub = Stub(mind)
    handler = type("Handler", (_Handler,), {"stub": stub})
    server = _Server(("127.0.0.1", 0), handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield stub
    finally:
        stub.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
