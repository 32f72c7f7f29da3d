import Type from 'typebox';

/** Schemas of options. A message about a wrong value quotes the description. */

export const integer = ([minimum, maximum]: readonly [number, number], defaultValue: number, description: string) =>
  Type.Integer({ minimum, maximum, default: defaultValue, description });

export const oneOf = <const T extends (string | number)[]>(
  choices: readonly [...T],
  defaultValue: T[number],
  description = `one of ${choices.join(', ')}`,
) => Type.Enum(choices, { default: defaultValue, description });
