import type { FindData } from '../../../server/api/find.ts';
import { Form } from '../../components/form.tsx';
import { DEFAULT_LIMIT, type FindAddress, formatAddress, showSearch, SORTS } from './find-address.ts';

const EXAMPLES = {
  tweets: ['coffee paris', '"a phrase"', 'from:nasa', '@nasa', '#tag', 'since:2025-01-31', 'until:2025-02-01'],
  accounts: ['journalist berlin', '"a phrase"', '@nasa'],
} as const;

/** The search, what is searched, and the order. The search is made on Enter; the rest applies at once. */
export const FindForm = (props: {
  readonly given: FindAddress;
  /** How the search was read. */
  readonly terms: FindData['terms'] | undefined;
  /** Makes the search of the address again. */
  readonly onRepeat: () => void;
}) => {
  const { given, terms, onRepeat } = props;
  const { search, isForAccounts, sort, includeDeleted } = given;
  const chosen = isForAccounts ? 'accounts' : 'tweets';
  return (
    <Form
      action="Find"
      isLive
      fields={[
        {
          name: 'search',
          label: `Search stored ${chosen}`,
          value: search,
          type: 'search',
          hint: terms ? <SearchTerms terms={terms} /> : <Examples texts={EXAMPLES[chosen]} />,
        },
        { name: 'in', label: 'Search in', value: chosen, choices: { tweets: 'Tweets', accounts: 'Accounts' } },
        { name: 'sort', label: 'Sort by', value: sort, choices: SORTS[chosen] },
        {
          name: 'deleted',
          label: isForAccounts ? 'Include unavailable accounts' : 'Include deleted tweets',
          value: includeDeleted ? '1' : '',
          type: 'flag',
        },
      ]}
      onSubmit={(values) => {
        const next = {
          search: values['search']!.trim(),
          isForAccounts: values['in'] === 'accounts',
          sort: values['sort']!,
          includeDeleted: values['deleted'] === '1',
          limit: DEFAULT_LIMIT,
        };
        if (formatAddress(next) === formatAddress(given)) onRepeat();
        else showSearch(next);
      }}
    />
  );
};

const Examples = ({ texts }: { readonly texts: readonly string[] }) => (
  <p class="row">
    For example{' '}
    {texts.map((text) => (
      <code key={text}>{text}</code>
    ))}
  </p>
);

/** How the search was read, term by term, with what is wrong with one of them. */
const SearchTerms = ({ terms }: Pick<FindData, 'terms'>) => (
  <ul class="row" aria-label="The search was read as">
    {terms.map(({ text, meaning, problem }, i) => (
      <li key={i}>
        <code>
          <bdi>{text}</bdi>
        </code>{' '}
        <bdi class={problem === null ? 'muted' : 'warn'}>
          {problem === null ? meaning : problem.replace(`${text} is`, 'is')}
        </bdi>
      </li>
    ))}
  </ul>
);
