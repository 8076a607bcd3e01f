"""Street addresses after a cue: where somebody lives, or where a parcel goes. A town alone is none."""

import re
from collections.abc import Iterator

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_CUE = re.compile(
    r"(?P<said>(?<!mail )(?<!ip )(?<!web )(?<!mac )(?<!email )(?<![a-z])(?:addr(?:ess)?)(?![a-z]))"
    r"|(?P<stay>(?<![a-z])(?:liv(?:e|es|ed|ing)|resid(?:e|es|ing)|stay(?:s|ed|ing)?|mov(?:e|ed|ing)(?: \w{1,8})?|ship(?:ped|ping)?(?: \w{1,10}){0,3}"
    r"|deliver(?:ed|y|ies)?(?: \w{1,10}){0,3}|send(?: \w{1,10}){0,4}|mail(?:ed)?(?: \w{1,10}){0,3}|post(?: \w{1,10}){0,2}|pick me up"
    r"|(?:house|home|flat|apartment|place|parcel|package)(?: is)?) (?:to|at|in|on|from)(?![a-z])|(?<![a-z])find me at)"
    r"|(?P<zh>(?:收货|收件|寄件|联系|家庭|通讯|公司)?地址|住址|住在|家住|家在|住的地方|寄到|寄给我|送到|快递到|送货到|收货|收件人?|搬到了?|搬去了?|户籍|居住地|住处|现居|住所|家里在|我家(?:就?住在?|在)?)",
    re.IGNORECASE,
)
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Terrace|Ter|Square|Sq|Highway"
    r"|Hwy|Parkway|Pkwy|Crescent|Cres|Close|Gardens|Gdns|Mews|Row|Walk|Hill|Park|Circle|Cir|Trail|Grove|Rise|Quay|Broadway)"
)
_WORD = r"[A-Za-zÀ-ÿß][\w'’.-]{0,24}"
_NUMBERED = rf"[0-9]{{1,5}}[A-Za-z]?(?:[-/][0-9]{{1,4}}[A-Za-z]?)?,? (?:{_WORD} |[0-9]{{1,3}}(?:st|nd|rd|th) ){{1,4}}?{_STREET}(?![A-Za-z])(?! {_STREET}(?![A-Za-z]))\.?"
_CONTINENTAL = (
    r"(?:[A-ZÀ-Þ][\wÀ-ÿß-]{1,28}(?:stra(?:ß|ss)e|str\.?|weg|platz|gasse|allee|ufer|damm|ring|straat|laan|gracht|plein|gatan|vej|gade)"
    rf"|(?:Rue|Avenue|Boulevard|Calle|Via|Viale|Piazza|Plaza|Paseo|Rua|Ulica|ul\.|Straße|Place|Am|An der|Unter den)(?: {_WORD}){{1,4}}?),? ?[0-9]{{1,4}} ?[a-z]?(?![A-Za-z0-9])"
)
_FRENCH = rf"[0-9]{{1,4}}(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|place|quai|all[ée]e|chemin|impasse|route|cours)(?: {_WORD}){{1,5}}?(?=[,.;!?\n]|$)"
_HOUSE = re.compile(
    rf"(?P<unit>(?:(?:Flat|Apt|Apartment|Unit|Suite|Room)\.? [A-Za-z]?[0-9]{{1,4}}[A-Za-z]?, ?)?)(?:{_NUMBERED}|{_FRENCH}|{_CONTINENTAL})",
    re.IGNORECASE,
)
_MORE = re.compile(
    r",? ?(?:(?:Apt|Apartment|Flat|Unit|Suite|Ste|Floor|Fl|Room|#)\.? ?#? ?[A-Za-z0-9-]{1,6}|[0-9]{1,2}(?:st|nd|rd|th) floor"
    r"|[A-Z]{2} [0-9]{5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}|(?:[A-Z]{1,2}-)?[0-9]{4,5}(?: [A-Z]{2})? [A-ZÀ-Þ][\wÀ-ÿ-]{1,24}|[0-9]{5}(?:-[0-9]{4})?"
    r"|(?<=,) ?[A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,24}(?: [A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,24}(?![0-9])){0,2}|(?<=, )[A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,24}(?: [A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,24}(?![0-9])){0,2}"
    r"|[NSEW]{1,2}(?![A-Za-z]))(?![A-Za-z0-9])"
)
_LOOSE = re.compile(r"\s?(?:is|:|=|->|-)\s{0,2}(?P<value>[^\n;!?]{8,120}?)(?=[.!?;]?\s*$|\.\s|[\n;!?])", re.IGNORECASE)
_POSTCODE = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2} [0-9]{5}|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}|[0-9]{5} [A-ZÀ-Þ][a-zß-ÿ])"
)
_PO_BOX = re.compile(r"P\.?\s?O\.? Box [0-9]{1,6}", re.IGNORECASE)
_REACH = 60

