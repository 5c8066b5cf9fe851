"""What is raised when records of deals are broken."""

from __future__ import annotations

from workers.errors import OracleError


class DealDataError(OracleError):
    """Records of deals, or what is taught with them, are broken, and nothing of them was loaded.

    ``faults`` holds one sentence each, with file and row.
    """

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults
