"""What phrases of time are read against, and the span that one is read as."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from workers.contracts import Deploy
from workers.language.time_phrases import ONE_DAY

Reading = tuple[datetime, datetime, str]
LONGEST = 400 * 86_400  # of metrics; what a server has not kept for so long is told where it is read
LONGEST_OF_CODE = 3650 * 86_400


@dataclass(frozen=True)
class Moment:
    """What hints are read against. ``deploys`` are all known ones, oldest first.

    ``longest``: seconds that "the last …" reaches back at most.
    """

    now: datetime
    zone: tzinfo
    deploys: Sequence[Deploy] = ()
    longest: int = LONGEST

    def clock(self) -> datetime:
        """Now on the asker's clock."""
        return self.now.astimezone(self.zone).replace(tzinfo=None)

    def starts(self, wall: datetime) -> datetime:
        """The moment of a local time: of two the last that is past; of one that was skipped the hour before it."""
        first, second = (wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        return second if second <= self.now else first

    def ends(self, wall: datetime) -> datetime:
        """The moment of a local time at which something ends: the later one, where there are two."""
        return max(wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def no_time(match: re.Match[str], at: Moment) -> Reading:
    """For what is no date or time after all."""
    return at.now - ONE_DAY, at.now, f"“{match.group()}” is no time; last 24 h"
