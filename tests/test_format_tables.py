"""The documentation of the format: everything that is declared is in it."""

import pytest
from format_tables import as_markdown

from topminer.store.facts import Record
from topminer.store.formats import CHECKPOINT, MODEL
from topminer.store.schema import Format

FORMS = {form.kind: form for form in (MODEL, *CHECKPOINT.values())}


def names_in(record: Record) -> set[str]:
    inner = [names_in(fact) for fact in record.fields.values() if isinstance(fact, Record)]
    plain = {name for name, fact in record.fields.items() if not isinstance(fact, Record)}
    return plain.union(*inner)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_everything_is_described(form: Format) -> None:
    text, whole = as_markdown(form), {section: {} for section in form.sections}
    for name in (*form.arrays(whole), *form.tables(whole)):
        assert f"| `{name}`" in text
    for record in (*(section.facts for section in form.sections.values()), Record(form.facts)):
        for name in names_in(record):
            assert f"{name}` |" in text
    for relation in form.all_relations():
        assert relation.says[1:] in text


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows_of_a_table_have_as_many_cells_as_its_header(form: Format) -> None:
    n_cells = 0
    for line in as_markdown(form).splitlines():
        if not line.startswith("|"):
            n_cells = 0
            continue
        n_cells = n_cells or line.count("|")
        assert line.count("|") == n_cells, line


@pytest.mark.parametrize(
    "line",
    [
        "| `corpus-stem_ids` | `<i4` | tokens | from -1 below stems |",
        "| `topics-doc_topic_doc` | `<i8` | doc_topics | from 0 below documents; ascending |",
        "| `topics-word_topic` | `<i4` | stems × topics | from 0 |",
        "| `partition-strength` | `<f8` | tokens | any but NaN |",
        "| `corpus-texts` (may be missing) | documents | `text` | String | any |",
        "| `parameters.n_shards` | null, or a whole number from 1 to 256 |",
        "- Every document starts a chunk (`corpus-doc_start`, `corpus-chunk_start`).",
        "### phrases (may be missing)",
    ],
)
def test_how_it_is_described(line: str) -> None:
    assert line in as_markdown(MODEL).splitlines()
