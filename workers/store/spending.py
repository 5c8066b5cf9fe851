"""What the language model used today, by person, and what is left of it. Days are those of UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import func, select

from workers.contracts import Question, Usage
from workers.settings.schema import Budget
from workers.store.database import Database
from workers.store.request_logs import insert
from workers.store.tables import spending


class SpendingStore:
    """The budgets of a day, kept by all processes together.

    What is under way is not counted, so that several questions at once can go a little beyond.
    """

    def __init__(self, database: Database, budget: Budget) -> None:
        self.database, self.budget = database, budget

    def empty(self, question: Question) -> str:
        """Why nothing is left for this person, or for anybody; else nothing. Raises: StoreUnavailable."""
        today, budget = spending.c.day == day_now(), self.budget
        tokens, cost = func.coalesce(func.sum(spending.c.tokens), 0), func.coalesce(func.sum(spending.c.cost_usd), 0.0)
        own = (spending.c.team == question.team) & (spending.c.asker == question.asker)
        with self.database.begin() as connection:
            used, paid = connection.execute(select(tokens, cost).where(today)).one()
            own_used, own_paid = connection.execute(select(tokens, cost).where(today, own)).one()
        if used >= budget.day_tokens or paid >= budget.day_usd:
            return "today's budget for everybody is used up"
        if own_used >= budget.user_day_tokens or own_paid >= budget.user_day_usd:
            return "your budget for today is used up"
        return ""

    def spend(self, question: Question, usage: Usage) -> None:
        """Add to what this person used today. Raises: StoreUnavailable."""
        if not usage.tokens and not usage.cost_usd:
            return
        row = {"day": day_now(), "team": question.team, "asker": question.asker}
        with self.database.begin() as connection:
            first = insert(connection, spending).values(**row, tokens=usage.tokens, cost_usd=usage.cost_usd)
            more = {
                "tokens": spending.c.tokens + first.excluded.tokens,
                "cost_usd": spending.c.cost_usd + first.excluded.cost_usd,
            }
            connection.execute(first.on_conflict_do_update(index_elements=["day", "team", "asker"], set_=more))


def day_now() -> str:
    """Today in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d}"
