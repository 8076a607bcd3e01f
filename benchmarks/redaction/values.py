"""Made-up values: secrets of every kind as people write them, and what only looks like one.

Nothing here knows the redactor's patterns: numbers are drawn, given their check digit by python-stdnum, and written in
one of the ways people write them.
"""

import base64
import hashlib
import random
import string
import uuid
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from stdnum import iban, luhn
from stdnum.cn import ric

Make = Callable[[random.Random], str]
_WIDE = {ord(plain): chr(ord(plain) + 0xFEE0) for plain in string.digits}
_NUMERALS = str.maketrans("0123456789", "零一二三四五六七八九")
_ALNUM = string.ascii_letters + string.digits


def digits(rng: random.Random, count: int) -> str:
    """So many digits, the first not 0."""
    return rng.choice("123456789") + "".join(rng.choices(string.digits, k=count - 1))


def letters(rng: random.Random, count: int, alphabet: str = _ALNUM) -> str:
    """So many characters of an alphabet."""
    return "".join(rng.choices(alphabet, k=count))


def _some(rng: random.Random, count: int) -> str:
    """So many digits, any."""
    return "".join(rng.choices(string.digits, k=count))


def _one(rng: random.Random, makes: Sequence[Callable[[], str]]) -> str:
    """What one of them makes."""
    return rng.choice(makes)()


def split(text: str, sizes: list[int], between: str) -> str:
    """`text` in groups."""
    parts, at = [], 0
    for size in sizes:
        parts.append(text[at : at + size])
        at += size
    return between.join(part for part in [*parts, text[at:]] if part)


def wide(rng: random.Random, text: str, share: float = 0.12) -> str:
    """Now and then in full-width digits."""
    return text.translate(_WIDE) if rng.random() < share else text


# --- secrets ----------------------------------------------------------------------------------------------------------


def mobile(rng: random.Random) -> str:
    """A Chinese mobile number."""
    number = rng.choice(["13", "15", "17", "18", "19", "16"]) + "".join(rng.choices(string.digits, k=9))
    shape = rng.choice([[11], [11], [11], [3, 4, 4], [3, 4, 4], [3, 8], [7, 4]])
    number = split(number, shape, rng.choice([" ", "-", "-", "."] if len(shape) > 2 else [" ", "-"]))
    prefix = rng.choice(["", "", "", "", "+86 ", "+86", "+86-", "0086 ", "0086-", "86-", "(+86) ", "（+86）", "(86)"])
    if prefix == "" and rng.random() < 0.03:
        return number.replace("-", "").replace(" ", "").replace(".", "").translate(_NUMERALS)
    return wide(rng, prefix + number)


def landline(rng: random.Random) -> str:
    """A Chinese landline with its area code."""
    area, size = rng.choice([("010", 8), ("021", 8), ("0571", 8), ("0755", 8), ("028", 8), ("0532", 8), ("0512", 8)])
    local = rng.choice("2568") + "".join(rng.choices(string.digits, k=size - 1))
    local = rng.choice([local, local, f"{local[:4]} {local[4:]}"])
    return rng.choice([f"{area}-{local}", f"{area} {local}", f"({area}) {local}", f"（{area}）{local}"])


def american(rng: random.Random) -> str:
    """A number of the North American plan, fictional (555-01xx)."""
    area = rng.choice(["212", "415", "312", "617", "206", "303", "512", "713", "404", "702"])
    last = f"01{rng.randrange(100):02d}"
    number = rng.choice(["({a}) 555-{l}", "{a}-555-{l}", "{a}.555.{l}", "{a} 555 {l}", "({a})555-{l}"])
    prefix = rng.choice(["", "", "", "+1 ", "1-", "+1-", "001 "])
    return prefix + number.format(a=area, l=last)


