import { render } from 'preact';
import { App } from './app/app.tsx';
import { startRouter } from './app/router.ts';
import { openLiveUpdates } from './live/live-updates.ts';

startRouter();
openLiveUpdates();
render(<App />, document.getElementById('app')!);
