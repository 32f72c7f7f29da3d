import { CliCommand } from '#cli/shared/cli-command.ts';
import { allowHostOption, listenOption } from './dashboard-option.ts';

export const dashboardCommand = (): CliCommand =>
  new CliCommand('dashboard')
    .summary('serve the dashboard: crawls, quota and data in a browser')
    .description(
      'Serves a web page with the live state of a database and its workers: problems that need attention, throughput, ' +
        'quota, crawls. It only reads, beside workers or without any, sends no request to the service, and needs no Redis and ' +
        'no network. `trawl work --dashboard` serves it with actions.',
    )
    .common('db')
    .addOption(listenOption())
    .addOption(allowHostOption())
    .option('--open', 'open it in the browser')
    .common('quiet')
    .explains(
      `Open the printed address: it contains the token, which a cookie keeps, so that
other users of the machine cannot read the database. TRAWL_DASHBOARD_TOKEN sets
the token, and is not printed; otherwise each start has a random one. A tunnel shows the dashboard of another machine:
ssh -L 8899:127.0.0.1:8899 <host>

Examples:
  trawl dashboard
  trawl dashboard --db mine.db --open
  trawl dashboard --listen 127.0.0.1:0

Ctrl-C stops it.`,
    )
    .runs(async () => (await import('./run.ts')).runDashboard);
