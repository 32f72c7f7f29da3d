/** Texts of strangers, made fit for messages. */

/** One line without control characters: what a service sends must not steer a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** The first `length` characters, with a mark where something was left out. */
export const start = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** A function that takes a secret out of texts that others wrote: services and proxies echo what they were sent. */
export function redactor(secret: string): (text: string) => string {
  const forms = [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '[key]'), text);
}
