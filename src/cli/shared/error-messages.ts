export const describeBug = (thrown: unknown): string =>
  `this is a bug: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
