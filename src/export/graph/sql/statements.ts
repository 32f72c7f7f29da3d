import { type GraphSelection, type NetworkName, NETWORKS } from '../networks.ts';
import type { NodeAttribute } from './node-attributes.ts';
import { EDGE_COLUMNS, formatCte, type NetworkSql } from './relations.ts';

/** A statement, with the values of its parameters by name. Its times are milliseconds UTC. */
export interface GraphStatement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface StatementRequest {
  readonly network: NetworkName;
  readonly definition: NetworkSql;
  readonly selection: Pick<GraphSelection, 'accountRestIds' | 'depth'>;
  readonly attributes: readonly NodeAttribute[];
  /** The key of a node of the largest component, if only that is exported. */
  readonly component: string | undefined;
}

/**
 * Returns the statements of the edge table and of the node table, which read nothing but the store. The export computes the
 * same relations in temporary tables.
 */
export function formatStatements(request: StatementRequest): { edges: GraphStatement; nodes: GraphStatement } {
  const { network, attributes, definition, selection, component } = request;
  const { isDirected, nodes, edgeColumns } = NETWORKS[network];
  const hasMembers = selection.accountRestIds !== undefined && nodes === 'accounts';
  const ctes = `with recursive ${formatRelations(request, hasMembers).join(',\n')}\n`;
  const parameters = {
    ...(hasMembers && { accounts: JSON.stringify(selection.accountRestIds) }),
    ...(component !== undefined && { component }),
  };
  const times = edgeColumns.map(({ name }, i) => `e.${EDGE_COLUMNS[3 + i]} as ${name}`);
  const inComponent = component === undefined ? '' : ' where id in (select id from component)';
  const ends = [
    'select source from graph_edges union select target from graph_edges',
    ...(hasMembers ? [`select id from members`] : []),
  ].join(' union ');
  const accountNodes = `select u.rest_id as Id, coalesce(u.screen_name, u.rest_id) as Label, ${attributes.map(({ name, ofAccount }) => `${ofAccount} as ${name}`).join(', ')}
from ends join users u on u.id = ends.id left join _user_last_seen s on s.user_id = u.id`;
  const otherNodes = `select n.key as Id, coalesce(n.label, n.key) as Label, ${attributes.map(({ name, ofOther }) => `${ofOther} as ${name}`).join(', ')}
from ends join (${definition.otherNodes}) n on n.id = ends.id`;
  return {
    edges: {
      sql: `${ctes}select s.key as Source, t.key as Target, '${isDirected ? 'Directed' : 'Undirected'}' as Type, e.weight as Weight, ${times.join(', ')}
from graph_edges e join nodes s on s.id = e.source join nodes t on t.id = e.target${component === undefined ? '' : '\nwhere e.source in (select id from component)'}`,
      parameters,
    },
    nodes: {
      sql: `${ctes.trimEnd()},
ends(id) as (select id from (${ends.replace('select source', 'select source as id')})${inComponent})
${[...(nodes === 'accounts' ? [accountNodes] : []), ...(definition.otherNodes === undefined ? [] : [otherNodes])].join('\nunion all ')}`,
      parameters,
    },
  };
}

/** The common table expressions, of which `graph_edges` has the selected edges, and `component` the nodes of the largest component. */
function formatRelations(
  { network, definition, selection, component }: StatementRequest,
  hasMembers: boolean,
): string[] {
  const { relations, edges, otherNodes } = definition;
  const isExcluded = relations.some(({ name }) => name === 'excluded_accounts');
  const nodes = [
    ...(NETWORKS[network].nodes === 'accounts' ? ['select id, rest_id from users'] : []),
    ...(otherNodes === undefined ? [] : [`select id, key from (${otherNodes})`]),
  ];
  const isAmongMembers = ' where source in (select id from members) and target in (select id from members)';
  return [
    ...relations.map(formatCte),
    `all_edges(${EDGE_COLUMNS.join(', ')}) as materialized (\n${edges()}\n)`,
    `nodes(id, key) as (\n${nodes.join(' union all ')}\n)`,
    ...(hasMembers ? [formatMembers(isExcluded, selection.depth)] : []),
    `graph_edges as materialized (\nselect * from all_edges${hasMembers ? isAmongMembers : ''}\n)`,
    ...(component === undefined ? [] : [COMPONENT]),
  ];
}

const formatMembers = (isExcluded: boolean, depth: number): string => `members(id, step) as (
select id, 0 from users where rest_id in (select value from json_each(:accounts))${isExcluded ? ' and id not in (select id from excluded_accounts)' : ''}
union select iif(e.source = m.id, e.target, e.source), m.step + 1 from members m join all_edges e on m.id in (e.source, e.target) where m.step < ${depth}
)`;

const COMPONENT = `component(id) as (
select id from nodes where key = :component
union select iif(e.source = c.id, e.target, e.source) from component c join graph_edges e on c.id in (e.source, e.target)
)`;
