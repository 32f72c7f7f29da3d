import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { users } from '#store/schema/tables.ts';
import { countJson, flagJson, objectJson, textJson, timeJson } from '#twin/serve/queries/json-text.ts';
import { addFollow, addUser, temporaryStore, testTwin } from './support.ts';

/** What the store holds: well-formed, and without NUL. */
const stored = fc
  .string({ unit: fc.oneof(fc.constantFrom('"', '\\', '/', '\n', '\u007f', '\u2028', '\u001f', "'"), unit()) })
  .filter((value) => !value.includes('\0'));
function unit() {
  return fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
}

describe('JSON written by the database', () => {
  const shape = objectJson<{ text: string; nested: { "it's": number; flag: boolean }; at: string }>({
    text: textJson(users.name, "it's unknown"),
    nested: { "it's": countJson(users.followersCount), flag: flagJson(users.verified) },
    at: timeJson(users.createdAt),
  });

  test('equals JSON.stringify byte for byte, for any text', () => {
    const db = temporaryStore();
    addUser(db, { restId: '1' });
    const json = db.select({ json: shape }).from(users).prepare();
    const row = fc.record({
      name: stored,
      followersCount: fc.maxSafeNat(),
      verified: fc.boolean(),
      createdAt: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
    });
    fc.assert(
      fc.property(row, (values) => {
        db.update(users).set(values).run();
        const { name, followersCount, verified, createdAt } = values;
        const at = new Date(createdAt).toISOString();
        expect(json.get()?.json).toBe(
          JSON.stringify({ text: name, nested: { "it's": followersCount, flag: verified }, at }),
        );
      }),
    );
  });

  test('has neutral values for unknown ones', () => {
    const db = temporaryStore();
    addUser(db, { restId: '1', name: null });
    expect(JSON.parse(db.select({ json: shape }).from(users).get()!.json)).toEqual({
      text: "it's unknown",
      nested: { "it's": 0, flag: false },
      at: '1970-01-01T00:00:00.000Z',
    });
    db.update(users)
      .set({ createdAt: sql`8640000000000000` })
      .run();
    expect(JSON.parse(db.select({ json: shape }).from(users).get()!.json)).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});

test('a response equals JSON.stringify, with values that look like its structure', async () => {
  const db = temporaryStore();
  const odd = '"\\u0000"]}[\\';
  const followee = addUser(db, { restId: '1', screenName: 'ada', name: `${odd}["\\u0000"]` });
  for (const restId of ['2', '3', '4']) addFollow(db, addUser(db, { restId, name: odd, description: odd }), followee);
  const twin = await testTwin({ db, pageSize: 2 });
  for (const path of ['followers?restId=1', 'following?restId=1', 'user-profile?screenName=ada']) {
    const answer = await fetch(`${twin.url}/api/microblog/${path}`, { headers: { 'X-API-Key': twin.key } });
    const body = await answer.text();
    expect(JSON.stringify(JSON.parse(body))).toBe(body);
    expect(body).toContain(JSON.stringify(odd).slice(1, -1));
  }
});
