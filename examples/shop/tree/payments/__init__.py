"""The payment gateway."""
