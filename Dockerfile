# The page and the API:  docker build -t text2math . && docker run --rm --read-only --tmpfs /tmp -p 127.0.0.1:8000:8000 text2math
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip install --no-cache-dir --prefix=/installed ".[server]"

FROM python:3.12-slim
COPY --from=build /installed /usr/local
# The chart is compiled while the image is built; a container with a read-only file system takes it from there.
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/var/cache/text2math
RUN useradd --system --no-create-home --uid 10001 text2math \
    && mkdir -p /var/cache/text2math \
    && text2math solve "Sam has 2 cats and 3 dogs. How many pets does Sam have?" \
    && chmod -R a+rX /var/cache/text2math
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import json, urllib.request as web; assert json.load(web.urlopen('http://127.0.0.1:8000/health', timeout=4))['status'] == 'ok'"]
# Who publishes the port decides who reaches it; --allow-host names the server where it is not localhost.
ENTRYPOINT ["text2math", "serve", "--host", "0.0.0.0", "--port", "8000"]
