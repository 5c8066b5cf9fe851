"""What can go wrong with a payment, by what the customer should be told."""

from __future__ import annotations


class PaymentError(Exception):
    """Root of all payment errors."""


class PaymentDeclined(PaymentError):
    """The bank said no. Trying again will not help; another card may."""


class PaymentUnavailable(PaymentError):
    """The gateway did not answer, or kept failing. Nothing is known to have been charged."""
