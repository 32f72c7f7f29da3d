/** Returns a name as a quoted identifier of SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
