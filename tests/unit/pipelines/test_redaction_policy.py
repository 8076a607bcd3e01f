"""Redaction policies: the default file is the default, tenants differ, and a wrong file says what is wrong with it."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from lithify.domain.redaction import REGIONS, OwnPattern, RedactionPolicy, SecretType, tag
from pipelines.language.model import Owner
from pipelines.redaction import (
    DEFAULT,
    RedactionPolicies,
    RedactionPolicyError,
    TenantRedactor,
    load_redaction_policies,
    redaction_key,
)

KEY = redaction_key(SecretStr("a pseudonym key for tests"))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "redaction.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_default_file_is_the_default_policy() -> None:
    assert load_redaction_policies(DEFAULT) == load_redaction_policies(None) == RedactionPolicies()


def test_an_empty_part_changes_nothing(tmp_path: Path) -> None:
    assert load_redaction_policies(written(tmp_path, "default: {}\n")) == RedactionPolicies()


def test_a_tenant_differs_in_what_it_names(tmp_path: Path) -> None:
    policies = load_redaction_policies(
        written(
            tmp_path,
            "default: {keep_last: {phone: 2}}\n"
            "tenants:\n"
            "  acme:\n"
            "    redact: [card, phone]\n"
            "    keep_last: {card: 0, staff_number: 2}\n"
            r"    patterns: [{name: staff_number, pattern: 'EMP-\d{6}'}]" + "\n",
        )
    )
    assert policies.default.keep_last == {"card": 4, "phone": 2, "iban": 4}
    assert policies.tenants["acme"] == RedactionPolicy(
        types=frozenset({SecretType.CARD, SecretType.PHONE}),
        keep_last={"card": 0, "phone": 2, "iban": 4, "staff_number": 2},
        phone_regions=REGIONS,
        patterns=(OwnPattern("staff_number", r"EMP-\d{6}"),),
    )
    redactor = TenantRedactor(policies, b"")
    said = "EMP-123456 paid with 4111111111111111, a@b.example, 13800138000"
    acme = redactor.redact(said, Owner("acme"))
    assert acme.text == "[staff_number ****56] paid with [card], a@b.example, [phone ****00]"
    assert acme.counts == {"staff_number": 1, "card": 1, "phone": 1}
    assert redactor.redact(said, Owner("other")).text == "EMP-123456 paid with [card ****1111], [email], [phone ****00]"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("default: {redakt: [card]}", "unknown field `redakt` - at `$.default`"),
        ("default: {redact: [cards]}", "default.redact: 'cards' is no type; expected some of email, phone"),
        ("default: {redact: card}", "Expected `array`, got `str` - at `$.default.redact`"),
        ("default: {keep_last: {card: 5}}", "Expected `int` <= 4 - at `$.default.keep_last[...]`"),
        ("default: {keep_last: {crad: 4}}", "default.keep_last: 'crad' is no type; expected one of address, card,"),
        ("tenants: {a: {phone_regions: [XX]}}", "tenants.a.phone_regions: 'XX' is no region; expected ISO 3166 codes"),
        ("default: {patterns: [{name: A1, pattern: abc}]}", "Expected `str` matching regex"),
        ("default: {patterns: [{name: card, pattern: abc}]}", "default.patterns[0].name: 'card' is taken"),
        (
            "default: {patterns: [{name: own, pattern: '(a'}]}",
            "default.patterns[0].pattern: '(a': missing ): (a; expected RE2 syntax",
        ),
        ("default: {patterns: [{name: own, pattern: '(?=a)b'}]}", "expected RE2 syntax"),
        ("default: {patterns: [{name: own, pattern: 'a*'}]}", "it matches the empty text"),
        ("default: [1", "line 1"),
        ("tenant: {}", "unknown field `tenant`"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RedactionPolicyError) as refused:
        load_redaction_policies(path)
    assert f"LITHIFY_REDACTION_POLICY_PATH = {str(path)!r}: " in str(refused.value)
    assert reason in str(refused.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RedactionPolicyError, match="No such file"):
        load_redaction_policies(tmp_path / "none.yaml")


def test_placeholders_of_one_user_tell_equal_values() -> None:
    redactor = TenantRedactor(RedactionPolicies(), KEY)
    ada, bob = Owner("default", "ada"), Owner("default", "bob")
    first = redactor.redact("call 138-0013-8000", ada).text
    assert first.startswith("call [phone ****8000 #")
    assert redactor.redact("call +86 138 0013 8000", ada).text == first
    assert redactor.redact("call １３８００１３８０００", ada).text == first
    assert redactor.redact("call 13911138000", ada).text != first
    assert redactor.redact("call 138-0013-8000", bob).text != first
    assert redactor.redact(first, ada).text == first


def test_a_tag_needs_the_key_and_is_no_word() -> None:
    made = {tag(key, "t", "s", "card", "4111") for key in (b"a", b"b", b"c")}
    assert len(made) == 3
    assert all(len(word) == 6 and not set(word) & set("aeiouy0123456789") for word in made)


def test_the_key_is_not_the_pseudonym_key() -> None:
    assert redaction_key(SecretStr("x" * 16)) != b"x" * 16
