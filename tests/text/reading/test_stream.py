"""Bytes: opened, decompressed, cut, and decoded."""

import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.text.provenance import Skipped
from topminer.text.reading.decode import check_encoding, decoded
from topminer.text.reading.stream import PIECE_BYTES, blocks, chunks, joined
from topminer.text.reading.zstd import zstd

COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": partial(zstd.compress, options={zstd.CompressionParameter.checksum_flag: 1}),
}
TEXT = b"".join(b"line %d of some text\n" % i for i in range(20_000))


def ignore(n_bytes: int) -> None:
    pass


def read(path: Path) -> bytes:
    return b"".join(chunks(path, path.name, ignore))


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@pytest.mark.parametrize("ending", COMPRESS)
def test_the_bytes_of_every_member(ending: str, tmp_path: Path) -> None:
    """Also after an empty member, after zeros, and of members that expand to several pieces."""
    compress, path = COMPRESS[ending], tmp_path / f"a.txt{ending}"
    members = [TEXT, b"", b"the end", *[bytes(3 * PIECE_BYTES + 1)] * 3]
    path.write_bytes(b"".join(map(compress, members)) + bytes(512) + compress(b"two") + bytes(70_000))
    counted: list[int] = []
    assert b"".join(chunks(path, path.name, counted.append)) == b"".join(members) + b"two"
    assert sum(counted) == path.stat().st_size
    with path.open("rb") as file:  # known by its first bytes, and not closed
        assert b"".join(chunks(file, "standard input", ignore)) == b"".join(members) + b"two"
        assert not file.closed


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("size", [1, 7])
def test_bytes_that_come_a_few_at_a_time(ending: str, size: int) -> None:
    """As from a pipe."""

    class Slow(io.BytesIO):
        def read(self, wanted: int | None = -1) -> bytes:
            return super().read(size)

    member, long = COMPRESS[ending](b"a line\n"), COMPRESS[ending](bytes(PIECE_BYTES))
    made = b"".join(chunks(Slow(member + long + bytes(9) + member), f"a{ending}", ignore))
    assert made == b"a line\n" + bytes(PIECE_BYTES) + b"a line\n"
    with pytest.raises(InputError, match=f"^a{ending} is cut off"):
        list(chunks(Slow(member + long[:-1]), f"a{ending}", ignore))


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data[:-1], "is cut off"),
        (lambda data: data[:-100], "is cut off"),
        (lambda data: TEXT, "is not (gzip|xz|zstd) data"),
        (lambda data: data + b"something else", "is damaged"),
        (
            lambda data: data[: len(data) // 2] + b"\xaa\x55" + data[len(data) // 2 + 2 :],
            "is (damaged|cut off)",
        ),
    ],
)
def test_what_cannot_be_decompressed(ending: str, spoil: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(spoil(COMPRESS[ending](TEXT)))
    with pytest.raises(InputError, match=rf"^a{ending} {message}"):
        read(path)


@pytest.mark.parametrize("ending", COMPRESS)
def test_much_repeated_text_comes_in_bounded_pieces(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(COMPRESS[ending](bytes(40 << 20)))
    sizes = [len(piece) for piece in chunks(path, path.name, ignore)]
    assert sum(sizes) == 40 << 20
    assert 0 < min(sizes) <= max(sizes) <= PIECE_BYTES


def test_the_densest_zstd_comes_in_bounded_pieces(tmp_path: Path) -> None:
    """Four bytes of zstd can stand for 128 KiB: a block that repeats one byte."""
    path = tmp_path / "a.zst"
    block = (1 << 1 | 131072 << 3).to_bytes(3, "little") + b"a"
    last = (1 | 1 << 1 | 131072 << 3).to_bytes(3, "little") + b"a"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\0\x58" + 2000 * block + last)
    sizes = [len(piece) for piece in chunks(path, path.name, ignore)]
    assert sum(sizes) == 2001 * 131072
    assert max(sizes) <= PIECE_BYTES


@pytest.mark.parametrize("window_log", [30, 31])
def test_long_windows_of_zstd(window_log: int, tmp_path: Path) -> None:
    """A window of 1 GiB is the longest that is accepted. A skippable frame may come first."""
    path = tmp_path / "a.zst"
    compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: window_log})
    skippable = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"
    path.write_bytes(skippable + compressor.compress(TEXT) + compressor.flush())
    if window_log == 30:
        assert read(path) == TEXT
        return
    with pytest.raises(InputError, match=r"^a.zst cannot be .*: it needs a window of more than 1024 MiB"):
        read(path)


