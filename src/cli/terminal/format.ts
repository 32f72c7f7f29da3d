export { formatCount, pluralize } from '../../text.ts';
export { formatBytes, formatDuration, formatPercent } from '../../units.ts';
