"""The words of explanations, in English and Chinese: data for `lithify.domain.slots.explain`.

Every rule code that the fold can write has its reason here; a test compares.
"""

from enum import StrEnum

from lithify.domain.slots.state import VerdictKind


class Language(StrEnum):
    """A language that explanations are written in."""

    EN = "en"
    ZH = "zh"


EN, ZH = Language.EN, Language.ZH

OUTCOMES: dict[VerdictKind, dict[Language, str]] = {
    VerdictKind.ESTABLISHED: {EN: "{name}: {value} is stored", ZH: "{name}:已记为{value}"},
    VerdictKind.KEPT: {EN: "{name}: {value} changes nothing", ZH: "{name}:{value}未改变已有内容"},
    VerdictKind.REINFORCED: {EN: "{name}: {value} is confirmed", ZH: "{name}:{value}得到再次确认"},
    VerdictKind.OVERRIDDEN: {EN: "{name}: {value} holds for a while", ZH: "{name}:暂时以{value}为准"},
    VerdictKind.PROMOTED: {EN: "{name}: {value} became the fact", ZH: "{name}:{value}成为事实"},
    VerdictKind.SUPERSEDED: {EN: "{name}: {value} took its place", ZH: "{name}:已改为{value}"},
    VerdictKind.LAPSED: {EN: "{name}: {value} no longer holds", ZH: "{name}:{value}不再生效"},
    VerdictKind.REJECTED: {EN: "{name}: {value} was turned down", ZH: "{name}:{value}未被采纳"},
    VerdictKind.RETRACTED: {EN: "{name}: {value} was taken back", ZH: "{name}:{value}已撤回"},
}

REASONS: dict[str, dict[Language, str]] = {
    "instruction": {EN: "it was an explicit instruction", ZH: "这是明确的指示"},
    "change": {EN: "a change was reported", ZH: "对方说明情况已变"},
    "statement": {EN: "it was stated", ZH: "对方这样陈述"},
    "confirmation": {EN: "a question was answered with yes", ZH: "对方对提问作了肯定回答"},
    "confirmed": {EN: "the answer was yes, for good", ZH: "对方确认长期如此"},
    "choice": {EN: "it was chosen, not declared", ZH: "这是一次选择,并非声明"},
    "inferred": {EN: "it was only guessed", ZH: "这只是推测"},
    "opposite_statement": {EN: "the opposite of the stored value was stated", ZH: "对方说的与已记内容相反"},
    "remember": {EN: "it was told to the memory by command", ZH: "按命令记住"},
    "correct": {
        EN: "it was corrected by command, and the old value was never true",
        ZH: "按命令更正,旧值从未成立",
    },
    "approve": {EN: "it was approved by command", ZH: "按命令批准"},
    "reject": {EN: "it was rejected by command", ZH: "按命令否决"},
    "pin": {EN: "it is pinned, only a command changes it", ZH: "已固定,只有命令能修改"},
    "unpin": {EN: "it is no longer pinned", ZH: "已取消固定"},
    "evidence": {EN: "it was supported on enough separate days", ZH: "足够多的不同日期都支持它"},
    "undone": {EN: "the days since spoke for the earlier value", ZH: "此后的日子支持原来的值"},
    "scheduled": {EN: "it holds from the time that was said", ZH: "自所说的时间起生效"},
    "schedule_cancelled": {EN: "something else was declared before it began", ZH: "生效之前另有声明"},
    "past_interval": {EN: "it held in the past only", ZH: "只在过去成立"},
    "ended": {EN: "it was said to have ended", ZH: "对方说已经结束"},
    "compatible": {EN: "it denies another value than the stored one", ZH: "它否定的是另一个值"},
    "choice_over": {EN: "what was chosen is over", ZH: "所选的事情已经过去"},
    "safety": {
        EN: "a danger is taken away only by an instruction or a confirmed answer",
        ZH: "涉及安全,须有明确指示或确认才能取消",
    },
    "pinned": {EN: "the stored value is pinned", ZH: "已记的值被固定"},
    "withdrawal": {EN: "everything of its kind was withdrawn", ZH: "这一类内容已被整体收回"},
    "nothing_to_withdraw": {EN: "nothing stored matches the withdrawal", ZH: "没有与收回内容相符的记录"},
    "nothing_to_remember": {EN: "the command names no value", ZH: "命令没有给出值"},
    "nothing_to_correct": {EN: "the command names no value", ZH: "命令没有给出值"},
    "nothing_to_pin": {EN: "nothing is stored that could be pinned", ZH: "没有可以固定的内容"},
    "nothing_to_unpin": {EN: "nothing is pinned", ZH: "没有被固定的内容"},
    "nothing_to_approve": {EN: "nothing is waiting for approval", ZH: "没有等待批准的内容"},
    "nothing_to_reject": {EN: "nothing is waiting for a decision", ZH: "没有等待决定的内容"},
    "answered_no": {EN: "the answer was no", ZH: "对方回答不是"},
    "contender_silent": {EN: "nothing spoke for it any more", ZH: "长时间没有新的支持"},
    "session_end": {EN: "its session ended", ZH: "所在会话已结束"},
    "idle": {EN: "it was not mentioned for hours", ZH: "数小时未再提起"},
    "stated_end": {EN: "its stated end has come", ZH: "所说的期限已到"},
    "trip_life": {EN: "the trip was not mentioned for days", ZH: "多日未再提起这次行程"},
    "statement_life": {EN: "it was not said again for days", ZH: "多日未再说起"},
    "next_session_end": {EN: "it was meant for one session, which ended", ZH: "只针对一次会话,该会话已结束"},
    "return": {EN: "the trip is over", ZH: "行程已结束"},
    "declared": {EN: "something was declared", ZH: "已有明确声明"},
    "stated_again": {EN: "the stored value was stated", ZH: "对方重申了已记的值"},
    "chosen_again": {EN: "the stored value was chosen", ZH: "对方又选择了已记的值"},
    "denied": {EN: "it was denied", ZH: "对方否认了它"},
    "withdrawn": {EN: "everything of its kind was withdrawn", ZH: "这一类内容已被整体收回"},
    "promoted": {EN: "it became the fact itself", ZH: "它已成为事实"},
    "restated": {EN: "it was said anew", ZH: "对方重新说了一遍"},
}

