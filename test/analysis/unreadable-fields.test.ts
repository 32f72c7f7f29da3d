import { expect, it } from 'vitest';
import { crawlAgainst, reference, timeline } from '../engine/support.ts';
import { runDoctorCheck } from '../support/cli.ts';

const NASA = reference('1', 'nasa');
const items = Array.from({ length: 30 }, (_, i) => `${100 - i}@${100 - i}`);

it('trawl doctor reports unreadable timestamps (invariant 11)', async () => {
  let isOther = false;
  const { run, store } = await crawlAgainst({
    'user-tweets': () => {
      const page = timeline(NASA, items, null);
      return isOther
        ? (JSON.parse(JSON.stringify(page).replaceAll('.000Z"', ' local"')) as ReturnType<typeof timeline>)
        : page;
    },
  });
  await run('timeline', 'id:1');
  expect(await runDoctorCheck(store.path, 'fields')).toMatchObject({ finding: { status: 'ok' } });
  expect(await runDoctorCheck(store.path, 'database')).toMatchObject({
    finding: { message: expect.stringMatching(/, 1 crawl$/) as string },
  });
  isOther = true;
  await run('timeline', 'id:1', { fullRefresh: true });
  const message = expect.stringMatching(
    /^user-tweets sends tweet\.created_at in an unreadable form, .*local/,
  ) as string;
  expect(await runDoctorCheck(store.path, 'fields')).toMatchObject({ code: 0, finding: { status: 'note', message } });
});
