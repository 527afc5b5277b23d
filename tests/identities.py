"""Invented people and the ways in which they let themselves be known, from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from stdnum.cn import ric

SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕".split()
)
SURNAMES = [*"".join(SURNAMES), "欧阳", "司马", "上官", "诸葛"]
GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华文建国志海玲雪梅宇轩梓涵浩然子墨"
FIRST = (
    "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara "
    "Priya Rahul Ngozi Chidi Søren Zoë José Aisha Yuki Olga Dmitri Fatima Liam Siobhan"
).split()
LAST = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez O'Brien Müller "
    "Nguyen Patel Okafor Kowalski Ivanova Haddad Tanaka Fernández Lindqvist MacDonald Achebe Young"
).split()
DIGITS = "零一二三四五六七八九"


class Identity(NamedTuple):
    """One person, one piece of what identifies them, and a text that says it."""

    language: str
    kind: str
    form: str
    candidate: str
    secret: str
    """What must not be left in the text."""
    text: str


def identities(count: int, seed: int = 20261201) -> Iterator[Identity]:
    """`count` people, by turns Chinese and English, each in every form of their language."""
    draw = random.Random(seed)
    for number in range(count):
        yield from (_chinese if number % 2 == 0 else _english)(draw)


def _chinese(draw: random.Random) -> Iterator[Identity]:
    surname, given = draw.choice(SURNAMES), "".join(draw.sample(GIVEN, draw.choice((1, 2, 2))))
    name = surname + given
    mobile = f"1{draw.choice('35789')}{draw.randrange(10**9):09}"
    handle = f"{draw.choice('abcxyz')}{draw.choice(('w', '_', ''))}{draw.randrange(10**5, 10**7)}"
    mail = f"{handle}@{draw.choice(('qq.com', '163.com', 'foo-tech.com.cn', 'gmail.com'))}"
    born = f"{draw.randint(1965, 2003)}{draw.randint(1, 12):02}{draw.randint(1, 28):02}"
    body = f"{draw.choice(('110101', '310104', '440305', '510107'))}{born}{draw.randrange(1000):03}"
    card = body + ric.calc_check_digit(body + "0")
    spoken = "".join(DIGITS[int(digit)] for digit in mobile)
    grouped = f"{mobile[:3]} {mobile[3:7]} {mobile[7:]}"
    cases = [
        ("name", "whole", name, f"面试官好，我叫{name}，做后端六年。"),
        ("name", "spaced", " ".join(name), f"我是 {' '.join(name)}，以前在做支付。"),
        ("name", "with title", f"{surname}老师", f"同事都喊我{surname}老师，方案是我定的。"),
        ("name", "nickname 小X", f"小{surname}", f"老板说小{surname}，你来改这个缓存。"),
        ("name", "given name alone", given, f"组里的人一般直接叫{given}，评审会上也是。"),
        ("phone", "plain", mobile, f"线上告警打我电话{mobile}就行。"),
        ("phone", "grouped", grouped, f"值班手机是 {grouped}，二十四小时开机。"),
        ("phone", "with +86", f"+86-{mobile}", f"海外同事打+86-{mobile}找我。"),
        ("phone", "spoken", spoken, f"我报一下号码，{spoken}，您记一下。"),
        ("email", "plain", mail, f"文档发到{mail}，我当天看。"),
        ("email", "spelled", mail.replace("@", "艾特").replace(".", "点"),
         f"邮箱是{mail.replace('@', '艾特').replace('.', '点')}。"),
        ("id", "plain", card, f"实名认证时我用自己的身份证{card}做了测试。"),
        ("id", "grouped", f"{card[:6]} {card[6:14]} {card[14:]}",
         f"证件号 {card[:6]} {card[6:14]} {card[14:]} 存成了密文。"),
        ("wechat", "announced", handle, f"可以加我微信：{handle}，方案图在那里。"),
        ("wechat", "after 微信号是", handle, f"我的微信号是{handle}。"),
        ("wechat", "not announced", handle, f"加我就行，{handle}，备注面试。"),
        ("url", "profile", f"https://github.com/{handle}",
         f"代码在https://github.com/{handle}，可以看。"),
        ("url", "without scheme", f"github.com/{handle}", f"仓库放在 github.com/{handle} 上面。"),
    ]  # fmt: skip
    for kind, form, secret, text in cases:
        yield Identity("zh", kind, form, name, secret, text)


def _english(draw: random.Random) -> Iterator[Identity]:
    first, last = draw.choice(FIRST), draw.choice(LAST)
    name, initial = f"{first} {last}", draw.choice("ABCDEFGHJKLM")
    area = draw.choice(("415", "212", "312", "617", "206", "512"))
    local = f"{draw.randint(2, 9)}{draw.randrange(100):02}-{draw.randrange(10**4):04}"
    handle = f"{first[0]}{last}".casefold().replace("'", "") + str(draw.randrange(100))
    handle = handle.encode("ascii", "ignore").decode()
    mail = f"{handle}@{draw.choice(('gmail.com', 'acme.io', 'dept.example.edu'))}"
    ssn = f"{draw.randint(100, 665)}-{draw.randint(10, 99)}-{draw.randint(1000, 9999)}"
    spelled = mail.replace("@", " at ").replace(".", " dot ")
    cases = [
        ("name", "whole", name, f"Hi, I'm {name} and I have led the payments team."),
        ("name", "with initial", f"{first} {initial}. {last}",
         f"My name is {first} {initial}. {last}."),
        ("name", "last, first", f"{last}, {first}", f"On the ticket it says {last}, {first}."),
        ("name", "first alone", first, f"So my manager said, {first}, please fix the cache."),
        ("name", "last alone", last, f"They put it down as the {last} fix in our postmortem."),
        ("name", "lower case", name.lower(), f"my handle was just {name.lower()} in the chat."),
        ("phone", "brackets", f"({area}) {local}", f"The pager rings at ({area}) {local}."),
        ("phone", "dashes", f"{area}-{local}", f"You can text {area}-{local} for the demo."),
        ("phone", "with +1", f"+1 {area} {local}", f"Call +1 {area} {local} if it fails."),
        ("phone", "digits only", f"{area}{local}".replace("-", ""),
         f"My cell number is {area}{local}".replace("-", "") + ", as in the runbook."),
        ("email", "plain", mail, f"I mailed the trace from {mail} to the vendor."),
        ("email", "spelled", spelled, f"It is {spelled}, all lower case."),
        ("id", "social security", ssn, f"I tested the form with my own number {ssn} once."),
        ("wechat", "announced", f"wx{handle}", f"On WeChat: wx{handle}, I shared the diagram."),
        ("url", "profile", f"https://www.linkedin.com/in/{handle}",
         f"See https://www.linkedin.com/in/{handle} for it."),
        ("url", "without scheme", f"{handle}.dev/blog", f"I wrote it up on {handle}.dev/blog."),
    ]  # fmt: skip
    for kind, form, secret, text in cases:
        yield Identity("en", kind, form, name, secret, text)
