"""Write texts so that those are equal which people read as equal: letters that look alike, blanks, misread letters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from manyhands.protocol.utilities.invisible_characters import INVISIBLE

HAN = re.compile(r"[\u3400-\u9fff]")
MOST_WORDS = 12
"""The most words of a text whose blanks are in doubt."""
_WORD = re.compile(r"[\w']+")
_BLANK_IN_HAN = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
_UNSEEN = ("Mn", "Co")
_PAIRS = (
    # Cyrillic, Greek, small capitals and other letters that look like those on the right
    ("авекмнорстухіѕјԁԛԝһӏѵ", "abekmhopctyxisjdqwhlv"),
    ("αβεζηικμνορτυχγω", "abezhikmvoptyxyw"),
    ("ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıłøɑɡ", "abcdeghijklmnoprstuvwyziloag"),
    # traditional characters
    (
        "發刪購買確認許轉帳賬訂閱單結費繳賞儲裝繼續撥聽語話視頻評論傳復廠設丟棄載權號碼驗證註冊錄",
        "发删购买确认许转账账订阅单结费缴赏储装继续拨听语话视频评论传复厂设丢弃载权号码验证注册录",
    ),
    (
        "開關閉絕實銀價計總額點讚無這個鎖後過掛斷佈請訪問僅時動張貼體壓縮銷歷內",
        "开关闭绝实银价计总额点赞无这个锁后过挂断布请访问仅时动张贴体压缩销历内",
    ),
)
_ALIKE = str.maketrans(
    {key: value for one, other in _PAIRS for key, value in zip(one, other, strict=True)}
    | {"🗑": " delete ", "➤": " send ", "📤": " send "}
)
_MISREAD = str.maketrans("01i5839uv", "ollsbbgyy")


@lru_cache(maxsize=8192)  # most texts are on the next screen, too
def fold(text: str) -> str:
    """Return a text in lower case, without marks and invisible characters; letters that look alike are equal."""
    letters = INVISIBLE.sub("", unicodedata.normalize("NFKD", text))
    plain = "".join(one for one in letters if unicodedata.category(one) not in _UNSEEN)
    return plain.casefold().translate(_ALIKE)


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """Return a folded text without signs and surplus blanks, so that equal words are equal."""
    words = " ".join(_WORD.findall(fold(text).replace("’", "'").replace("'", " ").replace("_", " ")))
    return _BLANK_IN_HAN.sub("", words)


@lru_cache(maxsize=8192)
def squeeze(text: str) -> str:
    """Return a normalised text without blanks, in which letters that readers mistake for each other are equal."""
    return text.replace(" ", "").translate(_MISREAD).replace("rn", "m").replace("yy", "w")


@lru_cache(maxsize=8192)
def squeezed_runs(text: str) -> frozenset[str]:
    """Return the squeezed runs of words of a normalised text: blanks in the wrong places hide no word."""
    words = text.split()[:MOST_WORDS]
    ends = range(1, len(words) + 1)
    return frozenset(squeeze(" ".join(words[start:end])) for end in ends for start in range(end))
