"""Ways a call fails, as types. An outage is never an empty answer."""


class LithifyError(Exception):
    """Every failure of a call; catch this to catch all.

    Attributes:
        code: stable, machine-readable.
        message: for people.
        field: where in the input, where the input is at fault.
    """

    def __init__(self, message: str, *, code: str = "error", field: str | None = None) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.code = code
        self.message = message
        self.field = field


class Invalid(LithifyError):  # noqa: N818 - read as "except Invalid"
    """The input is wrong; repeating the call will not help."""


class BudgetTooSmall(Invalid):
    """Rules and safety facts alone do not fit the budget of a context block."""


class NotFound(LithifyError):  # noqa: N818
    """Nothing of this id, or nothing this user may see."""


class Unauthorized(LithifyError):  # noqa: N818
    """The token is missing or wrong, or the gateway refuses this host name."""


class Unavailable(LithifyError):  # noqa: N818
    """Gateway, database or broker cannot be reached; the call may be repeated with the same ids.

    Attributes:
        retry_after: seconds to wait first, where the gateway said so.
    """

    def __init__(self, message: str, *, code: str = "unavailable", retry_after: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class StillAccepted(LithifyError, TimeoutError):  # noqa: N818
    """The workers had not decided a turn when the time was up. It is accepted, not lost."""
