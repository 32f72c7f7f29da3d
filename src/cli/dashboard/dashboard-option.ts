import { Option } from 'commander';
import { listParser, parseAddress } from '#cli/shared/common-options.ts';

/** Where the dashboard listens by default. */
const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 8899 };
const FORM = '127.0.0.1:8899';

export const listenOption = (): Option =>
  new Option(
    '--listen <host:port>',
    'address to listen on (port 0: any free port); a host other than loopback shows the whole database to everyone ' +
      'with the token, unencrypted',
  )
    .default(DEFAULT_ADDRESS, FORM)
    .argParser(parseAddress);

/** The option of `trawl work`. */
export const dashboardOption = (): Option =>
  new Option('--dashboard [host:port]', 'also serve the dashboard, with actions').preset(FORM).argParser(parseAddress);

/** Also an option of `trawl work`. */
export const allowHostOption = (): Option =>
  new Option('--allow-host <name>', 'also answer requests for this host name (repeatable)').argParser(listParser);
