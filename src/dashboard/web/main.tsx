import { render } from 'preact';
import { App } from './app/app.tsx';
import { startFocusKeeper } from './app/keep-focus.ts';
import { startRouter } from './app/router.ts';
import { openLiveUpdates } from './live/live-updates.ts';

startRouter();
startFocusKeeper();
openLiveUpdates();
render(<App />, document.getElementById('app')!);
