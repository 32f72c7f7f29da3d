import { useRef, useState } from 'preact/hooks';
import type { QueryData } from '../../../server/api/queries.ts';
import { Selection } from '../../components/choices.tsx';
import { describeFailure, fetchAnswer } from '../../live/request-json.ts';

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

/** Saves all rows of a result as a file in any format. */
export function FileDownload(props: { readonly query: QueryData; readonly values: Readonly<Record<string, string>> }) {
  const { query, values } = props;
  const [format, setFormat] = useState(query.formats[0]!);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const link = useRef<HTMLAnchorElement>(null);
  const parameters = new URLSearchParams({ ...values, 'file-format': format }).toString();

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      const response = await fetchAnswer(`/api/queries/${query.name}/file?${parameters}`);
      const address = URL.createObjectURL(await response.blob());
      link.current!.href = address;
      link.current!.click();
      URL.revokeObjectURL(address);
    } catch (error) {
      setProblem(describeFailure(error));
    }
    setBusy(false);
  }

  return (
    <form class="row" onSubmit={(event) => void save(event)}>
      <Selection
        label="File"
        choices={Object.fromEntries(query.formats.map((extension) => [extension, TITLES[extension] ?? extension]))}
        chosen={format}
        onChoose={setFormat}
      />
      <button class="button" disabled={isBusy}>
        Download
      </button>
      <a ref={link} hidden download={`${query.name}.${format}`} />
      <span role="status">{isBusy ? 'Writing…' : problem}</span>
    </form>
  );
}
