"""What the words around a number call it. The nearest cue of the sentence decides."""

import re
from enum import StrEnum


class Cue(StrEnum):
    """What a number is said to be."""

    PHONE = "phone"
    CARD = "card"
    IDENTITY = "identity"
    OTHER = "other"
    """An order, a version, an amount: nothing to be hidden."""


_BEFORE = 36
_AFTER = 6
_NEXT = 3
_LONGEST = 20
_WORDS = re.compile(  # of a text in lower case: several times faster than ignoring case
    r"(?P<other>(?<![a-z])(?:order|tracking|invoice|ticket|serial|build|commit|version|reference|confirmation|booking"
    r"|reservation|shipment|shipping|parcel|package|waybill|sku|product|item|model|part|is[bs]n|doi|ean|upc|barcode"
    r"|case|issue|bug|job|task|transaction|txn|receipt|purchase|batch|lot|sequence|timestamp|epoch|unix|offset|count"
    r"|total|population|revenue|amount|price|budget|score|qq|uu?id|flight|room|seat|contract|membership|member"
    r"|student|employee|checksum|hash|seed|coordinates?|latitude|longitude|frequency|meter|asin|imei|license|licence"
    r"|(?:user|account|customer|device|session|request|trace|process|thread|message|channel|chat|post|video|record|row"
    r"|document|app|group|project)[ _-]?id)s?(?![a-z])"
    r"|(?<![a-z])(?:po|ref|ts|pid|pr)(?![a-z])|\b\w+_id\b|#\s?$"
    r"|订单|单号|编号|快递|运单|物流|流水|序列|票号|工单|发票|合同|条码|条形码|货号|型号|版本|提交|批次|时间戳|qq|群号"
    r"|学号|工号|会员|房间|航班|车牌|邮编|坐标|经度|纬度|取件|价格|金额|总额|人口|书号|交易|商品|库存|保单|户号|账单"
    r"|编码"
    r"|代码|案号|设备号|参考号|票据|积分|哈希|追踪|包裹|粉丝|播放|浏览|阅读量|点赞|访问量|下载量|次数|数量|销售额|营收)"
    r"|(?P<phone>(?<![a-z])(?:(?:tele|i|smart)?phones?|mobile|cell(?:phone|ular)?|tel|call(?:ed|ing)?|dial(?:led"
    r"|ing)?|ring"
    r"|text(?:ed)? (?:me|him|her|us|them|at)|text(?=\s[+(]{0,2}$)|whatsapp|signal|telegram|viber|sms|fax|contact"
    r"|reach|landline|wechat|vx|wx"
    r"|hotline|(?:new|my|his|her|their|our|'s) (?:number|digits)|handy|mob"
    r"|mobil(?:e|nummer)?|telefon[a-z]{0,8}|teléfono"
    r"|telefone|rufnummer|móvil|movil|cellulare|cellulaire|portable|ph|voicemail|extension)(?![a-z])"
    r"|电话|手机|(?<![\u4e00-\u9fff])号码|新号码?|我的?号码?|座机|固话|联系|拨打|致电|来电|打给|打我|你打|[再就来]打"
    r"|拨|打(?=\s?[+(]{0,2}$)|短信|微信|热线|传真|手机号|call我|加我)"
    r"|(?P<card>(?<![a-z])(?:cards?|visa|master ?card|amex|american express|discover|union ?pay|credit|debit"
    r"|pay(?:ment|ing)?|paid"
    r"|charged?|bank|maestro|jcb)(?![a-z])|卡号|银行|信用卡|储蓄卡|借记卡|卡|付款|支付|银联|账号|帐号|账户|帐户|刷)"
    r"|(?P<identity>(?<![a-z])(?:ssn|social security|national id|identity|id card|resident id)(?![a-z])|身份|证件)"
)
_LINKED = re.compile(
    r"[ \"'`)\]]{0,3}(?:,\s?)?(?:(?:which |that )?(?:is|was|=)|是|为|这个|这)\s?"
    r"(?:(?:my|the|our|his|her|your|their|an?|for|that|this|just|only|我的?|他的?|她的?|那个|一个)\s?){0,3}",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[。！？!?\n;；]| - |\.\s+(?=[A-Z\u4e00-\u9fff])")
_PARTED = re.compile(r"[\d,，。！？!?\n;；]| - ")
_NUMBER = re.compile(r"\d[\d .\-()]{3,}")
_LISTED = re.compile(r"\s?(?:[,，、/&]|and|or|和|与|及|或)?\s?(?:[+(]{0,2}(?:86)?[) ]?)?", re.IGNORECASE)
_NEGATED = re.compile(r"(?:\bnot|n't|\bno|不是|并非)\s?(?:an?|my|the|我的)?\s?$", re.IGNORECASE)


def cue_of(text: str, start: int, end: int) -> Cue | None:
    """What the words around text[start:end] call it.

    "NUMBER is my order number" comes first, then the nearest word before, in the same sentence, then one after.
    """
    linked = _LINKED.match(text, end, end + _AFTER)
    after = _after(text, linked.end(), _AFTER) if linked else None
    before, distance = _before(text, start)
    if before and (after is None or distance <= _NEXT):
        return before
    return after or _after(text, end, _NEXT)


def _before(text: str, start: int) -> tuple[Cue | None, int]:
    """The last word before a number, and how far it is. One that already has its number counts no more."""
    low = max(0, start - _BEFORE)
    breaks = [found.end() for found in _BREAK.finditer(text, low, start)]
    low = breaks[-1] if breaks else low
    last = None
    window = text[low:start].lower()
    for found in _WORDS.finditer(window):
        if not _NEGATED.search(window, 0, found.start()):
            last = found
    if last is None or _taken(window[last.end() :]):
        return None, 0
    return _named(last), len(window) - last.end()


def _taken(between: str) -> bool:
    """Whether another number stands between, and is not listed with this one."""
    numbers = list(_NUMBER.finditer(between))
    return bool(numbers) and _LISTED.fullmatch(between, numbers[-1].end()) is None


def _after(text: str, start: int, within: int) -> Cue | None:
    """The first word after `start`, if it begins in so many characters."""
    window = text[start : start + within + _LONGEST].lower()
    found = _WORDS.search(window)
    if found is None or found.start() > within or _PARTED.search(window, 0, found.start()):
        return None
    return _named(found)


def _named(found: re.Match[str]) -> Cue:
    return Cue(str(found.lastgroup))
