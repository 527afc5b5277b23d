"""Chinese radicals back to characters: many PDF fonts give `⽬⻅` where `目见` is written."""

from __future__ import annotations

import unicodedata

_KANGXI = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
_SUPPLEMENT = str.maketrans(
    "⺠⺟⻁⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰⻳⻑⻒⻖⺀⺈⺌⺗⺘⺡⺣⺩⺬⺮⺶⺼⺾⻃⻇⻊⻌⻍⻎⻏⻐⻞⻟⻠",
    "民母虎西见角贝车长门青韦页风飞食马骨鬼鱼鸟麦黄齐齿龙龟長镸阝冫刀小心扌氵灬王示竹羊肉艹西角足辶辶辶邑钅飠食饣",
)


def characters(text: str) -> str:
    """The text with radicals replaced by the characters that they look like."""
    return text.translate(_KANGXI).translate(_SUPPLEMENT)
