"""What a query may be made of: kinds of nodes, functions, types. Whatever is not listed here is refused.

Names are those of sqlglot's expressions. No function listed makes its result much longer than its arguments, looks at
anything but its arguments and the clock, or waits.
"""

from __future__ import annotations

from typing import Literal

Dialect = Literal["sqlite", "postgres"]

MAX_ROWS = 100

TABLES = (
    "models",
    "backends",
    "deployments",
    "tiers",
    "users",
    "deployment_state_current",
    "requests",
    "incidents",
    "quality_scores",
)

SHAPES = frozenset(
    """
    Select Union Intersect Except Subquery With CTE From Table TableAlias Join Where Group Having Order Ordered Limit
    Offset Distinct Alias Column Identifier Star Tuple Paren Window WindowSpec Filter WithinGroup Rollup Cube
    GroupingSets Literal Null Boolean Var Interval Cast DataType DataTypeParam JSONPath JSONPathRoot JSONPathKey
    JSONPathSubscript And Or Not EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is In Between Exists Like Escape Case If
    Add Sub Mul Div Mod Neg DPipe
    """.split()
)
"""Clauses and operators of both dialects."""

FUNCTIONS = frozenset(
    """
    Count Sum Avg Min Max GroupConcat RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue
    NthValue Abs Round Sign Ceil Floor Trunc Sqrt Pow Exp Ln Log Pi Greatest Least Coalesce Nullif Length Lower Upper
    Trim Substring Replace StrPosition JSONExtract JSONExtractScalar TimeToStr CurrentDate CurrentTime CurrentTimestamp
    """.split()
)
"""Functions of both dialects."""

OWN: dict[Dialect, frozenset[str]] = {
    "sqlite": frozenset("Glob Format TsOrDsToTimestamp Date".split()),
    "postgres": frozenset(
        """
        ILike AtTimeZone Array Any All PercentileCont PercentileDisc Mode Stddev StddevPop StddevSamp Variance
        VariancePop Corr CovarPop CovarSamp RegrSlope RegrIntercept RegrR2 LogicalAnd LogicalOr WidthBucket Cbrt Left
        Right SplitPart Initcap Reverse Concat ConcatWs StartsWith Translate Extract TimestampTrunc DateBin UnixToTime
        MakeInterval Kwarg Localtimestamp Localtime Grouping
        """.split()
    ),
}
"""Nodes of one dialect alone."""

BY_NAME: dict[Dialect, frozenset[str]] = {
    "sqlite": frozenset("date time datetime julianday unixepoch total printf".split()),
    "postgres": frozenset("age make_date date_part every isfinite".split()),
}
"""Functions that sqlglot knows by their name only."""

TYPES = frozenset(
    """
    TEXT VARCHAR INT BIGINT SMALLINT DECIMAL DOUBLE FLOAT BOOLEAN DATE TIME TIMESTAMP TIMESTAMPTZ INTERVAL JSON JSONB
    """.split()
)
"""What may be cast to; only DECIMAL takes sizes, for a padded text could be of any length."""

SQLITE_FUNCTIONS = frozenset(
    """
    count sum total avg min max group_concat row_number rank dense_rank percent_rank cume_dist ntile lag lead
    first_value last_value nth_value abs round sign ceil ceiling floor trunc sqrt pow power exp ln log log10 log2 pi mod
    coalesce ifnull nullif iif length lower upper trim ltrim rtrim substr substring replace instr printf format
    json_extract -> ->> strftime date time datetime julianday unixepoch current_date current_time current_timestamp
    like glob
    """.split()
)
"""What SQLite itself lets a query call, by SQLite's own names."""

NAMES: dict[Dialect, str] = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
INSTEAD = {
    "Values": "read from the tables",
    "Fetch": "write LIMIT n",
    "RegexpLike": "use LIKE",
    "SimilarTo": "use LIKE",
    "Repeat": "texts may not be multiplied",
    "Pad": "texts may not be padded",
}
"""Advice on what is refused."""
