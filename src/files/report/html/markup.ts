/** HTML that may be inserted as it is: markup of our own, with escaped values. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type MarkupValue = Markup | string | number | undefined | readonly MarkupValue[];

/** Control characters but line feed and tab, lone surrogates, and the two characters that reverse the text after them. */
const UNSAFE = /(?![\n\t])\p{Cc}|[\p{Cs}\u202d\u202e\ufeff\ufff9-\ufffb]/gu;
/** More marks on one letter than any language has. They would cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu;

/** Returns a text that can be shown: what would be invisible or would reverse its surroundings is replaced by U+FFFD. */
export const toSafeText = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(UNSAFE, '\ufffd')
    .replaceAll(STACKED_MARKS, '$1');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or for an attribute in quotes. */
export const escapeHtml = (text: string): string => toSafeText(text).replaceAll(/[&<>"']/g, (each) => ENTITIES[each]!);

/** The tag of a template of HTML: its values are escaped, unless they are markup; undefined is nothing, lists are joined. */
export const markup = (parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup =>
  new Markup(parts.map((part, i) => part + (i < values.length ? toHtml(values[i]) : '')).join(''));

/** Inserts HTML or SVG that our own code has made, and that escapes what it shows. */
export const trustMarkup = (html: string): Markup => new Markup(html);

function toHtml(value: MarkupValue): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.html;
  return typeof value === 'object' ? value.map(toHtml).join('') : escapeHtml(String(value));
}
