/** The endpoints at which a 404 is no answer: the specification lists none (spec, Errors). */
const WITHOUT_NOT_FOUND = ['token-info', 'search'] as const;

const isOfThem = `endpoint in (${WITHOUT_NOT_FOUND.map((name) => `'${name}'`).join()})`;

/** The SQL condition of requests that the service answered with 404: the account, tweet or list does not exist, or is empty. */
export const IS_NOT_FOUND = `coalesce(status = 404 and not ${isOfThem}, false)`;

/** The SQL condition of requests without a response, or with an error status that is no answer. */
export const HAS_FAILED = `(status is null or status >= 400 and not ${IS_NOT_FOUND})`;
