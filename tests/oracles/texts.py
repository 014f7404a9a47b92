"""Texts for Hypothesis: from all of Unicode, and from an alphabet that tries the rules of docs/text.md."""

from itertools import pairwise

from hypothesis import strategies as st

WORDS = ["the", "of", "and", "The", "OF", "cat", "cats", "Cats", "running", "House's", "dogs’", "don't"]
WORDS += ["it’s", "E.U", "e.g.", "E.g.", "U.S.", "u.s.a.", "a", "b", "U", "S", "x1", "1", "23", "3.14"]
WORDS += ["1,000", "10٬000", "٣٫٥", "½", "Ⅳ", "²", "http", "https", "HTTP", "ftp", "www", "www.", "WWW."]
WORDS += ["com", "org", "x.y", "://x", "a@b.de", "+tag", "@", "@x.y", "naïve", "naïve", "É", "É", "ß"]
WORDS += ["İ", "Σ", "ΟΔΟΣ", "ǅ", "ﬁ", "한국어", "각", "Straße", "наука", "науки", "книги", "книга", "соловьи"]
LINKS = ["'", "’", "＇", "-", "‐", "‑", "֊", "־", "_", "‿", "＿", ".", "·", "·", "׳", "״", ",", "٫", "٬"]
INVISIBLE = ["\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\ufeff", "\u0600", "\U000e0001"]
ALONE = ["漢", "字", "の", "カ", "ー", "ㄅ", "ก", "ก็", "เ", "ລ", "ខ្", "မ", "々", "〇", "𠀀", "\U000300f7"]
MARKS = ["\u0301", "\u0308", "\u0327", "\u0e31", "\u094d", "\u20e3", "\ufe0f", "\U000e0100"]
OTHER_LETTERS = ["क्ष", "क्\u200dष", "ש", "שׁ", "م", "فَ", "ა", "བོད", "ሀ", "𝒳", "𐐀", "\U00016fe4", "ⴰ", "ꓘ"]
WHITE = [" ", " ", " ", "  ", "\t", "\u00a0", "\u3000", "\u2009", "\x00", "\x1c", "\x1f", "\x7f", "\x9f"]
LINE_ENDS = ["\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"]
NEUTRAL = [*"&@#%‰/\\*+=^~°§$€_", "་", "༌", "፡", "\ue000", "\U000f0000", "\u0378", "\U0010ffff"]
ENDING = [
    *';:!?()[]{}<>|`"«»“”‘—–…。、，！「」・¿।؟⁂✓→±×©™😀',
    "👩\u200d👧",
    "🇩🇪",
    "1\ufe0f\u20e3",
    "://",
    "::",
    "...",
]

ATOMS = WORDS + LINKS + INVISIBLE + ALONE + MARKS + OTHER_LETTERS + WHITE + LINE_ENDS + NEUTRAL + ENDING
STOP_WORDS = ("the", "of", "and", "a", "e.g", "it's", "漢", "の", "ก็", "b", "x1")

characters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.integers(0, 0x10FFFF).filter(lambda code: not 0xD800 <= code <= 0xDFFF).map(chr),
)


def joined(elements: st.SearchStrategy[str], blank: str = "") -> st.SearchStrategy[str]:
    """Short texts, which are easy to understand, and long ones, in which more happens."""
    short, long = st.lists(elements, max_size=6), st.lists(elements, min_size=10, max_size=30)
    return st.one_of(short, long, long).map(blank.join)


PLAIN = [*STOP_WORDS, *STOP_WORDS, *WORDS, "漢", "の", "ก็", ",", ".", "\n", "&", "-", "\t"]
texty = joined(st.sampled_from(ATOMS))
mixed = joined(st.one_of(st.sampled_from(ATOMS), characters))
wordy = joined(st.sampled_from(PLAIN), " ")
texts = st.one_of(texty, wordy, mixed, st.text(characters, max_size=30))


@st.composite
def cut_texts(draw: st.DrawFn) -> list[str]:
    """One text cut into documents anywhere: what would be one token is two where a cut goes through it."""
    text = draw(texts)
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=5))
    places = [0, *sorted(cuts), len(text)]
    return [text[start:stop] for start, stop in pairwise(places)]


documents = st.one_of(st.lists(texts, max_size=5), cut_texts())
