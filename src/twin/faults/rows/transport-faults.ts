import { gzipSync } from 'node:zlib';
import Type from 'typebox';
import { SECOND } from '#base/clock.ts';
import { integer } from '#twin/faults/definition/fault-options.ts';
import { encodeAnswer, defineFault } from '#twin/faults/definition/fault-row.ts';

/** Faults of the transport of a valid response. */

const milliseconds = (defaultValue: number, description: string) => integer([0, 3_600_000], defaultValue, description);

export const transportRows = {
  'content-type': defineFault({
    description: 'JSON with another content type.',
    outcome: 'same',
    options: {
      type: Type.String({
        pattern: '^[\\x21-\\x7e][\\x20-\\x7e]*$',
        default: 'text/html; charset=utf-8',
        description: 'a media type, such as text/plain',
      }),
    },
    changeAnswer: (answer, { options: { type } }) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': type },
    }),
  }),
  'half-json': defineFault({
    description: 'Truncated JSON in a complete response.',
    outcome: 'same',
    changeAnswer(answer) {
      const bytes = encodeAnswer(answer);
      return { ...answer, body: bytes.subarray(0, Math.ceil(bytes.length / 2)) };
    },
  }),
  gzip: defineFault({
    description: 'The body is compressed, if the client accepts gzip.',
    outcome: 'same',
    changeAnswer(answer, { request }) {
      if (!request.acceptsGzip || answer.headers['content-encoding'] !== undefined) return answer;
      return {
        ...answer,
        headers: { ...answer.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
        body: gzipSync(encodeAnswer(answer)),
      };
    },
  }),
  'cut-body': defineFault({
    description: 'The connection closes within the body, before Content-Length bytes.',
    outcome: 'same',
    options: {
      share: Type.Number({
        minimum: 0,
        maximum: 0.99,
        default: 0.5,
        description: 'the share of the body that is sent, from 0 to 0.99',
      }),
    },
    changeAnswer: (answer, { options: { share } }) =>
      answer.cut === undefined ? { ...answer, cut: Math.floor(encodeAnswer(answer).length * share) } : answer,
  }),
  'drop-connection': defineFault({
    description: 'The connection closes before the response.',
    outcome: 'same',
    changeAnswer: (answer) => ({ ...answer, cut: 'before' }),
  }),
  delay: defineFault({
    description: 'The response is delayed.',
    outcome: 'same',
    options: { ms: milliseconds(2 * SECOND, 'milliseconds before the response') },
    changeAnswer: (answer, { options: { ms } }) => ({ ...answer, delayMs: answer.delayMs + ms }),
  }),
  'slow-body': defineFault({
    description: 'The headers are sent at once, the body in small chunks.',
    outcome: 'same',
    options: { ms: milliseconds(2 * SECOND, 'milliseconds from the first chunk to the last') },
    changeAnswer: (answer, { options: { ms } }) => ({ ...answer, bodyMs: answer.bodyMs + ms }),
  }),
};
