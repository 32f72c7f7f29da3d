/** Returns the expression of a time in ISO 8601, UTC. @param ms the expression of its milliseconds */
export const isoTime = (ms: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;
