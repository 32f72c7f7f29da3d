# syntax=docker/dockerfile:1

# Build: development dependencies.
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without scripts: `prepare` compiles src, which is not copied yet, and native packages contain their binaries. This layer is
# cached until the dependencies change.
RUN npm ci --ignore-scripts
COPY scripts/build.ts scripts/build-web.ts scripts/sbom.ts scripts/
COPY src src
# Built first, pruned second: the build bundles packages that `--omit=dev` leaves out.
RUN npm run build && npm prune --omit=dev --ignore-scripts

# Runtime: the same C library, and nothing that compiles.
FROM node:24-bookworm-slim
ENV NODE_ENV=production TRAWL_DB=/data/trawl.db
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY queries queries
RUN install -d -o node -g node -m 0700 /data
USER node
# Relative files (--db mine.db, a demo) land in the volume.
WORKDIR /data
VOLUME /data
# No HEALTHCHECK: it depends on the command. docker-compose.yml has those of the worker and of the twin.
ENTRYPOINT ["node", "/app/bin/trawl.js"]
CMD ["--help"]
