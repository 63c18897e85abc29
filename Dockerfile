# syntax=docker/dockerfile:1
# The service in one image: `pcs up` runs everything (with the embedded PostgreSQL), compose.yaml one part a container.
ARG PYTHON=3.12-slim-bookworm

FROM python:${PYTHON} AS build
# With a reviewing language model: --build-arg LOCK=requirements-reviewer.lock
ARG LOCK=requirements.lock
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /build
RUN python -m venv /opt/pcs
COPY ${LOCK} requirements.lock
RUN /opt/pcs/bin/pip install --only-binary :all: --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/pcs/bin/pip wheel --no-deps --no-build-isolation -w dist . \
    && /opt/pcs/bin/pip install --no-deps dist/pcs-*.whl \
    && /opt/pcs/bin/pip check

FROM python:${PYTHON}
RUN groupadd --gid 10001 pcs \
    && useradd --uid 10001 --gid pcs --no-create-home --home-dir /var/lib/pcs --shell /usr/sbin/nologin pcs \
    && install --directory --owner pcs --group pcs --mode 0750 /var/lib/pcs
COPY --from=build /opt/pcs /opt/pcs
ENV PATH=/opt/pcs/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PCS_DATA_DIR=/var/lib/pcs PCS_HOST=0.0.0.0
USER pcs
WORKDIR /var/lib/pcs
VOLUME /var/lib/pcs
EXPOSE 8000 8001
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["pcs"]
CMD ["up"]
