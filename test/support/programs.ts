import { spawnSync } from 'node:child_process';
import { findBrowser } from './browser.ts';
import { areEnginesInstalled } from './engines.ts';
import { isPostgresInstalled } from './postgres.ts';

/** Whether a program starts with these arguments. */
const canRun = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

export const PYTHON = '/usr/bin/python3';

/** What some tests need, and whether each is installed: Debian's packages, and `npm run engines:install`. */
const PACKAGES = {
  'redis-server': () => canRun('redis-server', '--version'),
  chromium: () => findBrowser() !== undefined,
  'python3-networkx': () => canRun(PYTHON, '-c', 'import networkx'),
  'python3-pandas': () => canRun(PYTHON, '-c', 'import pandas'),
  'r-base-core': () => canRun('Rscript', '--version'),
  'sqlite-utils': () => canRun('sqlite-utils', '--version'),
  openssl: () => canRun('openssl', 'version'),
  zsh: () => canRun('zsh', '-c', 'exit 0'),
  fish: () => canRun('fish', '-c', 'exit 0'),
  postgresql: isPostgresInstalled,
  engines: areEnginesInstalled,
} as const;

export type Package = keyof typeof PACKAGES;

export const isInstalled = (name: Package): boolean => PACKAGES[name]();

/** The packages that are not installed. */
export const listMissing = (): Package[] => (Object.keys(PACKAGES) as Package[]).filter((name) => !isInstalled(name));
