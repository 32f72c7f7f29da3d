import { useRef } from 'preact/hooks';
import type { QueryData } from '../../../server/api/queries.ts';
import { Form, type FormValues } from '../../components/form.tsx';
import { fetchAnswer } from '../../live/request-json.ts';

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
export function FileDownload({ query, values }: { readonly query: QueryData; readonly values: FormValues }) {
  const { name, formats } = query;
  const link = useRef<HTMLAnchorElement>(null);

  async function save(chosen: FormValues): Promise<void> {
    const response = await fetchAnswer(`/api/queries/${name}/file?${new URLSearchParams({ ...values, ...chosen })}`);
    const address = URL.createObjectURL(await response.blob());
    link.current!.href = address;
    link.current!.download = `${name}.${chosen['file-format']}`;
    link.current!.click();
    URL.revokeObjectURL(address);
  }

  const choices = Object.fromEntries(formats.map((extension) => [extension, TITLES[extension] ?? extension]));
  return (
    <Form
      class="row"
      fields={[{ name: 'file-format', label: 'File', value: formats[0]!, choices }]}
      action="Download"
      onSubmit={save}
    >
      <a ref={link} hidden />
    </Form>
  );
}
