import type { FindData } from '../../../server/api/find.ts';
import { changeAddress, hrefOf, readParameter } from '../../app/router.ts';
import { Form, type FormValues } from '../../components/form.tsx';

const EXAMPLES = {
  tweets: ['coffee paris', '"a phrase"', 'from:nasa', '@nasa', '#tag', 'since:2025-01-31', 'until:2025-02-01'],
  accounts: ['journalist berlin', '"a phrase"', '@nasa'],
} as const;
const ORDERS = {
  tweets: { '': 'Relevance', newest: 'Newest', oldest: 'Oldest', likes: 'Likes' },
  accounts: { '': 'Relevance', followers: 'Followers', newest: 'Newest', oldest: 'Oldest' },
} as const;

/** The search, what is searched, and the order: the parameters of the address. Choices apply at once. */
export const FindForm = (props: {
  /** How the search was read. */
  readonly terms: FindData['terms'] | undefined;
  /** Makes the search of the address again. */
  readonly onRepeat: () => void;
}) => {
  const { terms, onRepeat } = props;
  const searched = readParameter('in');
  const items = searched === 'accounts' ? searched : 'tweets';
  function search(values: FormValues): void {
    const sort = values['in'] === searched ? values['sort']! : '';
    const changes = { ...values, q: values['q']!.trim(), sort, limit: '' };
    if (hrefOf(changes) === hrefOf({ limit: '' })) onRepeat();
    else changeAddress(changes);
  }
  return (
    <Form
      action="Find"
      isLive
      fields={[
        {
          name: 'q',
          label: `Search stored ${items}`,
          value: readParameter('q'),
          type: 'search',
          hint: terms ? <SearchTerms terms={terms} /> : <Examples texts={EXAMPLES[items]} />,
        },
        { name: 'in', label: 'Search in', value: searched, choices: { '': 'Tweets', accounts: 'Accounts' } },
        { name: 'sort', label: 'Sort by', value: readParameter('sort'), choices: ORDERS[items] },
        {
          name: 'deleted',
          label: items === 'accounts' ? 'Include unavailable accounts' : 'Include deleted tweets',
          value: readParameter('deleted'),
          type: 'flag',
        },
      ]}
      onSubmit={search}
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
