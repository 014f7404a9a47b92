# topminer with compiled kernels: the first command in a container compiles nothing.
#
#   docker build --tag topminer .
#   docker run --rm --volume "$PWD:/data" --workdir /data topminer run papers.csv --text-column abstract --output model

FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip install --no-cache-dir --constraint constraints.txt hatchling . \
    && HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 python -m hatchling build --target wheel --directory /dist

FROM python:3.12-slim
RUN --mount=from=build,source=/dist,target=/dist --mount=from=build,source=/source,target=/source \
    pip install --no-cache-dir --constraint /source/constraints.txt "$(echo /dist/*.whl)[serve]" \
    && useradd --create-home topminer
USER topminer
ENTRYPOINT ["topminer"]