def european(rng: random.Random) -> str:
    """A number of a European country, as it is written there or with its prefix."""
    return rng.choice(
        [
            f"+44 20 7946 0{_some(rng, 3)}",
            f"+44 (0)20 7946 0{_some(rng, 3)}",
            f"020 7946 0{_some(rng, 3)}",
            f"07911 12{_some(rng, 4)}",
            f"+44 7911 12{_some(rng, 4)}",
            f"+33 6 12 {_some(rng, 2)} {_some(rng, 2)} {_some(rng, 2)}",
            f"06 12 {_some(rng, 2)} {_some(rng, 2)} {_some(rng, 2)}",
            f"06.12.{_some(rng, 2)}.{_some(rng, 2)}.{_some(rng, 2)}",
            f"+49 30 2312{_some(rng, 4)}",
            f"030 2312{_some(rng, 4)}",
            f"+49 (0)151 2345{_some(rng, 4)}",
            f"0151 2345{_some(rng, 4)}",
            f"+34 612 34 {_some(rng, 2)} {_some(rng, 2)}",
            f"+39 333 12{_some(rng, 5)}",
            f"+31 6 1234{_some(rng, 4)}",
            f"06-1234{_some(rng, 4)}",
            f"0031 6 1234{_some(rng, 4)}",
            f"+48 512 34{_some(rng, 1)} {_some(rng, 3)}",
            f"+353 86 12{_some(rng, 1)} {_some(rng, 4)}",
            f"+46 70 123 {_some(rng, 2)} {_some(rng, 2)}",
        ]
    )


def _resident_start(rng: random.Random) -> str:
    born = date(1950, 1, 1) + timedelta(days=rng.randrange(20000))
    return f"99{rng.randrange(10000):04d}{born:%Y%m%d}{rng.randrange(1000):03d}"


def resident(rng: random.Random) -> str:
    """A Chinese resident id of no existing region."""
    first = _resident_start(rng)
    number = first + ric.calc_check_digit(first + "0")
    if number.endswith("X") and rng.random() < 0.5:
        number = number.lower()
    return wide(rng, split(number, rng.choice([[18], [18], [18], [6, 8, 4]]), rng.choice([" ", "-"])))


def card(rng: random.Random) -> str:
    """A payment card number with the right check digit."""
    first, size = rng.choice(
        [
            ("4", 16),
            ("4", 16),
            ("51", 16),
            ("55", 16),
            ("37", 15),
            ("34", 15),
            ("62", 16),
            ("62", 19),
            ("6011", 16),
            ("35", 16),
        ]
    )
    if first == "35":
        first = "3545"
    number = first + "".join(rng.choices(string.digits, k=size - len(first) - 1))
    number += luhn.calc_check_digit(number)
    groups = [4, 6, 5] if size == 15 else [4, 4, 4, 4]
    return wide(rng, split(number, rng.choice([[size], groups, groups]), rng.choice([" ", "-", " ", "."])), 0.08)


def account(rng: random.Random) -> str:
    """An IBAN."""
    country, bban = rng.choice(
        [
            ("DE", "".join(rng.choices(string.digits, k=18))),
            ("GB", letters(rng, 4, string.ascii_uppercase) + "".join(rng.choices(string.digits, k=14))),
            (
                "FR",
                "".join(rng.choices(string.digits, k=10))
                + letters(rng, 11, string.digits)
                + "".join(rng.choices(string.digits, k=2)),
            ),
            ("NL", letters(rng, 4, string.ascii_uppercase) + "".join(rng.choices(string.digits, k=10))),
            ("ES", "".join(rng.choices(string.digits, k=20))),
            ("AT", "".join(rng.choices(string.digits, k=16))),
            ("CH", "".join(rng.choices(string.digits, k=17))),
            ("PL", "".join(rng.choices(string.digits, k=24))),
        ]
    )
    number = country + iban.calc_check_digits(f"{country}00{bban}") + bban
    written = rng.choice(
        [number, split(number, [4] * 8, " "), split(number, [4] * 8, " "), split(number, [4] * 8, "-")]
    )
    return written.lower() if rng.random() < 0.1 else written


def passport(rng: random.Random) -> str:
    """A passport number."""
    return rng.choice(
        [
            rng.choice("EG") + digits(rng, 8),
            "E" + rng.choice("ABCDEFGH") + digits(rng, 7),
            digits(rng, 9),
            rng.choice("CFGHJK") + digits(rng, 8),
            f"{digits(rng, 2)}{letters(rng, 2, string.ascii_uppercase)}{digits(rng, 5)}",
        ]
    )


_FIRST = (
    "li.na",
    "wangwei",
    "j.doe",
    "anna_k",
    "zhang-san",
    "tomasz",
    "m.rossi",
    "chen88",
    "lucy",
    "o.brien",
    "x9",
    "sofia.perez",
)
_HOSTS = (
    "example.com",
    "mail.example.org",
    "example.com.cn",
    "qq.example",
    "corp.example.co.uk",
    "example.test",
    "uni-muster.example",
)


