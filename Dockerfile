FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends git libgomp1 openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*' \
    && useradd --create-home --uid 10001 oracle \
    && install -d -o oracle /data /sources

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY slack_limits.py slack_limits.py
COPY bot bot
COPY slack_sandbox slack_sandbox
COPY workers workers
COPY config config
COPY prompts prompts
COPY examples examples
# providers: language models of others than Anthropic, 300 MB: --build-arg EXTRAS=postgresql,providers
ARG EXTRAS=postgresql
RUN pip install --no-cache-dir -c constraints.txt -e ".[${EXTRAS}]"

USER oracle
ENV ORACLE_HOME=/data
VOLUME /data
WORKDIR /sources
ENTRYPOINT ["oracle"]
CMD ["bot"]
