#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

try {
  // Node 22 and later keep the compiled code: short commands are 15 % faster.
  nodeModule.enableCompileCache?.(join(homedir(), '.cache', 'trawl'));
} catch {
  // This user has no home.
}
try {
  const { catchInterrupts } = await import('../dist/bundle/interrupts.js');
  const interrupts = catchInterrupts();
  const { main } = await import('../dist/bundle/main.js');
  await main(interrupts);
} catch (error) {
  if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error;
  // Too few for the program itself: nothing of it is loaded that could say so.
  process.stderr.write('trawl: too many open files: this process may open more after `ulimit -n 1024`\n');
  process.exitCode = 1;
}
