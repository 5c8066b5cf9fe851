"""An invented portfolio of deals, with labelled queries."""
