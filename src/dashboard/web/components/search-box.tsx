import { useEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 250;

/** Searches a list while the user types. What is typed while the list is read is kept. */
export function SearchBox(props: {
  readonly label: string;
  readonly placeholder: string;
  /** The search of the address. */
  readonly given: string;
  readonly onSearch: (search: string) => void;
}) {
  const { label, placeholder, given, onSearch } = props;
  const [text, setText] = useState(given);
  const searched = useRef(given);
  // Another address, such as that of an earlier page.
  useEffect(() => {
    if (given !== searched.current) setText((searched.current = given));
  }, [given]);
  useEffect(() => {
    const search = text.trim();
    if (search === given) return undefined;
    const timer = setTimeout(() => {
      searched.current = search;
      onSearch(search);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search-box">
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}
