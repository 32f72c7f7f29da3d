import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Links between pages of the repository, and decisions that code and documentation cite by number. */

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => !/node_modules|\.built/.test(name) && statSync(join(root, name)).isFile());

const isPage = (name: string): boolean => name.endsWith('.md');
const atRoot = readdirSync(root).filter(isPage);
const pages = [
  ...atRoot,
  ...['docs', 'bench', '.github', 'jobs']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap(filesIn)
    .filter(isPage),
];

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = [
    ...read(page)
      .replaceAll(/^```[^]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, text]) => text!);
  const plain = headings.map((text) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase());
  return new Set(plain.map((text) => text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')));
}

/** Links of a page that lead to no file of the repository, or to no heading of it. */
const brokenLinks = (page: string): string[] =>
  [...read(page).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].flatMap(([, link]) => {
    const [path, anchor] = link!.split('#') as [string, string?];
    const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
    if (!existsSync(join(root, target))) return [link!];
    return anchor === undefined || anchorsOf(target).has(anchor) ? [] : [link!];
  });

test.each(pages)('the links of %s lead to files and headings', (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

const decisionPages = filesIn('docs/decisions').filter((page) => !page.endsWith('README.md'));
/** The numbers of a page of one decision, or of the rows of the archive. */
const numbersIn = (page: string): string[] =>
  [...read(page).matchAll(/^(?:# (\d+)\. |\| (\d+) \| )/gm)].map(([, heading, row]) => (heading ?? row)!);

test('every decision has one place, and the index lists each page', () => {
  const numbers = decisionPages.flatMap((page) => numbersIn(page).map(Number));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
  const index = read('docs/decisions/README.md');
  for (const page of decisionPages) {
    const [, title] = /^# (?:\d+\. )?(.+)$/m.exec(read(page))!;
    const row = page.endsWith('archive.md')
      ? '[the archive](archive.md)'
      : `[${title}](${relative('docs/decisions', page)})`;
    expect(index).toContain(row);
  }
});

test('every decision that is cited by number exists', () => {
  const known = new Set(decisionPages.flatMap(numbersIn));
  const sources = [...atRoot, ...['src', 'test', 'scripts', 'bench', 'docs', 'migrations'].flatMap(filesIn)];
  const cited = sources
    .filter((name) => /\.(?:ts|sql|md)$/.test(name))
    .flatMap((name) =>
      [...read(name).matchAll(/\bdecisions? (\d+)(?: (?:to|and) (\d+))?/gi)].flatMap(([, first, last]) =>
        [first!, last ?? first!].map((number) => ({ name, number })),
      ),
    );
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
});

const inSource = (file: string): string => [`src/${file}`, file].find((path) => existsSync(join(root, path))) ?? '';

test.each(['CONTRIBUTING.md', 'docs/glossary.md', 'docs/decisions/archive.md'])(
  'the source files and functions that %s names exist',
  (page) => {
    const named = [...read(page).matchAll(/`([a-z][\w/-]*\.ts)`(?: `(\w+)`)?/g)];
    expect(named.length).toBeGreaterThan(3);
    const missing = named.filter(([, file, name]) => {
      const path = inSource(file!);
      return (
        path === '' ||
        (name !== undefined &&
          !new RegExp(`(?:function|const|interface|type|^\\s+(?:async)?) ?${name}\\b`, 'm').test(read(path)))
      );
    });
    expect(missing.map(([text]) => text)).toEqual([]);
  },
);

test('the folders and first files in the table of modules exist, and no module is missing', () => {
  const rows = [...read('CONTRIBUTING.md').matchAll(/^\| `(src\/[a-z]+)` \|.*\| ([^|]+) \|$/gm)];
  const files = rows.flatMap(([, folder, first]) =>
    [...first!.matchAll(/`([^`]+)`/g)].map(([, file]) => ({ folder, path: `src/${file}` })),
  );
  expect(files.filter(({ folder, path }) => !path.startsWith(`${folder}/`) || !existsSync(join(root, path)))).toEqual(
    [],
  );
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(new Set(rows.map(([, folder]) => folder))).toEqual(new Set(folders.map(({ name }) => `src/${name}`)));
});

test('the tests of every promise are there, and the citation has the version of the package', () => {
  const promises = read('docs/reliability.md').match(/^\d+\. .*$/gm)!;
  const missing = promises.filter((promise) => {
    const tests = promise.match(/(?<=`)test\/[^`]+/g) ?? [];
    return tests.length === 0 || !tests.every((file) => existsSync(join(root, file)));
  });
  expect(missing).toEqual([]);
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('CITATION.cff')).toContain(`\nversion: ${version}\n`);
});
