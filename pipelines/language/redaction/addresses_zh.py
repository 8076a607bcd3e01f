"""Chinese addresses after a cue: a road or an estate, and a number in it. A town or a district alone is none."""

import re
from collections.abc import Iterator

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_CUE = re.compile(
    r"(?:收货|收件|寄件|联系|家庭|通讯|公司)?地址|住址|住在|[我他她们人]?(?:现在|目前|就|也|都)?家?住|家在|住的地方"
    r"|寄到|寄给我|送到"
    r"|快递到|送货到|收货|收件人?|搬到了?|搬去了?|户籍|居住地|住处|现居|住所|家里在|我家(?:就?住在?|在)?"
)
_LEAD = re.compile(r"(?:就|现在|目前|是|为|在|到|:|=|了|我|家|咱|填|写|的|,|，|\s|给|请|改成|改为|\"){1,6}")
_RUN = re.compile(r"[\u4e00-\u9fffA-Za-z0-9 \-#,，、()]{4,80}")
_ROAD = re.compile(r"路|街|大道|巷|胡同|弄|小区|花园|公寓|大厦|苑|新村|家园|村|镇|乡|屯|社区|广场|府|城|湾|庭|坊|园")
_UNIT = re.compile(
    r"[0-9一二三四五六七八九十百A-Za-z甲乙丙]{1,6}\s?(?:号楼|号院|号|栋|幢|座|单元|室|弄|层|楼|户|组|房)"
    r"|(?:(?<=[号栋幢座元楼室])|(?<=[0-9]-))[0-9]{1,5}"
)
_BETWEEN = re.compile(r"[ ,，、#-]{0,2}[\u4e00-\u9fff]{0,8}[ -]?")
_NAMED = re.compile(
    r"[\u4e00-\u9fff]{1,9}?(?:产业园|科技园|大厦|小区|公寓|花园|苑|广场|中心|家园|新村|城|府|园)(?![\u4e00-\u9fff])"
)
_LONGEST = 60


def chinese_addresses(text: str) -> Iterator[Found]:
    """Addresses that a cue announces, from the province to the last part that belongs to them."""
    for cue in _CUE.finditer(text):
        span = _address(text, cue.end())
        if span is not None:
            yield Found(*span, SecretType.ADDRESS, re.sub(r"[\s,，、#-]+", "", text[slice(*span)]))


def _address(text: str, start: int) -> tuple[int, int] | None:
    lead = _LEAD.match(text, start, start + 12)
    start = lead.end() if lead else start
    run = _RUN.match(text, start)
    if run is None:
        return None
    units = [unit for unit in _UNIT.finditer(text, start, run.end()) if unit.end() - start <= _LONGEST]
    if not units or units[0][0].isdecimal():
        return None
    if _ROAD.search(text, start, units[0].start() + 1) is None and len(units) < 2:
        return None
    end = units[0].end()
    for unit in units[1:]:
        if _BETWEEN.fullmatch(text, end, unit.start()) is None:
            break
        end = unit.end()
    named = _NAMED.match(text, end, end + 16)
    return start, named.end() if named else end
