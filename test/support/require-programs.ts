import { listMissing } from './programs.ts';

/** `npm run test:all` skips nothing: it refuses to begin without the programs that its tests need. */
const missing = listMissing();
if (missing.length > 0) {
  const debian = missing.filter((name) => name !== 'engines');
  const commands = [
    ...(debian.length > 0 ? [`apt install ${debian.join(' ')}`] : []),
    ...(missing.includes('engines') ? ['npm run engines:install'] : []),
  ];
  process.stderr.write(`Some tests need programs that are not installed: ${commands.join('; ')}\n`);
  process.exitCode = 1;
}
