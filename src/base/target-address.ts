/** Returns the scheme of an address, in lower case; undefined for a path. */
export const readScheme = (address: string): string | undefined =>
  /^([a-z][a-z\d+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();

/** Whether an address is a path of this machine. */
export const isFolderAddress = (address: string): boolean => readScheme(address) === undefined;
