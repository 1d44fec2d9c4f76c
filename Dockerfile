# An image with the program storebench, for CI jobs: docker build --tag storebench:0.4.0 .
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends git libsqlite3-dev zlib1g-dev libxml2-dev liblzma-dev
COPY . /source
WORKDIR /source
RUN scripts/dist /release

FROM debian:12-slim
# Jobs read the commit by git, and clone by https.
RUN --mount=type=bind,from=build,source=/release,target=/release \
  apt-get update && apt-get install -y --no-install-recommends ca-certificates git /release/*.deb \
  && rm -rf /var/lib/apt/lists/*
CMD ["storebench", "--help"]