def email(rng: random.Random) -> str:
    """An e-mail address, now and then spelt out."""
    local = rng.choice(_FIRST) + rng.choice(["", "", str(rng.randrange(1000)), "+news"])
    host = rng.choice(_HOSTS)
    way = rng.random()
    if way < 0.06:
        return f"{local} [at] {host.replace('.', ' [dot] ')}" if host.count(".") == 1 else f"{local}(at){host}"
    if way < 0.1:
        return f"{local} at {host.replace('.', ' dot ')}"
    if way < 0.16:
        return f"{local}＠{host}"
    return rng.choice([f"{local}@{host}", f"{local}@{host}", f"{local.upper()}@{host}"])


def api_key(rng: random.Random) -> str:
    """A key or token in a vendor's form."""
    return _one(
        rng,
        [
            lambda: f"sk-{letters(rng, 48)}",
            lambda: f"sk-proj-{letters(rng, 40)}",
            lambda: f"sk-ant-api03-{letters(rng, 40)}",
            lambda: f"sk_live_{letters(rng, 24)}",
            lambda: f"pk_test_{letters(rng, 24)}",
            lambda: f"ghp_{letters(rng, 36)}",
            lambda: f"github_pat_{letters(rng, 22)}_{letters(rng, 59)}",
            lambda: f"glpat-{letters(rng, 20)}",
            lambda: f"xoxb-{digits(rng, 12)}-{letters(rng, 24)}",
            lambda: f"AKIA{letters(rng, 16, string.ascii_uppercase + string.digits)}",
            lambda: f"AIza{letters(rng, 35, _ALNUM + '_-')}",
            lambda: f"hf_{letters(rng, 34)}",
            lambda: f"npm_{letters(rng, 36)}",
            lambda: f"SG.{letters(rng, 22)}.{letters(rng, 43)}",
            lambda: f"LTAI{letters(rng, 20)}",
            lambda: f"tok_FAKE_{letters(rng, 16, '0123456789abcdef')}",
            lambda: f"gsk_{letters(rng, 52)}",
            lambda: jwt(rng),
        ],
    )


def jwt(rng: random.Random) -> str:
    """A JSON web token."""
    parts = (b'{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{digits(rng, 10)}","iat":{digits(rng, 10)}}}'.encode())
    head = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    return f"{head}.{letters(rng, 43, _ALNUM + '_-')}"


def token(rng: random.Random) -> str:
    """A token of no known form: only a cue tells."""
    return _one(
        rng,
        [
            lambda: letters(rng, 32, "0123456789abcdef"),
            lambda: letters(rng, rng.randrange(20, 44)),
            lambda: str(uuid.UUID(int=rng.getrandbits(128))),
            lambda: base64.b64encode(rng.randbytes(24)).decode(),
            lambda: f"{letters(rng, 5)}-{letters(rng, 5)}-{letters(rng, 5)}-9",
        ],
    )


_STEMS = (
    "dragon",
    "Sunshine",
    "hunter",
    "Winter",
    "monkey",
    "Qwerty",
    "panda",
    "Kraken",
    "tiger",
    "woaini",
    "xiaoming",
)


def password(rng: random.Random) -> str:
    """A password as people choose them."""
    stem = rng.choice(_STEMS)
    return _one(
        rng,
        [
            lambda: f"{stem}{rng.randrange(10, 9999)}",
            lambda: f"{stem}{rng.choice('!@#$%&*')}{rng.randrange(1, 999)}",
            lambda: letters(rng, rng.randrange(8, 16), _ALNUM + "!@#$%^&*-_+") + rng.choice("7x9k"),
            lambda: stem.replace("o", "0").replace("a", "@").replace("i", "1") + str(rng.randrange(10, 99)),
            lambda: f"{rng.choice(_STEMS)}-{stem}-{rng.randrange(10, 99)}",
        ],
    )


def pin(rng: random.Random) -> str:
    """A PIN."""
    return digits(rng, rng.choice([4, 4, 6]))


def address_en(rng: random.Random) -> str:
    """A street address as in English-speaking countries."""
    street = rng.choice(
        ["Maple", "Oak Hill", "Station", "King", "Elm", "Church", "North 5th", "Riverside", "Queen Anne"]
    )
    kind = rng.choice(["Street", "St", "Road", "Rd", "Ave", "Avenue", "Lane", "Drive", "Blvd", "Court", "Way"])
    unit = rng.choice(
        ["", "", f", Apt {rng.randrange(1, 60)}", f" Apt {rng.randrange(1, 60)}B", f", Flat {rng.randrange(1, 20)}"]
    )
    town = rng.choice(
        ["", "", ", Springfield, IL 62704", ", Leeds LS1 4AB", ", Austin, TX 78701", ", Boston, MA 02110", ", Dublin"]
    )
    return f"{rng.randrange(1, 2999)} {street} {kind}{unit}{town}"


