"""Redaction policies: which secrets are replaced, for each tenant, as YAML; and the redactor that goes by them."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import msgspec
import phonenumbers
import re2
from msgspec import UNSET, Meta, UnsetType
from pydantic import SecretStr

from lithify.domain.redaction import KEPT, OwnPattern, RedactionPolicy, SecretType
from pipelines.language.model import Owner, Redacted
from pipelines.language.redaction import PatternRedactor
from pipelines.settings import PREFIX, Settings

DEFAULT = Path(__file__).resolve().parents[1] / "schemas" / "policy" / "redaction.yaml"
SETTING = f"{PREFIX}REDACTION_POLICY_PATH"


class RedactionPolicyError(ValueError):
    """A redaction policy file cannot be used. The message names the file, the key and what is expected there."""


class _Own(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(pattern="^[a-z][a-z_]{1,30}$")]
    pattern: Annotated[str, Meta(min_length=2, max_length=500)]


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """The settings of a tenant, or of all; what is left out stays."""

    redact: list[str] | UnsetType = UNSET
    keep_last: dict[str, Annotated[int, Meta(ge=0, le=KEPT)]] | UnsetType = UNSET
    phone_regions: list[str] | UnsetType = UNSET
    patterns: list[_Own] | UnsetType = UNSET


class _File(msgspec.Struct, forbid_unknown_fields=True):
    default: _Part = msgspec.field(default_factory=_Part)
    tenants: dict[str, _Part] = {}


@dataclass(frozen=True, slots=True)
class RedactionPolicies:
    """The policy of every tenant."""

    default: RedactionPolicy = field(default_factory=RedactionPolicy)
    tenants: Mapping[str, RedactionPolicy] = field(default_factory=dict)


def load_redaction_policies(path: Path | None) -> RedactionPolicies:
    """Read a policy file; None: the built-in default for all.

    Raises:
        RedactionPolicyError: the file is missing or not YAML, or a key is unknown or has a wrong value.
    """
    if path is None:
        return RedactionPolicies()
    try:
        file = msgspec.yaml.decode(path.read_bytes(), type=_File)
        default = _over(RedactionPolicy(), file.default, "default")
        tenants = {name: _over(default, part, f"tenants.{name}") for name, part in file.tenants.items()}
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError, ValueError) as error:
        raise RedactionPolicyError(f"{SETTING} = {str(path)!r}: {error}") from None
    return RedactionPolicies(default, tenants)


def _over(policy: RedactionPolicy, part: _Part, place: str) -> RedactionPolicy:
    """`policy` with what `part` sets. Raises ValueError naming the key."""
    if part.redact is not UNSET:
        policy = replace(policy, types=frozenset(_type(name, place) for name in part.redact))
    if part.phone_regions is not UNSET:
        policy = replace(policy, phone_regions=tuple(part.phone_regions))
    if part.patterns is not UNSET:
        policy = replace(policy, patterns=tuple(OwnPattern(own.name, own.pattern) for own in part.patterns))
    if part.keep_last is not UNSET:
        policy = replace(policy, keep_last={**policy.keep_last, **part.keep_last})
    _check(policy, part, place)
    return policy


def _type(name: str, place: str) -> SecretType:
    try:
        return SecretType(name)
    except ValueError:
        raise ValueError(f"{place}.redact: {name!r} is no type; expected some of {', '.join(SecretType)}") from None


def _check(policy: RedactionPolicy, part: _Part, place: str) -> None:
    for region in policy.phone_regions:
        if region not in phonenumbers.SUPPORTED_REGIONS:
            raise ValueError(
                f"{place}.phone_regions: {region!r} is no region; expected ISO 3166 codes such as CN, US, DE"
            )
    names = {str(kind) for kind in SecretType} | {own.name for own in policy.patterns}
    for name in part.keep_last or () if part.keep_last is not UNSET else ():
        if name not in names:
            raise ValueError(f"{place}.keep_last: {name!r} is no type; expected one of {', '.join(sorted(names))}")
    for index, own in enumerate(policy.patterns):
        if own.name in set(SecretType) or own.name in {other.name for other in policy.patterns[:index]}:
            raise ValueError(f"{place}.patterns[{index}].name: {own.name!r} is taken; expected a name of its own")
        fault = _pattern_fault(own.pattern)
        if fault:
            raise ValueError(f"{place}.patterns[{index}].pattern: {own.pattern!r}: {fault}; expected RE2 syntax")


def _pattern_fault(pattern: str) -> str | None:
    """What is wrong with a pattern; None: nothing. RE2 has no look-around and no back-references."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not a pattern"
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return "it matches the empty text" if compiled.search("") else None


class TenantRedactor:
    """Redacts under the policy of the owner's tenant, with placeholders keyed by the owner."""

    def __init__(self, policies: RedactionPolicies, key: bytes) -> None:
        self._default = PatternRedactor(policies.default, key)
        self._tenants = {name: PatternRedactor(policy, key) for name, policy in policies.tenants.items()}

    def redact(self, text: str, owner: Owner = Owner(), cue: str = "") -> Redacted:  # noqa: B008 - immutable
        """See `Redactor`."""
        return self._tenants.get(owner.tenant, self._default).redact(text, owner, cue)


def redaction_key(secret: SecretStr) -> bytes:
    """The key of the placeholders' tags, derived from the pseudonym key so that neither tells the other."""
    return hmac.new(secret.get_secret_value().encode(), b"lithify redaction tags", hashlib.sha256).digest()


def load_redactor(settings: Settings) -> TenantRedactor:
    """The redactor that the settings choose. Raises RedactionPolicyError."""
    path = settings.redaction_policy_path
    return TenantRedactor(load_redaction_policies(Path(path) if path else None), redaction_key(settings.pseudonym_key))
