"""Faults that a test asks for: what goes wrong with which call, and how often."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from slack_sandbox.arguments import Arguments

Action = Literal["drop_after", "error", "slow", "hold", "ratelimit", "down"]


@dataclass
class Fault:
    """One wish; `times` None means until it is cleared, `match` names arguments that must be equal."""

    method: str
    action: Action
    times: int | None = None
    status: int = 500
    seconds: float = 1.0
    match: dict[str, str] = field(default_factory=dict)

    def fits(self, method: str, args: Arguments) -> bool:
        """Whether it concerns this call."""
        named = self.method in {"*", method}
        return named and all(args.text(name) == str(value) for name, value in self.match.items())


@dataclass
class Faults:
    """The wishes in force, oldest first."""

    wishes: list[Fault] = field(default_factory=list)
    held: int = 0
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_down(self) -> bool:
        """Whether every connection is refused."""
        return any(wish.action == "down" for wish in self.wishes)

    def take(self, method: str, args: Arguments) -> Fault | None:
        """Returns: the fault that hits this call, counted down, or None."""
        for wish in self.wishes:
            if wish.fits(method, args):
                if wish.times is not None:
                    wish.times -= 1
                    if wish.times <= 0:
                        self.wishes.remove(wish)
                return wish
        return None

    async def hold(self) -> None:
        """Waits until `release`."""
        self.held += 1
        try:
            await self._released.wait()
        finally:
            self.held -= 1

    def release(self) -> None:
        """Lets every held response go; later ones are held again."""
        self._released.set()
        self._released = asyncio.Event()

    def clear(self) -> None:
        """Ends every fault and releases what is held."""
        self.wishes.clear()
        self.release()
