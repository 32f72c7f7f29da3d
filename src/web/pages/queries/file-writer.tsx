import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryData, QueryFileData } from '../../../dashboard/api/queries.ts';
import { pluralize } from '../../../text.ts';
import { formatBytes } from '../../../units.ts';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { useAnswer } from '../../live/use-answer.ts';
import type { QueryAddress } from './query-address.ts';
import { RunState } from './run-state.tsx';

const TITLES: Readonly<Record<string, string>> = {
  csv: 'CSV',
  xlsx: 'Excel',
  jsonl: 'JSON lines',
  parquet: 'Parquet',
  json: 'JSON',
  md: 'Markdown',
  txt: 'Text',
  svg: 'Chart (SVG)',
};

/** The time limit of files, in seconds. */
const TIME_LIMIT = '300';

/** Writes the result to a file in any format, and saves it. The file has all rows, and its origin beside it. */
export function FileWriter({ query, given }: { readonly query: QueryData; readonly given: QueryAddress }) {
  const [format, setFormat] = useState(query.formats[0]!);
  const [path, setPath] = useState<string>();
  const answer = useAnswer<QueryFileData>(path);
  const file = answer.busySince === undefined ? answer.data : undefined;

  function write(event: SubmitEvent): void {
    event.preventDefault();
    const parameters = new URLSearchParams({ ...given.values, 'file-format': format });
    const next = `/api/queries/${query.name}/file?${parameters.toString()}`;
    if (next === path) answer.repeat();
    else setPath(next);
  }

  return (
    <form class="file-writer" onSubmit={write}>
      <label>
        <span class="visually-hidden">Format of the file</span>
        <select value={format} onChange={({ currentTarget }) => setFormat(currentTarget.value)}>
          {query.formats.map((extension) => (
            <option key={extension} value={extension}>
              {TITLES[extension] ?? extension}
            </option>
          ))}
        </select>
      </label>
      <button class="button" disabled={answer.busySince !== undefined}>
        Download
      </button>
      <RunState answer={answer} timeLimit={TIME_LIMIT} title="Writing" />
      {file && <Written key={file.href} file={file} />}
      {answer.problem && <ProblemBanner title="No file was written." problem={answer.problem} />}
    </form>
  );
}

/** The links to a file and its origin. The file is saved at once. */
function Written({ file: { name, rows, bytes, href, originHref } }: { readonly file: QueryFileData }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.click(), []);
  return (
    <p class="written-file">
      <a ref={link} href={href} download={name}>
        {name}
      </a>{' '}
      {pluralize(rows, 'row')}, {formatBytes(bytes)}
      {'; '}
      <a href={originHref} download={`${name}.meta.json`}>
        its origin
      </a>
    </p>
  );
}
