"""The context database: what is deployed, how it is doing, who asks, what was asked, and what is wrong with it."""
