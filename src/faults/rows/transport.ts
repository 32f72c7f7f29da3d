import { gzipSync } from 'node:zlib';
import Type from 'typebox';
import { SECOND } from '../../clock.ts';
import { encodeAnswer } from '../fault-answer.ts';
import { defineFault } from '../fault-row.ts';

/** Good answers that come badly. */

const milliseconds = (given: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 3_600_000, default: given, description });

export const transportRows = {
  'content-type': defineFault({
    description: 'JSON that is said to be something else.',
    outcome: 'same',
    options: Type.Object({
      type: Type.String({
        pattern: '^[\\x21-\\x7e][\\x20-\\x7e]*$',
        default: 'text/html; charset=utf-8',
        description: 'a media type, such as text/plain',
      }),
    }),
    changeAnswer: (made, { options: { type } }) => ({ ...made, headers: { ...made.headers, 'content-type': type } }),
  }),
  'half-json': defineFault({
    description: 'JSON that ends in its middle, although the response is whole.',
    outcome: 'same',
    options: Type.Object({}),
    changeAnswer(made) {
      const bytes = encodeAnswer(made);
      return { ...made, body: bytes.subarray(0, Math.ceil(bytes.length / 2)) };
    },
  }),
  gzip: defineFault({
    description: 'The body is compressed, if the client accepts gzip.',
    outcome: 'same',
    options: Type.Object({}),
    changeAnswer(made, { request }) {
      if (!request.acceptsGzip || made.headers['content-encoding'] !== undefined) return made;
      return {
        ...made,
        headers: { ...made.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
        body: gzipSync(encodeAnswer(made)),
      };
    },
  }),
  'cut-body': defineFault({
    description: 'The connection ends within the body: less comes than Content-Length says.',
    outcome: 'same',
    options: Type.Object({
      share: Type.Number({
        minimum: 0,
        maximum: 0.99,
        default: 0.5,
        description: 'how much of the body comes, from 0 to 0.99',
      }),
    }),
    changeAnswer: (made, { options: { share } }) =>
      made.cut === undefined ? { ...made, cut: Math.floor(encodeAnswer(made).length * share) } : made,
  }),
  'drop-connection': defineFault({
    description: 'The connection ends before any answer.',
    outcome: 'same',
    options: Type.Object({}),
    changeAnswer: (made) => ({ ...made, cut: 'before' }),
  }),
  delay: defineFault({
    description: 'Nothing comes for a while, then all of it.',
    outcome: 'same',
    options: Type.Object({ ms: milliseconds(2 * SECOND, 'milliseconds before the answer begins') }),
    changeAnswer: (made, { options: { ms } }) => ({ ...made, delayMs: made.delayMs + ms }),
  }),
  'slow-body': defineFault({
    description: 'The headers come at once, the body in small pieces.',
    outcome: 'same',
    options: Type.Object({ ms: milliseconds(2 * SECOND, 'milliseconds from the first piece to the last') }),
    changeAnswer: (made, { options: { ms } }) => ({ ...made, bodyMs: made.bodyMs + ms }),
  }),
};