def test_a_dictionary_of_xz_that_is_too_long_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xz"
    data = bytearray(lzma.compress(b"text", check=lzma.CHECK_NONE))
    assert data[14:16] == b"\x21\x01"  # the filter LZMA2 and one byte of properties: the dictionary's size
    data[16] = 40  # 4 GiB - 1
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"^a.xz cannot be .*: it needs a window of more than 1024 MiB"):
        read(path)


def test_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(chunks(tmp_path / "a\0b.txt", "a.txt", ignore))

    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root, who runs many a test, may read everything
    with pytest.raises(InputError, match=r"^a.txt: no permission to read it$"):
        list(chunks(tmp_path / "a.txt", "a.txt", ignore))


def test_what_fails_while_reading() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match=r"^tape: cannot be read \(Input/output error\)"):
        list(chunks(Broken(), "tape", ignore))


def test_a_file_is_closed_when_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    pieces = chunks(path, "a.txt", ignore)
    next(pieces)
    pieces.close()  # the suite turns the warning about an open file into an error


class TestBlocks:
    @given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
    def test_blocks_are_the_pieces_cut_at_line_ends(self, pieces: list[bytes], size: int) -> None:
        made = list(blocks(pieces, size, "a.txt"))
        assert b"".join(made) == b"".join(pieces)
        assert all(block.endswith(b"\n") for block in made[:-1])
        longest = max(map(len, b"".join(pieces).split(b"\n"))) + 1
        assert all(len(block) <= 2 * size + longest for block in made)
        assert all(len(block) >= size for block in made[:-1])

    @pytest.mark.parametrize("size", [1 << 10, 1 << 20])
    def test_a_record_without_an_end_is_refused(self, size: int) -> None:
        """However long it would go on: no more than the limit is taken."""
        taken = 0

        def endless() -> Iterator[bytes]:
            nonlocal taken
            yield b"one\ntwo\nthr"
            while True:
                taken += 1 << 20
                yield bytes(1 << 20)

        with pytest.raises(InputError, match=r"^a.txt, line 3: a record longer than 64 MiB, the most"):
            list(blocks(endless(), size, "a.txt"))
        assert taken <= (64 << 20) + (2 << 20)

    def test_a_document_without_an_end_is_refused(self) -> None:
        with pytest.raises(InputError, match=r"^a.txt: a document longer than 64 MiB"):
            joined(repeat(bytes(1 << 20)), "a.txt")


def decode(
    data: bytes, encoding: str = "utf-8", errors: str = "replace", size: int = 1 << 15
) -> tuple[str, Skipped]:
    skipped = Skipped()
    return b"".join(decoded(cut(data, size), "a.txt", encoding, errors, skipped)).decode(), skipped


