import { connection } from '../live/live-updates.ts';

const TEXTS = { connecting: 'Connecting', connected: 'Connected', lost: 'Not connected' } as const;

/** Whether updates arrive. The age of the data is another matter: each page shows it. */
export const ConnectionState = () => (
  <span class={`connection ${connection.value}`}>
    <i aria-hidden="true" />
    {TEXTS[connection.value]}
  </span>
);
