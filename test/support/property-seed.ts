import fc from 'fast-check';

/** With PROPERTY_SEED, property tests try the same cases in each run; otherwise random ones. */
// oxlint-disable-next-line node/no-process-env -- .ci/run sets it
const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
