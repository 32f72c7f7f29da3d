import { CliCommand } from '#cli/shared/cli-command.ts';
import { keysCommand } from './keys/command.ts';
import { serveCommand } from './serve/command.ts';
import { worldCommand } from './world/command.ts';

export const twinCommand = (): CliCommand =>
  new CliCommand('twin')
    .summary('serve a database like the service, and generate worlds')
    .description(
      'Serves the endpoints of the service over a database, for clients of the service. The database can be one that was ' +
        'crawled, or a synthetic microblog.',
    )
    .addCommand(serveCommand())
    .addCommand(keysCommand())
    .addCommand(worldCommand());
