"""Boards: questions of independent authors, asked of this project as a whole and judged by what they say is right."""
