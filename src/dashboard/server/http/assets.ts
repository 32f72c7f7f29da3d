import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TrawlError } from '#base/errors.ts';
import { PACKAGE_ROOT } from '#base/package-root.ts';
import { escapeXml } from '#base/text.ts';

/** The built front end, in memory: a build under a running server changes nothing. */
export interface Assets {
  /** Returns the page with the facts that it starts with. */
  renderPage(facts: DashboardFacts): string;
  /** Sends a file of `/assets`; false if there is none. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

/** What a page knows before its first request. */
export interface DashboardFacts {
  /** The name of the store's file. */
  readonly store: string;
  readonly version: string;
  /** Whether this client may change something. */
  readonly isWritable: boolean;
  /** The option `--db` of commands to type; empty if they need none. */
  readonly databaseOption: string;
  /** The theme that the user chose; undefined for that of the system. */
  readonly theme: string | undefined;
}

const FOLDER = join(PACKAGE_ROOT, 'dist/web');

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The encodings of a file, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;

interface Asset {
  readonly type: string;
  /** The body by encoding; '' is the plain one. */
  readonly bodies: ReadonlyMap<string, Buffer>;
}

/** Loads the files that `npm run build` made. @throws TrawlError if there are none */
export function loadAssets(folder = FOLDER): Assets {
  if (!existsSync(join(folder, 'index.html')))
    throw new TrawlError('the dashboard is not built', { hint: 'Run `npm run build` in the folder of trawl.' });
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = new Map(
    readdirSync(join(folder, 'assets'))
      .filter((name) => extname(name) in TYPES)
      .map((name) => [`/assets/${name}`, readAsset(join(folder, 'assets', name))]),
  );
  return {
    renderPage: ({ theme, ...facts }) =>
      page
        .replace('<html', theme === 'light' || theme === 'dark' ? `<html data-theme="${theme}"` : '<html')
        // A function: `$` in a name is no pattern.
        .replace('content="facts"', () => `content="${escapeXml(JSON.stringify(facts))}"`),
    send(request, reply) {
      const asset = assets.get(request.url.split('?', 1)[0]!);
      if (!asset) return undefined;
      const accepted = String(request.headers['accept-encoding'] ?? '').split(/\s*[,;]\s*/);
      const encoding = ENCODINGS.find((name) => accepted.includes(name)) ?? '';
      // The name of a file has a hash of its content.
      reply.header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding');
      if (encoding !== '') reply.header('content-encoding', encoding);
      return reply.type(asset.type).send(asset.bodies.get(encoding));
    },
  };
}

/** The brotli copy is made by the build, which has the time for it. */
function readAsset(path: string): Asset {
  const body = readFileSync(path);
  const bodies = { '': body, br: readFileSync(`${path}.br`), gzip: gzipSync(body) };
  return { type: TYPES[extname(path)]!, bodies: new Map(Object.entries(bodies)) };
}
