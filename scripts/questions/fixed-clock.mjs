// Loaded by every process and thread of a command in docs/questions.md: the clock stands at the time in the address.
const now = Number(new URL(import.meta.url).searchParams.get('now'));
Date.now = () => now;
