import { SaxesParser } from 'saxes';

/** The texts of elements by name, in the order of the document: all that responses of S3 need. */
export type XmlTexts = Readonly<Record<string, readonly string[]>>;

/** Returns the texts of the innermost elements of a document. What cannot be parsed has none. */
export function readXmlTexts(xml: string): XmlTexts {
  const found: Record<string, string[]> = {};
  let text = '';
  let isInnermost = false;
  const parser = new SaxesParser();
  parser.on('opentag', () => {
    text = '';
    isInnermost = true;
  });
  parser.on('text', (more) => (text += more));
  parser.on('closetag', ({ name }) => {
    if (isInnermost) (found[name] ??= []).push(text);
    isInnermost = false;
  });
  try {
    parser.write(xml).close();
  } catch {
    return {};
  }
  return found;
}
