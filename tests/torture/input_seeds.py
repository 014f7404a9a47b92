"""Good input files of all formats, encodings and writers, for others to damage."""

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

TEXTS = [
    "Mining frequent patterns without candidate generation",
    'A "quoted" text, with commas; and\ttabs (and brackets)',
    "Two lines\nin one document, and a third:\r\nhere",
    "Grüße aus Köln, naïve café, Ελληνικά, русский текст",
    "日本語の文章を解析する。中文也可以",
    "see https://example.org/a?b=c#d or mail me@example.org about U.S. data, e.g. 3.14%",
    "don't state-of-the-art snake_case 1,000,000.5 O'Neill’s",
    "emoji 😀👩\u200d🔬 and a soft\u00adhyphen, combining e\u0301",
    "   ",
    "",
    "the of and to in",
    "NUL\0in the middle, control\x01characters\x7f",
    "word " * 200,
    "x" * 500,
]
YEARS = ["1999", "2001-05", "2005-05-17", "2010-05-17T12:34:56Z", "17-MAY-1999", None, "1999.0"]
COMPRESSIONS = ("", ".gz", ".xz", ".zst")


def rows() -> list[dict[str, str | int | None]]:
    """The rows of every table."""
    return [
        {"id": f"d{i}", "text": text, "year": YEARS[i % len(YEARS)], "n": i**9}
        for i, text in enumerate(TEXTS * 2)
    ]


def compressed(data: bytes, ending: str) -> bytes:
    """Compress as the ending says."""
    from topminer.text.reading.zstd import zstd

    ways: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": lambda data: gzip.compress(data, mtime=0),
        ".xz": lambda data: lzma.compress(data, preset=0),
        ".zst": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
    }
    return ways[ending](data)


def write_seeds(folder: Path) -> None:
    """Write a file of every kind; in a child, because Polars writes some."""
    for name, data in {**_texts(), **_delimited(), **_json_lines(), **_parquet()}.items():
        (folder / name).write_bytes(data)


def _texts() -> dict[str, bytes]:
    text = "\n".join(text.replace("\n", " ") for text in TEXTS * 2)
    seeds = {
        f"{encoding}.txt": text.encode(encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32")
    }
    for encoding in ("latin-1", "shift_jis", "gb18030", "utf-16-be"):
        seeds[f"{encoding}.txt"] = text.encode(encoding, "replace")
    return {**seeds, "crlf.txt": text.replace("\n", "\r\n").encode(), "one.txt": TEXTS[0].encode()}


def _delimited() -> dict[str, bytes]:
    seeds = {}
    for ending, separator in (("csv", ","), ("tsv", "\t")):
        lines = [separator.join(("id", "text", "year", "n"))]
        for row in rows():
            fields = ("" if value is None else str(value) for value in row.values())
            lines.append(separator.join('"' + field.replace('"', '""') + '"' for field in fields))
        plain = [separator.join((f"d{i}", "plain words of a text", "1999", str(i))) for i in range(20)]
        seeds[f"quoted.{ending}"] = "\n".join(lines).encode()
        seeds[f"plain.{ending}"] = "\r\n".join([lines[0], *plain, ""]).encode()
        seeds[f"wide.{ending}"] = "\n".join(lines).encode("utf-16")
    return seeds


def _json_lines() -> dict[str, bytes]:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows()]
    odd = [
        '{"text": "half \\ud800 a pair, a whole \\ud83d\\ude00", "id": 1.5e300}',
        '{"text": "NaN and more", "n": NaN, "id": -0, "x": {"text": [1, {"a": null}]}}',
        '{"id": 123456789012345678901234567890, "text": "a large number", "text": "twice"}',
    ]
    return {
        "plain.jsonl": "\n".join(lines).encode(),
        "ascii.jsonl": "\r\n".join(json.dumps(row) for row in rows()).encode(),
        "odd.jsonl": "\n".join([*odd, *lines, "", *odd]).encode(),
    }


def _parquet() -> dict[str, bytes]:
    import io

    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    seeds = {}
    frame = pl.DataFrame(rows())
    for compression in ("uncompressed", "snappy", "gzip", "lz4", "zstd"):
        for groups in (len(frame), 5):
            file = io.BytesIO()
            frame.write_parquet(file, compression=compression, row_group_size=groups)  # type: ignore[arg-type]
            seeds[f"polars-{compression}-{groups}.parquet"] = file.getvalue()
    table = pa.table({name: [row[name] for row in rows()] for name in rows()[0]})
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            file = io.BytesIO()
            pq.write_table(
                table, file, data_page_version=version, use_dictionary=dictionary, data_page_size=512
            )
            seeds[f"arrow-{version}-{dictionary}.parquet"] = file.getvalue()
    for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
        file = io.BytesIO()
        pq.write_table(
            table, file, use_dictionary=False, column_encoding={"text": encoding}, compression="none"
        )
        seeds[f"arrow-{encoding}.parquet"] = file.getvalue()
    categories = table.set_column(1, "text", table["text"].dictionary_encode())
    file = io.BytesIO()
    pq.write_table(categories, file)
    return {**seeds, "categories.parquet": file.getvalue()}
