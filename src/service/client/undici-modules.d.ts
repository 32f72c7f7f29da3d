/**
 * The modules of undici that the client loads. All of undici, with fetch, caches and mocks, takes twice as long to load as
 * these.
 */

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/core/errors.js' {
  export { errors as default } from 'undici';
}
