import { Argument, Option } from 'commander';
import { resolvePath } from '#cli/context.ts';
import { CliCommand } from '#cli/shared/cli-command.ts';
import { parseIntegerFrom } from '#cli/shared/common-options.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { NETWORK_NAMES } from '#files/export/graph/networks.ts';
import { addPseudonymOptions } from './pseudonym-options.ts';
import { addSelectionOptions } from './selection-options.ts';

export function graphCommand(): CliCommand {
  const command = new CliCommand('graph')
    .summary('write a network for Gephi, networkx or igraph')
    .description(
      'Writes a network of accounts or hashtags as GEXF, or as an edge table and a node table, and beside each file ' +
        '<file>.meta.json: provenance and completeness.',
    )
    .addArgument(new Argument('<network>', 'the network: see Networks below').choices(NETWORK_NAMES))
    .addOption(
      new Option('-o, --output <file>', 'the file to write: .gexf, or .csv')
        .argParser(resolvePath)
        .makeOptionMandatory(),
    );
  return addPseudonymOptions(addSelectionOptions(command))
    .addOption(
      new Option(
        '--depth <n>',
        'with accounts: the steps from them to other accounts; 0 is the network among them (default: 1)',
      ).argParser(parseIntegerFrom(0)),
    )
    .addOption(
      new Option('--min-weight <n>', 'only edges of this weight and more').argParser(parseIntegerFrom(1)).default(1),
    )
    .common('db', 'json')
    .explains(
      `Networks:
  follows      follower -> followed account
  replies      author -> account that is answered; weight: replies
  mentions     author -> mentioned account; weight: tweets
  cohashtags   hashtags of the same tweet; weight: tweets
  colinks      accounts that shared the same link; weight: links

Examples:
  trawl export graph follows -o follows.gexf
  trawl export graph follows -o ego.gexf --accounts nasa --depth 1
  trawl export graph mentions -o mentions.csv --since 2025-01-01 --min-weight 2
  trawl export graph cohashtags -o hashtags.gexf --min-weight 5
  trawl export graph follows -o follows.gexf --pseudonymise

GEXF files are of version 1.2draft, with times: edges have a start and an end, which the timeline of Gephi uses. For
.csv, <name>.nodes.csv has the nodes. The id of a node is the service's id of the account, as text; @handle if only the
handle is known.

Follows are those in force at any time from --since to --until; without --since, those in force at --until, by default
now. --accounts selects the accounts and those at most --depth steps away; for cohashtags, the authors of the tweets.
The filters apply in the order: times, weight, accounts. ${docsPage('networks.md')} has the details, and recipes for
Gephi and networkx.

Exit codes: 3 some accounts are not in the database, or --older-than was given and
stored tweets are unchecked for so long, 130 interrupted (no file is written).`,
    )
    .runs(async () => (await import('./graph.ts')).exportGraph);
}
