import { concatBuffers } from './exchange.ts';

/** A shorter secret could match normal content of success responses. */
const MIN_SECRET_LENGTH_IN_BODIES = 16;

/** Creates functions that remove a secret from text and bodies of other programs, which may echo requests. */
export function createRedactor(secret: string) {
  const pattern = new RegExp(Array.from(secret, escapedForms).join(''), 'gi');
  const redact = (text: string): string => text.replaceAll(pattern, '[key]');
  // A body with neither this run nor an escaped letter or digit cannot contain the secret.
  const longestRun = secret
    .match(/[a-z0-9]+/gi)
    ?.reduce((longest, run) => (run.length > longest.length ? run : longest));
  return {
    /** Returns the text without the secret, in any escaped form. */
    text: redact,
    /** Returns the body without the secret: the same buffer if it does not contain it, else a copy. */
    body(body: Buffer): Buffer {
      if (secret.length < MIN_SECRET_LENGTH_IN_BODIES) return body;
      const mayBeEscaped = body.includes('\\u00') && ESCAPED_LETTER.test(body.toString('latin1'));
      if (longestRun !== undefined && !body.includes(longestRun) && !mayBeEscaped) return body;
      const text = body.toString('utf8');
      const redacted = redact(text);
      return redacted === text ? body : concatBuffers([Buffer.from(redacted)]);
    },
  };
}

/** An ASCII character in JSON as an escape that it does not need. */
const ESCAPED_LETTER = /\\u00[3-7][0-9a-f]/i;

const NAMED_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Returns a pattern for a character, plain or escaped in JSON, a URL or HTML. */
function escapedForms(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const entityName = NAMED_ENTITIES[character];
  const entities = [`#0*${code}`, `#x0*${hex}`, ...(entityName ? [entityName] : [])];
  const plain = /[a-z0-9]/i.test(character) ? character : `\\\\*\\x${hex}`;
  return `(?:${plain}|\\\\+u00${hex}|%(?:25)*${hex}|&(?:${entities.join('|')});)`;
}
