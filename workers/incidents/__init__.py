"""What went on in an incident's channel: facts, a timeline and a summary, each line with the messages it rests on.

A library of pure functions over `ChannelMessage`; who reads Slack and who posts stands elsewhere.
"""
