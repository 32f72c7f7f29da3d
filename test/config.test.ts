import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('the configuration', () => {
  it('has sane defaults', () => {
    expect(readConfig({})).toEqual({
      apiUrl: undefined,
      apiKey: undefined,
      db: 'trawl.db',
      redisUrl: undefined,
      reserve: { share: 0.1 },
      shares: { interactive: 0, scheduled: 0.05, backfill: 0.1 },
      method: 'GET',
    });
  });

  it('takes the reserve in percent or in requests, and the address without its last slash', () => {
    expect(readConfig({ TRAWL_RESERVE: '5%' }).reserve).toEqual({ share: 0.05 });
    expect(readConfig({ TRAWL_RESERVE: '50' }).reserve).toEqual({ requests: 50 });
    expect(readConfig({ TRAWL_API_URL: 'https://example.org/base/' }).apiUrl).toBe('https://example.org/base');
  });

  it("takes the classes' floors in percent, each by itself", () => {
    expect(readConfig({ TRAWL_FLOORS: 'backfill=25%' }).shares).toEqual({
      interactive: 0,
      scheduled: 0.05,
      backfill: 0.25,
    });
    expect(readConfig({ TRAWL_FLOORS: 'scheduled=0%, backfill = 2.5%' }).shares).toMatchObject({
      scheduled: 0,
      backfill: 0.025,
    });
    for (const wrong of ['backfill', 'backfill=5', 'backfill=100%', 'urgent=5%', 'backfill=5%;scheduled=5%'])
      expect(() => readConfig({ TRAWL_FLOORS: wrong })).toThrow('TRAWL_FLOORS should be percentages by class');
  });

  it('names everything that is wrong at once, and never the key', () => {
    const read = () =>
      readConfig({
        TRAWL_API_URL: 'example',
        TRAWL_API_KEY: 'line\nbreak',
        TRAWL_RESERVE: '100%',
        REDIS_URL: 'http://x',
      });
    expect(read).toThrow(
      'the configuration is wrong: TRAWL_API_URL should be an address such as https://api.example.org; ' +
        'TRAWL_API_KEY should be one line of printable ASCII; REDIS_URL should be an address such as redis://127.0.0.1:6379; ' +
        'TRAWL_RESERVE should be a number of requests or a percentage, such as 50 or 10%',
    );
  });
});
