import { expect, it } from 'vitest';
import { crawlAgainst, reference, timeline } from '../engine/support.ts';
import { runCli } from '../support/cli.ts';

const NASA = reference('1', 'nasa');
const ids = Array.from({ length: 30 }, (_, i) => String(100 - i));

it('trawl doctor reports unreadable timestamps (invariant 11)', async () => {
  let isOther = false;
  const { run, store } = await crawlAgainst({
    'user-tweets': () => {
      const page = timeline(
        NASA,
        ids.map((id, i) => `${id}@${100 - i}`),
        null,
      );
      return isOther
        ? (JSON.parse(JSON.stringify(page).replaceAll('.000Z"', ' local"')) as ReturnType<typeof timeline>)
        : page;
    },
  });
  const says = async () => {
    const { stdout, code } = await runCli(['doctor', '--db', store.path, '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; message: string }[] };
    return { code, ...findings.find(({ check }) => check === 'fields') };
  };
  await run('timeline', 'id:1');
  expect(await says()).toMatchObject({ status: 'ok' });
  isOther = true;
  await run('timeline', 'id:1', { full: true });
  expect(await says()).toMatchObject({
    ...{ code: 0, status: 'note' },
    message: expect.stringMatching(/^user-tweets sends tweet\.created_at in an unreadable form, .*local/),
  });
});
