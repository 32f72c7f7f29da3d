/** The text of `SHA256SUMS`, which `sha256sum -c` checks. */
export const formatChecksums = (files: readonly { readonly name: string; readonly sha256: string }[]): string =>
  files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('');
