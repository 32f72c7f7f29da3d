/** Characters that have to be escaped in attributes, or that XML 1.0 cannot contain: controls, lone surrogates, U+FFFE and U+FFFF. */
const SPECIAL = /[&<>"\p{Cs}\ufffe\uffff]|(?![\u007f-\u009f])\p{Cc}/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Readers replace these by spaces otherwise.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes a text for a quoted attribute of XML 1.0. Characters that XML cannot contain become U+FFFD. */
export const escapeXml = (text: string): string => text.replace(SPECIAL, (char) => ESCAPES[char] ?? '\ufffd');
