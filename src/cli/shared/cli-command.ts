import { Command, Help } from 'commander';
import { getContext } from '#cli/context.ts';
import { dbOption, jsonOption, quietOption, yesOption } from './common-options.ts';

/** A number that it returns is the exit code. */
type CommandAction<A extends readonly unknown[]> = (...args: A) => Promise<number | void>;

const COMMON_OPTIONS = { db: dbOption, json: jsonOption, quiet: quietOption, yes: yesOption } as const;

/** A command of trawl: it names its common options and its action, and says whether that writes to the database. */
export class CliCommand extends Command {
  /** Adds options that many commands have. */
  common(...names: readonly (keyof typeof COMMON_OPTIONS)[]): this {
    for (const name of names) this.addOption(COMMON_OPTIONS[name]());
    // Commands with a JSON document also print notes.
    return names.includes('json') ? this.addOption(quietOption()) : this;
  }

  /**
   * Sets an action that does not write to the database of --db. It is loaded when the command runs. Signals end the command
   * unless the action handles them.
   */
  runs<A extends readonly unknown[]>(load: () => Promise<CommandAction<A>>): this {
    return this.action(async (...args: A): Promise<void> => {
      const run = await load();
      const context = getContext();
      context.setInterruptMode?.('none');
      context.isQuiet = this.opts<{ readonly quiet?: true }>().quiet === true;
      context.exitCode = (await run(...args)) ?? 0;
    });
  }

  /** Sets an action that writes to the database of --db: an erasure that was killed is finished first. */
  writes<A extends readonly unknown[]>(load: () => Promise<CommandAction<A>>): this {
    return this.runs(async () => {
      const { finishErasure } = await import('./finish-erasure.ts');
      await finishErasure(this.opts<{ readonly db: string }>().db);
      return await load();
    });
  }

  /** Leaves the options added so far, but for --db, out of the help. Completion and suggestions have them all the same. */
  omitsOptions(): this {
    const omitted = this.options.filter(({ long }) => long !== '--db');
    return this.configureHelp({
      formatHelp(command, helper) {
        const listed = helper.visibleOptions(command).filter((option) => !omitted.includes(option));
        helper.visibleOptions = () => listed;
        return Help.prototype.formatHelp.call(helper, command, helper);
      },
    });
  }

  /** Adds a text below the options of the help. */
  explains(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }
}
