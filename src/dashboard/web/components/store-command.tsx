import { FACTS } from '#dashboard/web/app/facts.ts';

/** A command to type for the store of the dashboard. @param command without `trawl` */
export const StoreCommand = ({ command }: { readonly command: string }) => (
  <code>{['trawl', command, FACTS.databaseOption].filter((part) => part !== '').join(' ')}</code>
);
