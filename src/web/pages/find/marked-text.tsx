import type { MarkedText } from '../../../dashboard/api/find.ts';

/** A text whose matching parts are marked. The server sends parts and no markup. */
export const Marked = ({ text }: { readonly text: MarkedText }) => (
  <>{text.map((part, i) => (part.isMatch ? <mark key={i}>{part.text}</mark> : part.text))}</>
);
