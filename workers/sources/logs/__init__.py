"""Logs, read only: of files, Grafana Loki, Elasticsearch and OpenSearch; their patterns, and how these changed."""
