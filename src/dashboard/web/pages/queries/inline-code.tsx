/** A text with names of columns and values between backticks, as the files of queries have them. */
export const InlineCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);
