import { describe, expect, test } from 'vitest';
import { compileLua } from './lua.ts';

const run = (lua: string, ...args: string[]): unknown => compileLua(lua)(() => undefined, [], args);

describe('scripts that are compiled', () => {
  test.each([
    ['return {1 + 2 * 3, 7.9, true, false, nil, 5}', [7, 7, 1, null]],
    ["return 0 and '' and 'yes' or 'no'", 'yes'],
    ["if not ARGV[2] then return 'none' elseif ARGV[1] == 'a' then return 'a' else return 'else' end", 'none'],
    ["local n = 0 for i = 1, #ARGV do n = n + tonumber(ARGV[i]) end return n .. ' in all'", '3 in all'],
    ["local all = {} for one in string.gmatch('1,23', '%d+') do all[#all + 1] = one end return all", ['1', '23']],
    ["return {string.format('%.0f', 2.5), string.format('%.0f', 3.5)}", ['2', '4']],
    ['local function last(...) local all = {...} return all[#all] end return last(1, 2) -- as it is', 2],
  ])('%s', (lua, reply) => {
    expect(run(lua, '1', ...(lua.includes('#ARGV') ? ['2'] : []))).toEqual(reply);
  });

  test.each([
    ['return 1 < nil', 'compared'],
    ["return 'a' + 1", 'counts with'],
    ['return {} .. 1', 'as a text'],
    ["return redis.pcall('GET', 'a')", 'redis.pcall'],
    ['while true do end', 'a name is missing'],
    ["return string.gmatch('a', '%a')", '%a'],
  ])('are refused if Lua would fail or the construct is not supported: %s', (lua, why) => {
    expect(() => run(lua)).toThrow(why);
  });
});
