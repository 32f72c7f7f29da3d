import { readdirSync, readFileSync } from 'node:fs';

/** Counts the running processes of this one that run a statement. */
export const countQueryProcesses = (): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const [parent, command] = [readProcess(pid, 'stat'), readProcess(pid, 'cmdline')];
      // The name of the program is between parentheses.
      return (
        / \S (\d+) /.exec(parent.slice(parent.lastIndexOf(')')))?.[1] === String(process.pid) &&
        command.includes('query-main')
      );
    }).length;

/** A process may end meanwhile. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
