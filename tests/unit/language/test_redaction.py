"""Secrets become placeholders; what only looks like one stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.redaction import OwnPattern, RedactionPolicy, SecretType
from pipelines.language.model import Redacted
from pipelines.language.redaction import PatternRedactor

REDACTOR = PatternRedactor()
WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def made_up_id(first: str = "99010119900307123") -> str:
    """A resident id of no existing region, with the right check character."""
    return first + "10X98765432"[sum(int(char) * weight for char, weight in zip(first, WEIGHTS, strict=True)) % 11]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"手机13800138000,身份证{made_up_id()}", "手机[phone ****8000],身份证[national_id]"),
        ("号码是１３８００１３８０００", "号码是[phone ****8000]"),
        ("我的手機號碼是13800138000", "我的手機號碼是[phone ****8000]"),
        ("138-0013-8000", "[phone ****8000]"),
        ("+86 138 0013 8000", "[phone ****8000]"),
    ],
)
def test_c123_mobiles_and_ids(text: str, expected: str) -> None:
    assert REDACTOR.redact(text).text == expected


def test_c123_lower_case_x_is_a_check_character() -> None:
    number = next(made for index in range(99) if (made := made_up_id(f"990101199003071{index:02d}"))[-1] == "X")
    assert REDACTOR.redact(f"id {number.lower()}").counts == {"national_id": 1}


def test_c123_a_wrong_check_digit_is_no_id() -> None:
    wrong = made_up_id()[:-1] + ("0" if made_up_id()[-1] != "0" else "1")
    assert SecretType.NATIONAL_ID not in REDACTOR.redact(wrong).counts


@pytest.mark.parametrize(
    "text",
    [
        "my key is tok_FAKE_77aa88bb99cc00dd",
        "密码：not-a-real-pass-1",
        "密碼：not-a-real-pass-1",
        "我的口令是not-a-real-pass-1，請記住",
        "password: hunter2",
        "the API key = abcd-1234-efgh",
        "token is 9f8e7d6c5b4a",
        "postgres://me:s3cret@db/x",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcdEFGH1234",
    ],
)
def test_c126_secrets_after_a_cue_or_by_shape(text: str) -> None:
    assert REDACTOR.redact(text).counts in ({"secret": 1}, {"password": 1})


@pytest.mark.parametrize(
    "text",
    [
        "the build has no API key",
        "the token is expired",
        "my password is incorrect",
        "the key is to be patient",
        "550e8400-e29b-41d4-a716-446655440000",
        "d41d8cd98f00b204e9800998ecf8427e",
        "order 4111111111111111",
        "订单号13800138000",
        "訂單號13800138000",
        "v1.2.3 on 2026-03-04 at 1700000000000",
        "locker tag KX-4471-Q",
        "call me at five",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    found = REDACTOR.redact(text)
    assert (found.text, found.counts) == (text, {})


def test_cards_keep_their_last_four() -> None:
    assert REDACTOR.redact("pay with 4111 1111 1111 1111 please").text == "pay with [card ****1111] please"
    assert REDACTOR.redact("4111 1111 1111 1112").counts == {}


def test_mail() -> None:
    assert REDACTOR.redact("写信到 a.b+c@example.test 吧").text == "写信到 [email] 吧"


def test_the_policy_chooses_types_and_what_stays() -> None:
    policy = RedactionPolicy(frozenset({SecretType.CARD}), {SecretType.CARD: 0})
    redactor = PatternRedactor(policy)
    assert redactor.redact("4111111111111111 a@b.example").text == "[card] a@b.example"


def test_a_policy_that_shows_too_much_is_refused() -> None:
    with pytest.raises(ValueError, match="keep_last"):
        RedactionPolicy(keep_last={SecretType.CARD: 12})


@given(st.text(alphabet=st.characters(), max_size=120))
def test_any_text_passes_and_twice_is_once(text: str) -> None:
    once = REDACTOR.redact(text).text
    assert REDACTOR.redact(once).text == once


@given(
    st.lists(st.sampled_from(["密码：", "key ", "is ", "13800138000", "a@b.example ", "4111111111111111 ", "x1y2z3 "]))
)
def test_placeholders_are_never_redacted_again(parts: list[str]) -> None:
    once = REDACTOR.redact("".join(parts)).text
    assert REDACTOR.redact(once).text == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IBAN DE89 3704 0044 0532 0130 00 is mine", "IBAN [iban ****3000] is mine"),
        ("my passport number is E12345678", "my passport number is [passport]"),
        ("护照号E12345678，别忘了", "护照号[passport]，别忘了"),
        ("I live at 221B Baker Street, London NW1 6XE.", "I live at [address]."),
        ("我住在杭州市西湖区文三路138号3幢201室，靠近地铁", "我住在[address]，靠近地铁"),
        ("call +44 (0)20 7946 0958 or (415) 555-0134", "call [phone ****0958] or [phone ****0134]"),
        ("ssh deploy@203.0.113.42", "ssh deploy@[ip]"),
        ("write to jane [at] example [dot] com", "write to [email]"),
        ("邮箱:jane@例子.测试", "邮箱:[email]"),
        ("邮箱jane@例子.com,谢谢", "邮箱[email],谢谢"),
        ("邮箱:jane@example。com", "邮箱:[email]"),
        ("写给jane@example.org。Thanks a lot", "写给[email]。Thanks a lot"),
        ("https://bob:p@ss@example.org/x", "https://bob:[secret]@example.org/x"),
        ("my wifi password is swordfish.", "my wifi password is [password]."),
        ("把密码改成Abc@2024了", "把密码改成[password]了"),
        ("hunter2 is my password", "[password] is my password"),
        ("SSN 078-05-1120", "SSN [national_id]"),
        ("电话幺三八零零幺三八零零零", "电话[phone ****8000]"),
        ("1\u200b3800\u200b138000", "[phone ****8000]"),
    ],
)
def test_each_kind_in_its_place(text: str, expected: str) -> None:
    assert REDACTOR.redact(text).text == expected


def test_a_cue_may_come_from_outside_the_text() -> None:
    assert REDACTOR.redact("hunter2x", cue="password").text == "[password]"
    assert REDACTOR.redact("4155550134", cue="phone").text == "[phone ****0134]"
    assert REDACTOR.redact("red", cue="favourite colour").text == "red"


def test_an_order_code_stays_as_the_user_wants_it_kept() -> None:
    for text in ("Remember: locker tag KX-4471-Q.", "记住我的订单号：4111111111111111", "Remember order 13800138000"):
        assert REDACTOR.redact(text) == Redacted(text)


def test_of_an_own_pattern_only_the_own_name_is_said() -> None:
    policy = RedactionPolicy(patterns=(OwnPattern("badge", r"EMP-\d+"),))
    assert PatternRedactor(policy).redact("EMP-13800138000 came").text == "[badge] came"
