/** What a page of a report shows, read from its HTML as a person would. */
export interface ShownPage {
  /** The cells of the tables by caption, with their headers as the first row. */
  readonly tables: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** The tiles: label, value and detail. */
  readonly tiles: ReadonlyMap<string, { readonly value: string; readonly detail: string }>;
  /** The tweets: text, and the line below it. */
  readonly posts: readonly { readonly text: string; readonly meta: string }[];
  /** The text of each section, by its id. */
  readonly sections: ReadonlyMap<string, string>;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of HTML that has no other entities. */
const toText = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll('\u00a0', ' ')
    .trim();

const all = (html: string, pattern: RegExp): string[][] => [...html.matchAll(pattern)].map(([, ...parts]) => parts);

export function readPage(html: string): ShownPage {
  const tables = all(html, /<caption[^>]*>([^]*?)<\/caption>\s*([^]*?)<\/table>/g).map(
    ([caption, body]) =>
      [
        toText(caption!),
        all(body!, /<tr>([^]*?)<\/tr>/g).map(([row]) =>
          all(row!, /<t[hd][^>]*>([^]*?)<\/t[hd]>/g).map(([cell]) => toText(cell!)),
        ),
      ] as const,
  );
  const tiles = all(
    html,
    /<div class="tile"><dt>([^]*?)<\/dt><dd><span class="value">([^]*?)<\/span>(?:<span class="bar"[^]*?<\/span><\/span>)?<span class="detail">([^]*?)<\/span><\/dd>/g,
  ).map(([label, value, detail]) => [toText(label!), { value: toText(value!), detail: toText(detail!) }] as const);
  return {
    tables: new Map(tables),
    tiles: new Map(tiles),
    posts: all(html, /<p class="text" dir="auto">([^]*?)<\/p><p class="meta">([^]*?)<\/p>/g).map(([text, meta]) => ({
      text: toText(text!),
      meta: toText(meta!),
    })),
    sections: new Map(
      all(html, /<section aria-labelledby="([^"]*)">([^]*?)<\/section>/g).map(([id, body]) => [id!, toText(body!)]),
    ),
  };
}

/** `12,345` as a number. */
export const toNumber = (text: string): number => Number(text.replaceAll(',', ''));

/** The rows of a table without its headers. */
export function rowsOf(page: ShownPage, caption: string | RegExp): readonly (readonly string[])[] {
  const found = [...page.tables].find(([key]) => (typeof caption === 'string' ? key === caption : caption.test(key)));
  if (!found) throw new Error(`no table ${String(caption)} among ${[...page.tables.keys()].join('; ')}`);
  return found[1].slice(1);
}
