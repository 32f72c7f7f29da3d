/** What scripts know of values: texts, numbers, flags, lists; `undefined` is nil. */
type Value = string | number | boolean | undefined | Value[];
/** Runs one command of Redis for a script. */
export type Call = (command: string, ...args: readonly string[]) => Value;
/** A script: what Redis would reply. */
export type Script = (call: Call, keys: readonly string[], args: readonly string[]) => unknown;

/**
 * Compiles a script of Redis to JavaScript: as much of Lua 5.1 as our scripts are written in, and an error for whatever
 * is beyond that, when compiled or when run. A function gives one value. Tables are lists.
 */
export function compileLua(source: string): Script {
  const tokens = [...source.matchAll(TOKEN)].flatMap(({ groups }) => (groups!['skip'] === undefined ? [groups!] : []));
  const names: Set<string>[] = [new Set(['KEYS', 'ARGV', ...Object.keys(LIBRARY), 'redis.call'])];
  let at = 0;
  let temps = 0;

  const peek = (): string => tokens[at]?.['name'] ?? tokens[at]?.['sign'] ?? '';
  const is = (...texts: string[]): boolean => tokens[at] !== undefined && texts.includes(peek());
  const accept = (text: string): boolean => is(text) && ((at += 1), true);
  function refuse(what: string): never {
    throw new Error(
      `Lua that is not known here: ${what} at ${JSON.stringify(tokens.slice(at, at + 4).map(Object.values))}`,
    );
  }
  function expect(text: string): void {
    if (!accept(text)) refuse(`${text} is missing`);
  }
  function name(): string {
    const text = tokens[at]?.['name'];
    if (text === undefined || KEYWORDS.includes(text)) return refuse('a name is missing');
    at += 1;
    return text;
  }
  function declare(text: string): string {
    if (names.some((scope) => scope.has(text))) refuse(`${text} is taken`);
    names.at(-1)!.add(text);
    return `v_${text}`;
  }
  function known(text: string): string {
    if (!names.some((scope) => scope.has(text))) refuse(`nothing is called ${text}`);
    return `v_${text.replace('.', '_')}`;
  }
  function list<T>(one: () => T): T[] {
    const all = [one()];
    while (accept(',')) all.push(one());
    return all;
  }
  function block(...ends: string[]): string {
    names.push(new Set());
    let code = '';
    while (!is(...ends) && at < tokens.length) code += `${statement()};\n`;
    names.pop();
    return code;
  }
  function body(...parameters: string[]): string {
    names.push(new Set(parameters));
    const code = block('end');
    names.pop();
    expect('end');
    return code;
  }

  function statement(): string {
    if (accept('local')) return accept('function') ? functionNamed() : local();
    if (accept('if')) return conditional();
    if (accept('for')) return loop();
    if (accept('return'))
      return `return ${is('end', 'else', 'elseif') || at === tokens.length ? 'undefined' : expression()}`;
    const target = suffixed();
    if (!accept('=')) return target;
    const value = expression();
    const item = /^item\((.*)\)$/s.exec(target);
    return item ? `setItem(${item[1]}, ${value})` : `${target} = ${value}`;
  }
  function local(): string {
    const called = list(name);
    const values = accept('=') ? list(expression) : [];
    if (values.length > called.length) refuse('more values than names');
    return `let ${called.map((one, i) => `${declare(one)} = ${values[i] ?? 'undefined'}`).join(', ')}`;
  }
  function functionNamed(): string {
    const called = declare(name());
    expect('(');
    const parameters = is(')') ? [] : list(() => (accept('...') ? '...' : name()));
    expect(')');
    const heads = parameters.map((one) => (one === '...' ? '...v_rest' : `v_${one}`));
    return `function ${called}(${heads.join(', ')}) {\n${body(...parameters)}}`;
  }
  function conditional(): string {
    const condition = expression();
    expect('then');
    const code = `if (holds(${condition})) {\n${block('elseif', 'else', 'end')}}`;
    if (accept('elseif')) return `${code} else ${conditional()}`;
    const otherwise = accept('else') ? ` else {\n${block('end')}}` : '';
    expect('end');
    return code + otherwise;
  }
  function loop(): string {
    const called = list(name);
    const heads = called.map((one) => `v_${one}`);
    if (accept('=')) {
      const [from, to, step = '1'] = list(expression);
      expect('do');
      const [last, by] = [`t${(temps += 1)}`, `t${(temps += 1)}`];
      return `for (let ${heads[0]} = number(${from}), ${last} = number(${to}), ${by} = number(${step}); ${heads[0]} <= ${last}; ${heads[0]} += ${by}) {\n${body(...called)}}`;
    }
    expect('in');
    const over = expression();
    expect('do');
    return `for (const [${heads.join(', ')}] of ${over}) {\n${body(...called)}}`;
  }

  /** By how tightly they bind: Lua's own table, without powers. */
  function expression(least = 0): string {
    let left = unary();
    for (;;) {
      const sign = peek();
      const operator = tokens[at] === undefined ? undefined : OPERATORS[sign];
      if (!operator || operator.binds <= least) return left;
      at += 1;
      // The one that binds to the right.
      const right = expression(sign === '..' ? operator.binds - 1 : operator.binds);
      left = operator.code(left, right);
    }
  }
  function unary(): string {
    if (accept('not')) return `!holds(${expression(UNARY)})`;
    if (accept('-')) return `-number(${expression(UNARY)})`;
    if (accept('#')) return `sizeOf(${expression(UNARY)})`;
    return suffixed();
  }
  function suffixed(): string {
    let code = simple();
    for (;;) {
      if (accept('[')) {
        code = `item(${code}, ${expression()})`;
        expect(']');
      } else if (accept('(')) {
        const values = is(')') ? [] : list(expression);
        expect(')');
        code = `${code}(${values.join(', ')})`;
      } else return code;
    }
  }
  function simple(): string {
    const { text, digits } = tokens[at] ?? refuse('the end');
    if (text !== undefined || digits !== undefined) {
      at += 1;
      return digits ?? JSON.stringify(text!.slice(1, -1));
    }
    if (accept('nil')) return 'undefined';
    for (const flag of ['true', 'false']) if (accept(flag)) return flag;
    if (accept('...'))
      return names.some((scope) => scope.has('...')) ? '...v_rest' : refuse('no function of that many');
    if (accept('(')) {
      const inner = expression();
      expect(')');
      return `(${inner})`;
    }
    if (accept('{')) {
      const items = is('}') ? [] : list(expression);
      expect('}');
      return `[${items.join(', ')}]`;
    }
    const called = name();
    return known(accept('.') ? `${called}.${name()}` : called);
  }
  const code = block();
  if (at < tokens.length) refuse('something after the end');
  const library = Object.entries(LIBRARY).map(([key, value]) => [`v_${key.replace('.', '_')}`, value] as const);
  const all = { ...Object.fromEntries(library), ...HELPERS };
  // oxlint-disable-next-line typescript/no-implied-eval -- the text is our own script, compiled
  const make = new Function(...Object.keys(all), `return (v_redis_call, v_KEYS, v_ARGV) => {\n${code}}`) as (
    ...values: unknown[]
  ) => (call: unknown, keys: Value[], args: Value[]) => Value;
  const script = make(...Object.values(all));
  return (call, keys, args) => {
    const texts = (...values: Value[]): Value => {
      const [command, ...rest] = values.map(textOf);
      return call(command!, ...rest);
    };
    return replyOf(script(texts, [...keys], [...args]));
  };
}

