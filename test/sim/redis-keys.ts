import type { Call } from './lua.ts';

interface Entry {
  readonly value: string | Map<string, string> | Map<string, number>;
  until: number;
}

type Command = (key: string, ...args: readonly string[]) => ReturnType<Call>;

/** The commands of Redis that the ledger uses, over keys of its own, by `Date.now()`. Replies are those of Lua. */
export function createKeys(): (command: string, ...args: readonly string[]) => ReturnType<Call> {
  const keys = new Map<string, Entry>();

  function find(key: string): Entry | undefined {
    const entry = keys.get(key);
    if (!entry || entry.until > Date.now()) return entry;
    keys.delete(key);
    return undefined;
  }
  function make(key: string): Entry {
    const entry = find(key) ?? { value: new Map(), until: Infinity };
    keys.set(key, entry);
    return entry;
  }
  const hash = (key: string): Map<string, string> | undefined => find(key)?.value as Map<string, string> | undefined;
  const scores = (key: string): Map<string, number> | undefined => find(key)?.value as Map<string, number> | undefined;
  /** Takes out members; what has none left is no key any more. */
  function remove(key: string, members: Iterable<string>): number {
    const all = find(key)?.value as Map<string, unknown> | undefined;
    let count = 0;
    for (const member of members) if (all?.delete(member)) count += 1;
    if (all?.size === 0) keys.delete(key);
    return count;
  }

  const commands: Readonly<Record<string, Command>> = {
    HGETALL: (key) => Object.fromEntries(hash(key) ?? []) as never,
    HMGET: (key, ...fields) => fields.map((field) => hash(key)?.get(field) ?? false),
    HSET(key, ...pairs) {
      const to = make(key).value as Map<string, string>;
      for (let i = 0; i < pairs.length; i += 2) to.set(pairs[i]!, pairs[i + 1]!);
      return pairs.length / 2;
    },
    HINCRBY(key, field, by) {
      const to = make(key).value as Map<string, string>;
      const sum = Number(to.get(field!) ?? '0') + Number(by);
      to.set(field!, String(sum));
      return sum;
    },
    HDEL: (key, ...fields) => remove(key, fields),
    ZADD: (key, score, member) => ((make(key).value as Map<string, number>).set(member!, Number(score)), 1),
    ZREM: (key, ...members) => remove(key, members),
    ZCARD: (key) => scores(key)?.size ?? 0,
    ZREMRANGEBYSCORE(key, from, to) {
      if (from !== '-inf') throw new Error(`scores from ${from}`);
      return remove(
        key,
        [...(scores(key) ?? [])].flatMap(([member, score]) => (score <= Number(to) ? [member] : [])),
      );
    },
    PEXPIRE(key, ms) {
      const entry = find(key);
      if (entry) entry.until = Date.now() + Number(ms);
      return entry ? 1 : 0;
    },
    SET(key, value, ...how) {
      const [life, isNew] = how[0] === 'NX' ? [how.slice(1), true] : [how, false];
      if (life[0] !== 'PX') throw new Error(`SET ${how.join(' ')}`);
      if (isNew && find(key)) return false;
      keys.set(key, { value: value!, until: Date.now() + Number(life[1]) });
      return 'OK';
    },
    GET: (key) => (find(key)?.value as string | undefined) ?? false,
    DEL: (key) => (find(key) && keys.delete(key) ? 1 : 0),
  };
  return (command, key = '', ...args) => {
    const run = commands[command];
    if (!run) throw new Error(`no command ${command}`);
    return run(key, ...args);
  };
}