def address_eu(rng: random.Random) -> str:
    """A street address of the continent."""
    number = rng.randrange(1, 180)
    return rng.choice(
        [
            f"Lindenstraße {number}, 10969 Berlin",
            f"Bahnhofstrasse {number}, 8001 Zürich",
            f"Gartenweg {number}, 80331 München",
            f"{number} rue des Lilas, 75019 Paris",
            f"{number} avenue de la République, 69003 Lyon",
            f"Calle Mayor {number}, 28013 Madrid",
            f"Via Garibaldi {number}, 20121 Milano",
            f"Kerkstraat {number}, 1017 GC Amsterdam",
        ]
    )


def address_zh(rng: random.Random) -> str:
    """A Chinese address."""
    place = rng.choice(
        ["浙江省杭州市西湖区", "北京市朝阳区", "上海市浦东新区", "广州市天河区", "成都市武侯区", "南京市鼓楼区", ""]
    )
    road = (
        rng.choice(["文三路", "建国路", "张杨路", "中山大道", "人民南路", "和平街", "柳荫巷"])
        + f"{rng.randrange(1, 999)}号"
    )
    estate = rng.choice(["", "", "阳光花园", "翠苑小区", "幸福里小区"])
    flat = rng.choice(
        [
            "",
            f"{rng.randrange(1, 30)}幢{rng.randrange(1, 4)}单元{rng.randrange(101, 2400)}室",
            f"{rng.randrange(1, 30)}栋{rng.randrange(101, 2400)}",
            f"{rng.randrange(1, 9)}号楼{rng.randrange(101, 2400)}室",
        ]
    )
    return place + road + estate + flat


def ipv4(rng: random.Random) -> str:
    """An IPv4 address of somebody's."""
    return rng.choice(
        ["203.0.113.{}", "198.51.100.{}", "192.168.{}.17", "10.20.{}.4", "172.16.5.{}", "45.33.{}.156"]
    ).format(rng.randrange(2, 250))


def _hex(rng: random.Random) -> str:
    return f"{rng.randrange(1, 65536):x}"


def ipv6(rng: random.Random) -> str:
    """An IPv6 address."""
    return rng.choice(
        [
            f"2001:db8:{_hex(rng)}::{_hex(rng)}",
            f"2001:db8:{_hex(rng)}:{_hex(rng)}:{_hex(rng)}:{_hex(rng)}:{_hex(rng)}:{_hex(rng)}",
            f"fe80::{_hex(rng)}:{_hex(rng)}:{_hex(rng)}",
        ]
    )


# --- what only looks like one -----------------------------------------------------------------------------------------


def order(rng: random.Random) -> str:
    """An order number; one in ten passes Luhn."""
    return _one(
        rng,
        [
            lambda: digits(rng, rng.choice([8, 10, 11, 12, 13, 16, 18, 19])),
            lambda: "4" + digits(rng, 15),
            lambda: "13" + digits(rng, 9),
            lambda: f"{digits(rng, 3)}-{digits(rng, 7)}-{digits(rng, 7)}",
            lambda: (
                f"{letters(rng, 2, string.ascii_uppercase)}-{digits(rng, 4)}-{letters(rng, 1, string.ascii_uppercase)}"
            ),
            lambda: f"PO-{digits(rng, 8)}",
        ],
    )


def tracking(rng: random.Random) -> str:
    """A tracking number."""
    return rng.choice(
        [
            f"SF{digits(rng, 13)}",
            f"1Z{letters(rng, 6, string.ascii_uppercase + string.digits)}{digits(rng, 10)}",
            f"YT{digits(rng, 13)}",
            digits(rng, 14),
            f"EA{digits(rng, 9)}CN",
            digits(rng, 12),
        ]
    )


def made_hash(rng: random.Random) -> str:
    """A hash of some length."""
    raw = str(rng.random()).encode()
    full = rng.choice(
        [hashlib.md5(raw, usedforsecurity=False), hashlib.sha1(raw, usedforsecurity=False), hashlib.sha256(raw)]
    ).hexdigest()
    return rng.choice([full, full, full[:7], full[:12]])


