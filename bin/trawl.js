#!/usr/bin/env node
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
