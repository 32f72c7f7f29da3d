import { concatBuffers } from './concat-buffers.ts';

/** Takes a secret out of what others wrote: services and proxies echo what they were sent. */
export interface Redactor {
  /** The text without the secret, in whatever way it is escaped there. */
  text(text: string): string;
  /** A body without it: the same one nearly always, else a copy in memory of its own. */
  body(body: Buffer): Buffer;
}

/** In answers that are no errors, a shorter secret would be found where nobody meant it. */
const MIN_SECRET_LENGTH_IN_BODIES = 16;

export function createRedactor(secret: string): Redactor {
  const pattern = new RegExp(Array.from(secret, escapedForms).join(''), 'gi');
  const redact = (text: string): string => text.replaceAll(pattern, '[key]');
  // Letters and digits are the same in every form: so many bodies need no closer look.
  const longestRun = secret
    .match(/[a-z0-9]+/gi)
    ?.reduce((longest, run) => (run.length > longest.length ? run : longest));
  return {
    text: redact,
    body(body) {
      if (secret.length < MIN_SECRET_LENGTH_IN_BODIES || (longestRun !== undefined && !body.includes(longestRun)))
        return body;
      const text = body.toString('utf8');
      const redacted = redact(text);
      return redacted === text ? body : concatBuffers([Buffer.from(redacted)]);
    },
  };
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** A pattern of all ways to write a character: as it is, or escaped in a string of JSON, in an address or in HTML. */
function escapedForms(character: string): string {
  if (/[a-z0-9]/i.test(character)) return character;
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const entityName = NAMED_ENTITIES[character];
  const entities = [`#0*${code}`, `#x0*${hex}`, ...(entityName ? [entityName] : [])];
  return `(?:\\\\*\\x${hex}|\\\\+u00${hex}|%(?:25)*${hex}|&(?:${entities.join('|')});)`;
}