const TOKEN =
  /(?<skip>\s+|--[^\n]*)|(?<text>'[^'\\\n]*')|(?<digits>\d+(?:\.\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign>\.\.\.|\.\.|[<>=~]=|[^\s\w'])/g;
const KEYWORDS = [
  'and',
  'do',
  'else',
  'elseif',
  'end',
  'false',
  'for',
  'function',
  'if',
  'in',
  'local',
  'nil',
  'not',
  'or',
].concat(['return', 'then', 'true', 'while', 'repeat', 'until', 'break']);
const UNARY = 7;
const calls =
  (helper: string) =>
  (a: string, b: string): string =>
    `${helper}(${a}, ${b})`;
const counts =
  (sign: string) =>
  (a: string, b: string): string =>
    `(number(${a}) ${sign} number(${b}))`;
const compares =
  (sign: string) =>
  (a: string, b: string): string =>
    `compared(${a}, ${b}, (a, b) => a ${sign} b)`;
const OPERATORS: Readonly<Record<string, { readonly binds: number; readonly code: (a: string, b: string) => string }>> =
  {
    or: { binds: 1, code: (a, b) => `either(${a}, () => ${b})` },
    and: { binds: 2, code: (a, b) => `both(${a}, () => ${b})` },
    '<': { binds: 3, code: compares('<') },
    '>': { binds: 3, code: compares('>') },
    '<=': { binds: 3, code: compares('<=') },
    '>=': { binds: 3, code: compares('>=') },
    '==': { binds: 3, code: (a, b) => `(${a} === ${b})` },
    '~=': { binds: 3, code: (a, b) => `(${a} !== ${b})` },
    '..': { binds: 4, code: calls('joined') },
    '+': { binds: 5, code: counts('+') },
    '-': { binds: 5, code: counts('-') },
    '*': { binds: 6, code: counts('*') },
    '/': { binds: 6, code: counts('/') },
    '%': { binds: 6, code: () => unknown('%') },
  };