def made_uuid(rng: random.Random) -> str:
    """A UUID."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def moment(rng: random.Random) -> str:
    """A date, a time, a span."""
    day = date(2018, 1, 1) + timedelta(days=rng.randrange(4000))
    later = day + timedelta(days=rng.randrange(1, 40))
    clock = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}"
    return rng.choice(
        [
            f"{day}",
            f"{day} {clock}",
            f"{day} {clock}:{rng.randrange(60):02d}",
            f"{day:%Y%m%d}",
            f"{day:%Y.%m.%d}",
            f"{day:%d/%m/%Y}",
            f"{day:%m-%d-%Y}",
            f"{day} - {later}",
            f"{day} {later}",
            f"{day:%Y%m%d}{clock.replace(':', '')}",
            f"{day}T{clock}:00Z",
            f"{day:%Y/%m/%d} {clock}-23:59",
            f"{day.year}-{later.year + 1}",
        ]
    )


def version(rng: random.Random) -> str:
    """A version number."""
    return rng.choice(
        [
            f"{rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(30)}",
            f"v{rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(30)}-rc{rng.randrange(4)}",
            f"v{1 + rng.randrange(120)}.0.{rng.randrange(250)}.{rng.randrange(250)}",
            f"{rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(30)}+build.{digits(rng, 8)}",
            f"2026.{1 + rng.randrange(12)}.{rng.randrange(30)}",
        ]
    )


def isbn(rng: random.Random) -> str:
    """A book's number (its check digit is not needed to be told from a phone)."""
    return rng.choice(
        [
            f"978-7-{digits(rng, 3)}-{digits(rng, 5)}-{rng.randrange(10)}",
            f"978{digits(rng, 10)}",
            f"0-{digits(rng, 3)}-{digits(rng, 5)}-X",
        ]
    )


def coordinates(rng: random.Random) -> str:
    """A place on earth."""
    lat, lon = rng.uniform(-80, 80), rng.uniform(-179, 179)
    return rng.choice(
        [f"{lat:.6f}, {lon:.6f}", f"{lat:.4f},{lon:.4f}", f"{lat:.5f} {lon:.5f}", f"({lat:.7f}, {lon:.7f})"]
    )


def price(rng: random.Random) -> str:
    """An amount of money."""
    return rng.choice(
        [
            f"${rng.randrange(10**3, 10**9):,}",
            f"¥{rng.randrange(10**3, 10**11)}",
            f"{rng.randrange(10**6, 10**11)}元",
            f"€{rng.uniform(1, 9999):.2f}",
            f"USD {rng.randrange(10**6, 10**10)}",
            f"{rng.randrange(1, 999)}.{rng.randrange(10**6, 10**7)} BTC",
        ]
    )


def code_line(rng: random.Random) -> str:
    """A line of a program with a long number."""
    number = digits(rng, rng.choice([10, 11, 13, 16, 19]))
    return rng.choice(
        [
            f"const max = {number};",
            f"seed = {number}",
            f"x == {number}",
            f"users.get({number})",
            f"hash({number}) % 97",
            f"0x{letters(rng, 16, '0123456789abcdef')}",
            f"assert total == {number}L",
            f"userId: {number}",
            f"id={number}&page=2",
        ]
    )


def plate(rng: random.Random) -> str:
    """A Chinese car plate."""
    return (
        rng.choice("京沪浙粤苏川")
        + rng.choice("ABCDE")
        + rng.choice(["", "·"])
        + letters(rng, 5, string.digits + "ABCDEFGHJK")
    )


def messenger(rng: random.Random) -> str:
    """A QQ number, which looks like nothing."""
    return digits(rng, rng.choice([8, 9, 10]))


def flight(rng: random.Random) -> str:
    """A flight."""
    return rng.choice(["CA", "MU", "LH", "BA", "CZ"]) + digits(rng, rng.choice([3, 4]))


def bad_resident(rng: random.Random) -> str:
    """Like a resident id, with a wrong check digit."""
    first = _resident_start(rng)
    right = ric.calc_check_digit(first + "0")
    return first + rng.choice([digit for digit in string.digits if digit != right])


def bad_card(rng: random.Random) -> str:
    """Like a card, with a wrong check digit."""
    number = rng.choice(["4", "5"]) + "".join(rng.choices(string.digits, k=14))
    wrong = (int(luhn.calc_check_digit(number)) + rng.randrange(1, 10)) % 10
    return split(f"{number}{wrong}", rng.choice([[16], [4, 4, 4, 4]]), rng.choice([" ", "-"]))
