import { quoteShellWord } from '#base/text.ts';
import { getConfig, getContext } from '#cli/context.ts';
import { hidePassword } from '#files/export/dataset/targets/postgres-address.ts';
import { createRedactor } from '#service/client/redactor.ts';

/** Returns the command line of this command as a shell reads it, without the API key and passwords. */
export function formatCommandLine(): string {
  const { apiKey } = getConfig();
  const command = ['trawl', ...getContext().argv].map((word) => quoteShellWord(hidePassword(word))).join(' ');
  return apiKey === undefined ? command : createRedactor(apiKey).text(command);
}