QUESTIONS: dict[str, dict[Language, str]] = {
    "contradiction": {
        EN: "Ask whether {value} is for good ({name}; stored: {against}).",
        ZH: "请询问{value}是否是长期的({name};已记:{against})。",
    },
    "contender": {
        EN: "Ask whether {value} is for good ({name}; stored: {against}).",
        ZH: "请询问{value}是否是长期的({name};已记:{against})。",
    },
    "unsupported": {
        EN: "Ask whether {value} still holds ({name}).",
        ZH: "请询问{value}是否仍然成立({name})。",
    },
    "safety": {
        EN: "Ask whether {against} has really ceased to be a danger ({name}); until then it stays.",
        ZH: "请确认{against}是否真的不再是风险({name});确认之前予以保留。",
    },
    "pinned": {
        EN: "Ask whether to unpin {against} in favour of {value} ({name}).",
        ZH: "请询问是否取消固定{against},改为{value}({name})。",
    },
}

NUMBERS = {
    EN: "{days} days, {needed_days} needed; posterior {posterior:.2f} of {threshold:.2f}",
    ZH: "{days}天,需要{needed_days}天;后验概率{posterior:.2f},门槛{threshold:.2f}",
}
NUMBERS_OF_ONE_DAY = {
    EN: "1 day, {needed_days} needed; posterior {posterior:.2f} of {threshold:.2f}",
    ZH: NUMBERS[ZH],
}
UNTIL = {EN: "until {ends_at}", ZH: "至{ends_at}"}
INSTEAD = {EN: "instead of {replaced}", ZH: "替代{replaced}"}
GATHERING = {
    EN: "{name}: {value} is gathering evidence ({numbers}).",
    ZH: "{name}:{value}正在积累证据({numbers})。",
}
PINNED = {EN: "The stored value is pinned, so only a command changes it", ZH: "已记的值被固定,只有命令能修改"}
ONE_MORE_DAY = {EN: "1 more day", ZH: "1天"}
MORE_DAYS = {EN: "{count} more days", ZH: "{count}天"}
FOR_GOOD = {EN: "or at once if it is said to be for good", ZH: "或用户明确说是长期的,它就成为事实"}
NEEDS_DAYS = {EN: "It becomes the fact with {days} for it", ZH: "再有{days}支持它"}
NEEDS_POSTERIOR = {
    EN: "It becomes the fact once more days for it raise the posterior by {surer:.2f}",
    ZH: "后续支持使后验概率再升高{surer:.2f}",
}
NEEDS_BOTH = {
    EN: "It becomes the fact with at least {days} for it and a posterior higher by {surer:.2f}",
    ZH: "至少再有{days}支持它且后验概率再升高{surer:.2f}",
}
READY = {
    EN: "It becomes the fact at the end of a day whose last word is for it",
    ZH: "某一天最后仍支持它,当天结束时它就成为事实",
}
DROPPED = {EN: "without another mention it is dropped on {day}", ZH: "若不再提起,将于{day}放弃"}
DENIED = {EN: "not {value}", ZH: "非{value}"}
NOTHING = {EN: "nothing", ZH: "无"}
THE_USER = {EN: "the user", ZH: "用户"}
NAME = {EN: "{attribute} of {subject}", ZH: "{subject}的{attribute}"}
UNKNOWN_REASON = {EN: "rule {rule}", ZH: "规则{rule}"}
