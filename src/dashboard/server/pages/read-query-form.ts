import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { describeNeed, formatNeededCommand } from '#analysis/queries/describe-query.ts';
import {
  describeValue,
  type ParameterType,
  type QueryParameter,
  type SavedQuery,
} from '#analysis/queries/saved-query.ts';
import { toPrintable } from '#base/text.ts';
import type { QueryData, QueryParameterData, QueryLine, QueryListData } from '#dashboard/server/api/queries.ts';
import { formatStoreCommand } from '#dashboard/server/reader/format-store-command.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { FORMATS } from '#files/export/formats/formats.ts';
import { listPanelNames } from '#store/panels/panels.ts';
import type { Db } from '#store/sqlite/database.ts';

const MAX_SUGGESTIONS = 200;

/** Reads a saved query; undefined if there is none of this name. @throws UsageError for a wrong file */
export function readQueryForm({ db, settings }: ReadContext, { parameters }: ReadRequest): QueryData | undefined {
  const query = findSavedQuery(settings.queryFolders, parameters['name']);
  if (!query) return undefined;
  return {
    ...toQueryLine(query),
    description: query.description,
    sql: query.sql,
    hasChart: query.chart !== undefined,
    parameters: query.parameters.map((parameter) => toField(db, parameter)),
    needs: query.needs.map((need) => {
      const command = formatNeededCommand(need);
      return {
        text: describeNeed(need).replaceAll('`', ''),
        command: command === undefined ? null : formatStoreCommand(settings, command),
      };
    }),
    formats: Object.values(FORMATS).map(({ extensions }) => extensions[0]!),
  };
}

/** Finds a query by its name. @throws UsageError for a wrong file */
export function findSavedQuery(folders: readonly string[], name = ''): SavedQuery | undefined {
  const catalogue = readCatalogue(folders);
  return catalogue.names.includes(name) ? catalogue.read(name) : undefined;
}

const toField = (db: Db, parameter: QueryParameter): QueryParameterData => ({
  name: parameter.name,
  type: parameter.type,
  description: parameter.description,
  isRequired: parameter.default === undefined,
  default: parameter.default == null ? null : String(parameter.default),
  form: describeValue(parameter),
  choices: parameter.type === 'choice' ? (parameter.values ?? []) : null,
  suggestions: (SUGGESTIONS[parameter.type]?.(db) ?? []).filter((value) => toPrintable(value) === value),
});

const SUGGESTIONS: Partial<Record<ParameterType, (db: Db) => string[]>> = {
  panel: (db) => listPanelNames(db).slice(0, MAX_SUGGESTIONS),
  job: ({ $client }) =>
    $client
      .prepare<[number], string>(
        'select name from _scheduled_jobs union select job_name from runs where job_name is not null order by 1 limit ?',
      )
      .pluck()
      .all(MAX_SUGGESTIONS),
  search: ({ $client }) =>
    $client
      .prepare<[number], string>('select query from searches order by id desc limit ?')
      .pluck()
      .all(MAX_SUGGESTIONS),
};

/** Reading and checking all files takes 0.2 s. */
const KEPT_MS = 5000;

/** Lists the queries of trawl and of the user, by topic. @throws UsageError for a folder that cannot be read */
export const listQueries = ({ settings, remember }: ReadContext): QueryListData =>
  remember('queries', KEPT_MS, () => {
    const { queries, problems } = readCatalogue(settings.queryFolders).readAll();
    return {
      queries: queries.map(toQueryLine).toSorted((a, b) => compare(a.topic, b.topic) || compare(a.name, b.name)),
      problems: problems.map(toShortLine),
    };
  });

const toQueryLine = ({ name, title, topic, isBuiltIn }: SavedQuery): QueryLine => ({
  name,
  title: toShortLine(title),
  topic: toShortLine(topic),
  isOwn: !isBuiltIn,
});

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
