import { writeSync } from 'node:fs';

/** Preloaded into a measured command: reports its CPU, its duration and its memory from its start on stderr, as the last line. */

export interface CommandUsage {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakRssMb: number;
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const usage: CommandUsage = {
    ...{ cpuMs: (user + system) / 1000, wallMs: process.uptime() * 1000 },
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  };
  writeSync(2, `${JSON.stringify(usage)}\n`);
});
