/** A table of a Unicode version: code point to code points. */
export type CodePointTable = ReadonlyMap<number, readonly number[]>;

const STAR = 0x2a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DIGIT_9 = 0x39;
const LETTER_A = 0x61;

/**
 * Reads what scripts/make-text-tables.ts writes: entries that end in one space or new line, each a
 * list of numbers in base 36. The first is the distance from the key of the entry before, the
 * others are distances from its values at the same places (from 0 where it had none). `*` and a
 * number say how often an entry stands in a row. It is one pass over the characters: each start
 * runs it.
 */
export function decodeTable(encoded: string): CodePointTable {
  const table = new Map<number, readonly number[]>();
  let key = 0;
  let values: readonly number[] = [];
  let numbers: number[] = [];
  let number = 0;
  let sign = 1;
  let isCounted = false;
  for (let at = encoded.indexOf('\n') + 1; at < encoded.length; at += 1) {
    const code = encoded.charCodeAt(at);
    if (code >= LETTER_A) number = number * 36 + code - LETTER_A + 10;
    else if (code > MINUS) number = number * 36 + code - DIGIT_9 + 9;
    else if (code === MINUS) sign = -1;
    else {
      numbers.push(sign * number);
      number = 0;
      sign = 1;
      if (code === STAR) isCounted = true;
      if (code === STAR || code === COMMA) continue;
      const times = isCounted ? (numbers.pop() ?? 0) : 1;
      const distance = numbers.shift() ?? 0;
      for (let left = times; left > 0; left -= 1) {
        const before = values;
        values = numbers.map((change, index) => change + (before[index] ?? 0));
        key += distance;
        table.set(key, values);
      }
      numbers = [];
      isCounted = false;
    }
  }
  return table;
}
