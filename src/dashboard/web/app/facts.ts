/** What the page knows before its first request: `DashboardFacts` of the server. */
interface Facts {
  readonly store: string;
  readonly version: string;
  readonly isWritable: boolean;
  readonly databaseOption: string;
}

const PLACEHOLDER: Facts = { store: '', version: '', isWritable: false, databaseOption: '' };

/** The facts that the server wrote into the page. The development server writes none. */
export const FACTS = readFacts(document.querySelector<HTMLMetaElement>('meta[name=trawl]')?.content ?? '');

function readFacts(text: string): Facts {
  return text.startsWith('{') ? (JSON.parse(text) as Facts) : PLACEHOLDER;
}
