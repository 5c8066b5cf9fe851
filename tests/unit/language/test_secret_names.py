"""What a name says of its value: names that the model has not learned from, in the ways that people write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.language.secret_names import kind_of_name
from workers.language.train_secret_names import names_by_kind

SECRET = (
    "warehouse_db_pw kundenpasswort tenantSecret zebraApiKey FLEET_ACCESS_TOKEN loginPw dovecot_passphrase"
    " x-zebra-api-key"
)
PLAIN = (
    "zebra_password_length tenantSecretName warehouse_token_ttl FLEET_API_KEY_ROTATED_AT zebra_keyboard"
    " minPasswordChars monkeys"
    " basket_cache_key passwordExpiryDays tokensPerMinute authProviderUrl secretaryName shelf"
)
LEARNED = {name for names in names_by_kind().values() for name in names}


@each_row("name", SECRET.split())
def test_name_says_secret(name: str) -> None:
    assert name not in LEARNED
    assert kind_of_name(name) == "any"


@each_row("name", PLAIN.split())
def test_name_says_no_secret(name: str) -> None:
    assert name not in LEARNED
    assert kind_of_name(name) == "none"


@given(st.sampled_from(SECRET.split() + PLAIN.split()), st.sampled_from([str.lower, str.upper, str]))
def test_case_counts_nothing_where_words_are_parted(name: str, case: type[str]) -> None:
    if "_" in name or "-" in name:
        assert (kind_of_name(case(name)) == "none") == (kind_of_name(name) == "none")


@given(st.text(max_size=200))
def test_every_text_has_a_kind(text: str) -> None:
    assert kind_of_name(text) in {"any", "machine", "random", "none"}