function unknown(what: unknown): never {
  throw new Error(`a script does what is not known here: ${String(what)}`);
}

const number = (value: Value): number =>
  typeof value === 'number' ? value : unknown(`it counts with ${String(value)}`);
const holds = (value: Value): boolean => value !== undefined && value !== false;
function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value)
    ? String(value)
    : unknown(`${String(value)} as a text`);
}
/** As printf does: halves go to the even one. */
function rounded(value: Value): string {
  const exact = number(value);
  const below = Math.floor(exact);
  const isUp = exact - below > 0.5 || (exact - below === 0.5 && below % 2 !== 0);
  return textOf(below + (isUp ? 1 : 0));
}
const tableOf = (value: Value): Value[] => (Array.isArray(value) ? value : unknown(`${String(value)} as a table`));

const HELPERS = {
  ...{ number, holds },
  both: (a: Value, b: () => Value): Value => (holds(a) ? b() : a),
  either: (a: Value, b: () => Value): Value => (holds(a) ? a : b()),
  compared: (a: Value, b: Value, how: (a: string | number, b: string | number) => boolean): boolean =>
    typeof a === 'number' && typeof b === 'number' ? how(a, b) : unknown(`${String(a)} compared with ${String(b)}`),
  joined: (a: Value, b: Value): string => textOf(a) + textOf(b),
  item: (table: Value, at: Value): Value => tableOf(table)[number(at) - 1],
  setItem(table: Value, at: Value, value: Value): void {
    const [items, place] = [tableOf(table), number(at)];
    if (place < 1 || place > items.length + 1) unknown(`item ${place} of ${items.length}`);
    items[place - 1] = value;
  },
  sizeOf: (value: Value): number => {
    const items = tableOf(value);
    return items.includes(undefined) ? unknown('how long a table with holes is') : items.length;
  },
};

/** The functions that a script may call, by their names there. */
const LIBRARY: Readonly<Record<string, (...values: never[]) => unknown>> = {
  tonumber(text: Value): number | undefined {
    if (typeof text === 'number' || text === '') return text === '' ? undefined : text;
    return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text)
      ? Number(text)
      : unknown(`${String(text)} as a number`);
  },
  tostring: textOf,
  ipairs: (table: Value) => tableOf(table).map((item, i) => [i + 1, item ?? unknown('a list with holes')]),
  'math.min': (...values: Value[]) => Math.min(...values.map(number)),
  'math.max': (...values: Value[]) => Math.max(...values.map(number)),
  'math.abs': (value: Value) => Math.abs(number(value)),
  'math.ceil': (value: Value) => Math.ceil(number(value)),
  'math.floor': (value: Value) => Math.floor(number(value)),
  'string.format': (format: Value, value: Value) => (format === '%.0f' ? rounded(value) : unknown(format)),
  'string.find'(text: string, part: string): number | undefined {
    if (!/^\w+$/.test(part)) unknown(part);
    return text.includes(part) ? text.indexOf(part) + 1 : undefined;
  },
  'string.gmatch': (text: string, part: string) =>
    part === '%d+' ? [...text.matchAll(/\d+/g)].map(([digits]) => [digits]) : unknown(part),
};

/** As Redis turns what a script gives into a reply: lists end at nil, and fractions are cut off. */
function replyOf(value: Value): unknown {
  if (Array.isArray(value)) {
    const end = value.indexOf(undefined);
    return (end < 0 ? value : value.slice(0, end)).map(replyOf);
  }
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'boolean') return value ? 1 : null;
  return value ?? null;
}
