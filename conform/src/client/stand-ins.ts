import type { Call, MethodResponse } from './answers.js';
import type { Json } from './json.js';

/** Texts that a property takes, by the texts that checks give it. */
export interface StandIns {
  /** The data type, and its property. */
  readonly type: string;
  readonly property: string;
  /** The text that is sent in place of one; the same where the property takes it as it is. */
  toWire(text: string): string;
  /** The text that one stands for. */
  fromWire(text: string): string;
}

/**
 * Replaces the texts that checks write. Where a type takes no text but of a pattern, each of them
 * is sent as another one, which the pattern allows, and told as itself where it comes back.
 */
export const replaceTexts = (calls: readonly Call[], all: Iterable<StandIns>): readonly Call[] =>
  [...all].reduce<readonly Call[]>(
    (some, one) =>
      some.map(([name, args, id]) =>
        isConcerned(name, one)
          ? [
              name,
              changeTexts(args as Json, one.property, (text) => one.toWire(text)) as object,
              id,
            ]
          : [name, args, id],
      ),
    calls,
  );

/** Puts the texts of the checks back in place of those that fit a pattern. */
export const restoreTexts = (
  responses: readonly MethodResponse[],
  all: Iterable<StandIns>,
): MethodResponse[] =>
  [...all].reduce<MethodResponse[]>(
    (some, one) =>
      some.map(([name, args, id]) =>
        isConcerned(name, one)
          ? [name, changeTexts(args, one.property, (text) => one.fromWire(text)) as never, id]
          : [name, args, id],
      ),
    [...responses],
  );

/** Tells whether a call can hold texts of the type that has a pattern. */
const isConcerned = (method: string, { type }: StandIns): boolean =>
  method === 'Core/echo' || method.startsWith(`${type}/`);

/** Returns a value in which the texts of all members with a name are changed. */
function changeTexts(value: Json, name: string, change: (text: string) => string): Json {
  if (Array.isArray(value)) return value.map((one) => changeTexts(one, name, change));
  if (value === null || typeof value !== 'object') return value;
  // A member that isn't JSON's own, such as __proto__, stays a member.
  const copy = Object.create(Object.getPrototypeOf(value) as object) as object;
  for (const [key, one] of Object.entries(value)) {
    const now =
      key === name && typeof one === 'string' ? change(one) : changeTexts(one, name, change);
    const own = { value: now, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(copy, key, own);
  }
  return copy as Json;
}