class TestDecoded:
    @given(st.binary(max_size=60), st.integers(1, 9))
    def test_utf_8_as_python_decodes_it_wherever_it_is_cut(self, data: bytes, size: int) -> None:
        text, skipped = decode(data, size=size)
        whole, skipped_whole = decode(data)
        assert text == whole
        assert skipped == skipped_whole
        if not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            assert text == data.decode(errors="replace")
            assert skipped.undecodable_bytes == text.count("\ufffd") - data.count("\ufffd".encode())

    @pytest.mark.parametrize(
        "encoding",
        ["utf-8", "utf-16", "utf-16-be", "utf-32", "shift_jis", "gb18030", "cp1252", "ascii", "iso2022_jp"],
    )
    @given(data=st.binary(max_size=60), size=st.integers(1, 9))
    def test_any_encoding_wherever_it_is_cut(self, encoding: str, data: bytes, size: int) -> None:
        text, skipped = decode(data, encoding, size=size)
        whole, skipped_whole = decode(data, encoding)
        assert (text, skipped) == (whole, skipped_whole)
        assert (skipped.first_undecodable is None) == (skipped.undecodable_bytes == 0)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "gb18030"])
    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(1, 9))
    def test_round_trip(self, encoding: str, text: str, size: int) -> None:
        text = text.lstrip("\ufeff")
        assert decode(text.encode(encoding), encoding, "strict", size) == (text, Skipped())

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    @pytest.mark.parametrize("size", [1, 3, 100])
    def test_a_byte_order_mark_is_believed_and_dropped(self, encoding: str, size: int) -> None:
        marked = "\ufeffGrüße\n日本".encode(encoding)
        for named in ("utf-8", encoding.removesuffix("-le").removesuffix("-be")):
            assert decode(marked, named, size=size) == ("Grüße\n日本", Skipped())

    def test_latin_1_keeps_what_looks_like_a_mark(self) -> None:
        assert decode(codecs.BOM_UTF8 + b"a", "latin-1")[0] == "ï»¿a"

    @pytest.mark.parametrize("size", [1, 2, 5, 1000])
    def test_the_first_place_is_remembered(self, size: int) -> None:
        text, skipped = decode("ä\nöl\nüb".encode() + b"\xff x\xc3\n\xe2\x82", size=size)
        assert text == "ä\nöl\nüb\ufffd x\ufffd\n\ufffd"
        assert skipped.undecodable_bytes == 3
        assert skipped.first_undecodable == "a.txt, line 3, byte 4"
        marked = codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"\x00\xdc"
        assert decode(marked, size=size)[1].first_undecodable == "a.txt, line 1, byte 7"

    def test_strict_names_the_place_and_what_to_do(self) -> None:
        message = r"^a.txt, line 2, byte 4: e9 is not utf-8; .*--encoding latin-1.*--errors replace"
        with pytest.raises(InputError, match=message):
            decode("fin\ncaf\xe9 noir".encode("latin-1"), errors="strict")

    @pytest.mark.parametrize(
        "data",
        [
            zlib.compress(Random(1).randbytes(5000)),
            bytes(range(256)) * 10,
            "text in a wide encoding, unmarked".encode("utf-16-le"),
            b"%PDF-1.7 " + zlib.compress(bytes(range(256)) * 100 + Random(2).randbytes(3000)),
        ],
    )
    def test_junk_is_refused(self, data: bytes) -> None:
        with pytest.raises(InputError, match=r"^a.txt does not look like text"):
            decode(data)

    @pytest.mark.parametrize("data", [b"a\0b", b"\x1b[31mred\x1b[0m " * 50, "текст ".encode("cp1251") * 50])
    def test_odd_text_is_not_junk(self, data: bytes) -> None:
        decode(data)


@pytest.mark.parametrize("encoding", ["utf-9", "", "hex", "rot13", "undefined", "a\0b"])
def test_unknown_encoding(encoding: str) -> None:
    with pytest.raises(InputError, match="unknown encoding"):
        check_encoding(encoding, "replace")
    with pytest.raises(InputError, match=r"errors is 'ignore'; it must be 'replace' or 'strict'"):
        check_encoding("utf-8", "ignore")


def test_a_decoder_that_gives_up_is_an_error_of_the_file() -> None:
    """Python's decoders of ISO 2022 raise an error of their own at too many unfinished escape sequences."""
    pieces = [b"a first line\n", *repeat(b"\x1b$(", 20)]
    with pytest.raises(InputError, match=r"a\.txt, line 2: cannot be decoded as iso2022_jp"):
        list(decoded(pieces, "a.txt", "iso2022_jp", "replace", Skipped()))
