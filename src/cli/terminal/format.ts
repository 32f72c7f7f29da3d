export { formatCount, pluralize, pronounOf } from '../../text.ts';
export { formatBytes, formatDuration } from '../../units.ts';
