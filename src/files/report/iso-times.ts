import { toIso } from '../../base/units.ts';

/** The keys of times in milliseconds UTC: `from`, `to`, `asOf`, and names such as `reportedAt`. */
const TIME_KEY = /^(?:from|to|asOf)$|At$/;

/** Returns data of the analysis as the sidecar of a report has it: times are ISO 8601. */
export const withIsoTimes = (data: object): object =>
  JSON.parse(
    JSON.stringify(data, (key, value: unknown) =>
      typeof value === 'number' && TIME_KEY.test(key) ? toIso(value) : value,
    ),
  ) as object;
