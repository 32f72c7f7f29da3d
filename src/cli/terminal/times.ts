export { toIso } from '../../units.ts';
