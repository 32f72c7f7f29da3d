export { formatCount, pluralize, pronounOf } from '../../text.ts';
export { formatBytes, formatDuration, formatPercent } from '../../units.ts';
