export { toIso } from '../../base/units.ts';
