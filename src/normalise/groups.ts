import { groupInspector, type ObservedGroup } from '../contract/observed.ts';
import type { WireItem } from '../contract/pages.ts';
import type { GroupRow } from '../store/schema/rows.ts';
import { clean, type Collector } from './collector.ts';
import { readIdentity } from './users.ts';

/** Normalises a community or a list (spec, "Reference objects"); undefined if it is rejected. */
export function normaliseGroup(page: Collector, item: WireItem): GroupRow | undefined {
  const group = page.accept<ObservedGroup>(groupInspector, item);
  return group && { restId: readIdentity(group), name: clean(group.name), description: clean(group.description) };
}