_ZH_RUN = re.compile(r"[\u4e00-\u9fffA-Za-z0-9 \-#,、()]{4,80}")
_ZH_LEAD = re.compile(r"(?:就|现在|目前|是|为|在|到|:|=|了|我|家|咱|填|写|的|,|\s|给|请|改成|改为|\")+")
_ZH_ROAD = re.compile(
    r"路|街|大道|巷|胡同|弄|里弄|小区|花园|公寓|大厦|苑|新村|家园|村|镇|乡|屯|社区|广场|府|城|湾|庭|坊|园"
)
_ZH_UNIT = re.compile(
    r"[0-9一二三四五六七八九十百A-Za-z甲乙丙]{1,6}\s?(?:号楼|号院|号|栋|幢|座|单元|室|弄|层|楼|户|组|房)|(?:(?<=[号栋幢座元楼室])|(?<=[0-9]-))[0-9]{1,5}"
)


def street_addresses(text: str) -> Iterator[Found]:
    """Addresses that a cue announces, from the house number or the province to the last part that belongs to it."""
    for cue in _CUE.finditer(text):
        span = _chinese(text, cue.end()) if cue["zh"] else _western(text, cue)
        if span is not None:
            value = re.sub(r"[\s,.、-]+", "", text[slice(*span)]).casefold()
            yield Found(*span, SecretType.ADDRESS, value)


def _western(text: str, cue: re.Match[str]) -> tuple[int, int] | None:
    house = _HOUSE.search(text, cue.end(), cue.end() + _REACH + 80) or _PO_BOX.search(
        text, cue.end(), cue.end() + _REACH
    )
    if house is None or house.start() > cue.end() + _REACH or re.search(r"[.!?]\s|\n", text[cue.end() : house.start()]):
        return _loose(text, cue) if cue["said"] else None
    end = house.end()
    for _ in range(8):
        more = _MORE.match(text, end)
        if more is None:
            break
        end = more.end()
    return house.start(), end


def _loose(text: str, cue: re.Match[str]) -> tuple[int, int] | None:
    """Whatever is said to be the address, if a postcode is in it."""
    said = _LOOSE.match(text, cue.end())
    return said.span("value") if said and _POSTCODE.search(said["value"]) else None


def _chinese(text: str, start: int) -> tuple[int, int] | None:
    lead = _ZH_LEAD.match(text, start, start + 12)
    start = lead.end() if lead else start
    run = _ZH_RUN.match(text, start)
    if run is None:
        return None
    units = [unit for unit in _ZH_UNIT.finditer(text, start, run.end()) if unit.end() - start <= 60]
    if not units:
        return None
    road = _ZH_ROAD.search(text, start, units[0].start() + 1)
    if road is None and len(units) < 2:
        return None
    end = units[0].end()
    for unit in units[1:]:
        if unit.start() - end > 8:
            break
        end = unit.end()
    return start, end
