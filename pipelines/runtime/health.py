"""Health, readiness and metrics of a worker. Health follows progress, not the life of the process."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from pipelines.metrics import ASSIGNED, REGISTRY
from pipelines.runtime.worker import Progress
from pipelines.settings import Settings

_STUCK_SECONDS = 600.0
"""One batch may take as long as a slow model."""
_OUTSIDE_SECONDS = 300.0
"""A rebalance ends long before; past that the member has left its group for good."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check's answer."""

    ok: bool
    reasons: tuple[str, ...] = ()


def health(progress: Progress, now: float, stall_seconds: float = 60.0) -> Verdict:
    """Unhealthy: there is work, nothing fails, and nothing moves. A restart may help. Idle is healthy."""
    reasons = []
    stuck = [
        part
        for part, since in progress.busy_since.items()
        if now - since > _STUCK_SECONDS and part not in progress.failing_since
    ]
    if stuck:
        reasons.append(f"partitions {sorted(stuck)} work on one batch for over {_STUCK_SECONDS:.0f} s")
    # A long batch explains why nothing was committed since it began, but not what came before.
    stalled = [
        part
        for part, since in progress.unread_since.items()
        if progress.busy_since.get(part, now) - since > stall_seconds and part not in progress.failing_since
    ]
    if stalled:
        reasons.append(f"partitions {sorted(stalled)} have unread events, and nothing was committed")
    if progress.outside_since is not None and now - progress.outside_since > _OUTSIDE_SECONDS:
        reasons.append(f"not in the consumer group for {now - progress.outside_since:.0f} s")
    return Verdict(not reasons, tuple(reasons))


def readiness(progress: Progress, joined: bool, now: float) -> Verdict:
    """Not ready: not in the group yet, or what it depends on fails. A restart does not help."""
    reasons = []
    if progress.stopped_by is not None:
        reasons.append(f"stopping: {progress.stopped_by}")
    if not joined:
        reasons.append("not in the consumer group")
    if progress.failing_since:
        longest = now - min(progress.failing_since.values())
        reasons.append(f"partitions {sorted(progress.failing_since)} fail for {longest:.0f} s: {progress.last_error}")
    if progress.relay_failing_since is not None:
        reasons.append(f"the outbox relay fails for {now - progress.relay_failing_since:.0f} s")
    return Verdict(not reasons, tuple(reasons))


class HealthServer:
    """Serves /healthz, /readyz and /metrics on the address of the settings."""

    def __init__(
        self,
        worker: str,
        settings: Settings,
        progress: Progress,
        assigned: Callable[[], int | None],
        probe: Callable[[], Awaitable[str | None]],
    ) -> None:
        self._worker = worker
        self._settings = settings
        self._progress = progress
        self._assigned = assigned
        self._probe = probe
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Start listening, unless the port is 0."""
        if not self._settings.health_port:
            return
        app = web.Application()
        app.add_routes(
            [web.get("/healthz", self._healthz), web.get("/readyz", self._readyz), web.get("/metrics", self._metrics)]
        )
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._settings.health_host, self._settings.health_port).start()

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _healthz(self, _request: web.Request) -> web.Response:
        return _answer(health(self._progress, asyncio.get_running_loop().time(), self._settings.stall_seconds))

    async def _readyz(self, _request: web.Request) -> web.Response:
        verdict = readiness(self._progress, self._assigned() is not None, asyncio.get_running_loop().time())
        fault = await self._probe()
        if fault is not None:
            verdict = Verdict(False, (*verdict.reasons, fault))
        return _answer(verdict)

    async def _metrics(self, _request: web.Request) -> web.Response:
        ASSIGNED.labels(self._worker).set(self._assigned() or 0)
        return web.Response(body=generate_latest(REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _answer(verdict: Verdict) -> web.Response:
    body = {"ok": verdict.ok, "reasons": list(verdict.reasons)}
    return web.json_response(body, status=200 if verdict.ok else 503)
