import type { MissingData } from '../../../analysis/queries/missing-data.ts';
import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import { capitalise, toSentence } from '../../../base/text.ts';
import type { Block } from '../report-content.ts';
import { describeRows } from '../result-table.ts';
import { type AnsweredQuery, chooseSpec } from '../run-queries.ts';

/** How a query is shown. */
export interface QueryPresentation {
  readonly title: string;
  readonly caption: string;
  /** What it means that no row matches, or that all counts are 0: `No deletion was noticed.` */
  readonly none: string;
  /** Whether the page says elsewhere what the service does not show. */
  readonly isLimitStated?: boolean;
}

export interface ChartPresentation extends QueryPresentation {
  /** Whether 0 is a result like any other: the number of followers may be 0. */
  readonly isZeroShown?: boolean;
}

export interface TablePresentation extends QueryPresentation {
  /** The columns that are shown, with their labels; by default, all. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** Returns the chart of a query, or why there is none. */
export function presentChart(
  answered: AnsweredQuery,
  { title, caption, none, isZeroShown = false, isLimitStated = false }: ChartPresentation,
): Block[] {
  const { answer } = answered;
  const spec = chooseSpec(answered);
  const y = answer.columns.indexOf(spec.value ?? spec.y);
  const heading: Block = { type: 'heading', text: title };
  const isShown = answer.rows.some((row) => row[y] !== null && (isZeroShown || row[y] !== 0));
  if (!isShown) return [heading, ...describeAbsence(answer.missing, none)];
  return [
    { type: 'chart', title, caption, data: { columns: answer.columns, rows: answer.rows }, spec },
    ...listRemarks(answer.missing, isLimitStated),
  ];
}

/** Returns the rows of a query as a table, or why there are none. */
export function presentTable(
  { answer }: AnsweredQuery,
  { title, caption, none, columns, isLimitStated = false }: TablePresentation,
): Block[] {
  const heading: Block = { type: 'heading', text: title };
  if (answer.rows.length === 0) return [heading, ...describeAbsence(answer.missing, none)];
  return [heading, describeRows(answer, caption, { columns }), ...listRemarks(answer.missing, isLimitStated)];
}

const listRemarks = (missing: readonly MissingData[], isLimitStated: boolean): Block[] =>
  missing.filter(({ state }) => !isLimitStated || state !== 'not available').map(describeMissing);

/** Why a query has no rows: data is missing, or nothing in the collected data matches. */
export const describeAbsence = (missing: readonly MissingData[], none: string): Block[] =>
  missing.length === 0 ? [{ type: 'absence', absence: 'no results', text: none }] : missing.map(describeMissing);

function describeMissing({ state, label, detail, command }: MissingData): Block {
  const text = `${capitalise(label)}${detail === '' ? '' : `: ${detail}`}.`;
  return { type: 'absence', absence: state, text, command: command === null ? undefined : `trawl ${command}` };
}

/** How old the evidence of deletions is. */
export const describeEvidenceAge = ({ sentence, command }: EvidenceAge): Block =>
  command === null
    ? { type: 'paragraph', text: toSentence(`${sentence}.`) }
    : { type: 'absence', absence: 'not checked', text: toSentence(`${sentence}.`), command: `trawl ${command}` };

/** Joins the blocks of several charts. What holds for more than one of them is said once, before the first. */
export function joinCharts(...charts: readonly (readonly Block[])[]): Block[] {
  const remarks = new Map<string, Block>();
  const blocks = charts.flatMap(([first, ...rest]): readonly Block[] => {
    if (first?.type !== 'chart') return first ? [first, ...rest] : rest;
    for (const block of rest) remarks.set(JSON.stringify(block), block);
    return [first];
  });
  return [...remarks.values(), ...blocks];
}
