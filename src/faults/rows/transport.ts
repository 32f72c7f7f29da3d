import { gzipSync } from 'node:zlib';
import Type from 'typebox';
import { SECOND } from '../../clock.ts';
import { bytesOf } from '../answer.ts';
import { fault } from '../row.ts';

/** Good answers that come badly. */

const milliseconds = (given: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 3_600_000, default: given, description });

export const transportRows = {
  'content-type': fault({
    says: 'JSON that is said to be something else.',
    outcome: 'same',
    options: Type.Object({
      type: Type.String({
        pattern: '^[\\x21-\\x7e][\\x20-\\x7e]*$',
        default: 'text/html; charset=utf-8',
        description: 'a media type, such as text/plain',
      }),
    }),
    answer: (made, { options: { type } }) => ({ ...made, headers: { ...made.headers, 'content-type': type } }),
  }),
  'half-json': fault({
    says: 'JSON that ends in its middle, although the response is whole.',
    outcome: 'same',
    options: Type.Object({}),
    answer(made) {
      const bytes = bytesOf(made);
      return { ...made, body: bytes.subarray(0, Math.ceil(bytes.length / 2)) };
    },
  }),
  gzip: fault({
    says: 'The body is compressed, if the client accepts gzip.',
    outcome: 'same',
    options: Type.Object({}),
    answer(made, { request }) {
      if (!request.acceptsGzip || made.headers['content-encoding'] !== undefined) return made;
      return {
        ...made,
        headers: { ...made.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
        body: gzipSync(bytesOf(made)),
      };
    },
  }),
  'cut-body': fault({
    says: 'The connection ends within the body: less comes than Content-Length says.',
    outcome: 'same',
    options: Type.Object({
      share: Type.Number({
        minimum: 0,
        maximum: 0.99,
        default: 0.5,
        description: 'how much of the body comes, from 0 to 0.99',
      }),
    }),
    answer: (made, { options: { share } }) =>
      made.cut === undefined ? { ...made, cut: Math.floor(bytesOf(made).length * share) } : made,
  }),
  'drop-connection': fault({
    says: 'The connection ends before any answer.',
    outcome: 'same',
    options: Type.Object({}),
    answer: (made) => ({ ...made, cut: 'before' }),
  }),
  delay: fault({
    says: 'Nothing comes for a while, then all of it.',
    outcome: 'same',
    options: Type.Object({ ms: milliseconds(2 * SECOND, 'milliseconds before the answer begins') }),
    answer: (made, { options: { ms } }) => ({ ...made, delayMs: made.delayMs + ms }),
  }),
  'slow-body': fault({
    says: 'The headers come at once, the body in small pieces.',
    outcome: 'same',
    options: Type.Object({ ms: milliseconds(2 * SECOND, 'milliseconds from the first piece to the last') }),
    answer: (made, { options: { ms } }) => ({ ...made, bodyMs: made.bodyMs + ms }),
  }),
};
