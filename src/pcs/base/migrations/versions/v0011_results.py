"""A stored result has the same names under every schedule; what lists read of it knows the names of before, too.

`code` and `search` stay for processes of the version before; nothing reads them any more."""

from alembic import op

revision = "0011"
down_revision = "0010"

_LINE = "coalesce(result ->> 'code', result ->> 'hts_code', result ->> 'cn_code')"
_SCRIPT = f"""
ALTER TABLE classifications
    ADD COLUMN tariff_line text GENERATED ALWAYS AS ({_LINE}) STORED,
    ADD COLUMN description text GENERATED ALWAYS AS (
        coalesce(result ->> 'description', result ->> 'hts_description', result ->> 'cn_description')) STORED,
    ADD COLUMN terms tsvector GENERATED ALWAYS AS (to_tsvector('simple', translate(
        product_name || ' ' || coalesce(product_identifier, '') || ' ' || coalesce({_LINE}, ''),
        '-_./#:,()+&*''"', '              '
    ))) STORED;
DROP INDEX classifications_search;
CREATE INDEX classifications_terms ON classifications USING gin (terms) WITH (fastupdate = off)
"""


def upgrade() -> None:
    """Read both."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
