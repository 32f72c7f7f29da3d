import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends why a request is refused, and what to do. */
export const refuse = (reply: FastifyReply, status: number, message: string, hint?: string): FastifyReply =>
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ error: message, hint: hint ?? null });

/** The values of a query string. A parameter that is given twice has its last value. */
export const readValues = ({ query }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query as Record<string, string | readonly string[]>).map(([name, value]) => [
      name,
      [value].flat().at(-1)!,
    ]),
  );
