export { formatCount, pluralize, pronounOf } from '../../base/text.ts';
export { formatBytes, formatDuration } from '../../base/units.ts';
