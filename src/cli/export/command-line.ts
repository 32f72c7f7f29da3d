import { quoteShellWord } from '#base/text.ts';
import { getConfig, getContext } from '#cli/context.ts';
import { createRedactor } from '#service/client/redactor.ts';

/** Returns the command line of this command as a shell reads it, without the API key. */
export function formatCommandLine(): string {
  const { apiKey } = getConfig();
  const command = ['trawl', ...getContext().argv].map(quoteShellWord).join(' ');
  return apiKey === undefined ? command : createRedactor(apiKey).text(command);
}
