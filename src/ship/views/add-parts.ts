import { isPart } from './define-views.ts';
import type { Views } from './views.ts';

const USED = /\b(from|join) (\w+)/g;

/**
 * Returns the query of a view with its parts, and with each other view that it uses several times, as common table expressions.
 * @param as the keywords before an expression @param isTable whether a view is a table instead, which can be read several times
 */
export function addParts(
  views: Views,
  name: string,
  as: string,
  isTable: (used: string) => boolean = () => false,
): string {
  const parts = new Set<string>();
  const uses = new Map<string, number>();
  const findUses = (each: string): void => {
    for (const [, , used = ''] of views[each]!.matchAll(USED)) {
      if (!(used in views)) continue;
      if (!isPart(used)) uses.set(used, (uses.get(used) ?? 0) + 1);
      else if (!parts.has(used)) {
        parts.add(used);
        findUses(used);
      }
    }
  };
  findUses(name);
  const isShared = (used: string): boolean => (uses.get(used) ?? 0) > 1 && !isTable(used);
  const queryOf = (each: string): string =>
    views[each]!.trim().replaceAll(USED, (text, word: string, used: string) =>
      isShared(used) ? `${word} shared_${used}` : text,
    );
  const expressions = [
    ...[...uses.keys()].filter(isShared).map((used) => `shared_${used} ${as} (select * from ${used})`),
    ...Object.keys(views).flatMap((part) => (parts.has(part) ? `${part} ${as} (\n  ${queryOf(part)}\n)` : [])),
  ];
  return expressions.length === 0 ? queryOf(name) : `with ${expressions.join(', ')}\n${queryOf(name)}`;
}
