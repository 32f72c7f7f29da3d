import { resolve } from 'node:path';
import { defineConfig } from 'vite';

/**
 * The front end of the dashboard. `npm run build` builds it into dist/web; `npm run web:dev` serves it and reloads it on
 * changes, with the data of a `trawl dashboard` on its usual address.
 */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: resolve(import.meta.dirname, '../../../dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Inlined files would be `data:` addresses, which the content policy refuses.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8899', changeOrigin: true } } },
});
