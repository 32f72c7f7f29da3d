import type { SeededRandom } from '#base/seeded-random.ts';

/** Items with fields, identities and times in undocumented types and forms. */

type Json = Record<string, any>; // eslint-disable-line -- an answer's body
type ItemsShape = (endpoint: string, body: unknown, shaped: { readonly random: SeededRandom }) => void;

/** Returns all objects with an identity: items, authors, the owner of a list, and a profile. */
function objectsIn(endpoint: string, body: unknown): Json[] {
  const found: Json[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value) && ('id' in value || 'rest_id' in value)) found.push(value);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit((body as Json)['data']);
  // Communities and lists are not changed.
  return endpoint === 'community-tweets' || endpoint === 'list-latest-tweets' ? found.slice(1) : found;
}

const eachObject =
  (change: (object: Json, random: SeededRandom) => void): ItemsShape =>
  (endpoint, body, { random }) => {
    for (const object of objectsIn(endpoint, body)) if (random.chance(0.4)) change(object, random);
  };

const IDS = ['id', 'rest_id'];
/** Handles are kept, since a missing one causes a look-up. */
const KEPT_FIELDS = [...IDS, 'userName', 'screen_name', 'replies', 'author'];
const VALUES: readonly unknown[] = ['12', 'blue', '', 1.5, 2 ** 60, 7, true, [], {}, [1], { value: 1 }];

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** The form that the specification documents. */
const DOCUMENTED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The same time in another form, sometimes an unreadable one. */
function rewriteTime(stamp: string, random: SeededRandom): unknown {
  // Another shape has already changed it.
  if (!DOCUMENTED.test(stamp)) return stamp;
  const at = Date.parse(stamp);
  if (random.chance(0.1)) return random.pick([stamp.slice(0, -1), 'yesterday', '', at, stamp.slice(0, 10)]);
  const offset = random.pick([0, 0, 120, -330, 345]);
  const local = new Date(at + offset * 60_000);
  const [date = '', clock = ''] = local.toISOString().slice(0, -1).split('T');
  const [sign, hours] = [offset < 0 ? '-' : '+', twoDigits(Math.floor(Math.abs(offset) / 60))];
  const minutes = twoDigits(Math.abs(offset) % 60);
  const isWhole = at % 1000 === 0;
  const second = clock.slice(0, 8);
  const [weekday, month] = [DAYS[local.getUTCDay()]!, MONTHS[local.getUTCMonth()]!];
  const forms = [
    `${date}T${clock}${sign}${hours}:${minutes}`,
    `${date} ${clock}${sign}${hours}${minutes}`,
    ...(isWhole
      ? [
          `${date}T${second}${sign}${hours}:${minutes}`,
          `${weekday} ${month} ${twoDigits(local.getUTCDate())} ${second} ${sign}${hours}${minutes} ${local.getUTCFullYear()}`,
          `${weekday}, ${local.getUTCDate()} ${month} ${local.getUTCFullYear()} ${second} ${sign}${hours}${minutes}`,
        ]
      : []),
    ...(isWhole && offset === 0
      ? [`${weekday}, ${local.getUTCDate()} ${month} ${local.getUTCFullYear()} ${second} GMT`]
      : []),
  ];
  return random.pick(forms);
}

export const ITEM_SHAPES = {
  'fields of other types': eachObject((object, random) => {
    const fields = Object.keys(object).filter((field) => !KEPT_FIELDS.includes(field));
    if (fields.length > 0) object[random.pick(fields)] = random.pick(VALUES);
  }),
  'numbers for ids': eachObject((object) => {
    if (IDS.some((field) => typeof object[field] === 'number')) return;
    for (const field of [...IDS, 'in_reply_to_status_id', 'in_reply_to_user_id'])
      if (typeof object[field] === 'string' && /^\d+$/.test(object[field])) object[field] = Number(object[field]);
  }),
  'one of two ids that cannot be read': eachObject((object, random) => {
    const id = object['rest_id'] ?? object['id'];
    if (typeof id !== 'string' || IDS.some((field) => field in object && object[field] !== id)) return;
    const unreadable = random.pick<unknown>([{}, 1.5, true, '', 'no id', [id], 17]);
    Object.assign(object, random.chance(0.5) ? { id, rest_id: unreadable } : { id: unreadable, rest_id: id });
  }),
  'authors that cannot be read': (endpoint, body, { random }) => {
    for (const object of objectsIn(endpoint, body))
      if ('text' in object && random.chance(0.3)) object['author'] = random.pick<unknown>([{}, 'x', 5, []]);
  },
  'times of other forms': eachObject((object, random) => {
    for (const field of ['created_at', 'createdAt'])
      if (typeof object[field] === 'string') object[field] = rewriteTime(object[field] as string, random);
  }),
} as const satisfies Record<string, ItemsShape>;
