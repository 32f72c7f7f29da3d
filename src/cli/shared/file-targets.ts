import { openTargetFile } from '#analysis/crawl-targets.ts';
import { getContext } from '#cli/context.ts';

/** The targets of --from-file; undefined without it. @throws UsageError when standard input cannot be read */
export const openFileTargets = async (file: string | undefined): Promise<Iterable<string> | undefined> =>
  file === undefined ? undefined : await openTargetFile(file, getContext().streams.stdin);
