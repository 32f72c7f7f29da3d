/** What actions print with: lines, documents, tables and the formatters of the values in them. Not loaded before an action. */

export { formatCount, pluralize, pronounOf } from '#base/text.ts';
export {
  formatAgo,
  formatBytes,
  formatDay,
  formatDuration,
  formatMinute,
  formatPercent,
  formatSecond,
  toIso,
} from '#base/units.ts';
export { formatCommand, hint } from '#cli/shared/command-hints.ts';
export { print, printJson, printMessage, printNote } from './output.ts';
export { getTerminalWidth, renderTable } from './render-table.ts';
