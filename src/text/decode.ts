/** A table of a Unicode version: code point to code points. */
export type CodePointTable = ReadonlyMap<number, readonly number[]>;

const COMMA = 0x2c;
const DIGIT_9 = 0x39;
const LETTER_A = 0x61;

/**
 * Reads what scripts/make-text-tables.ts writes: entries that end in one space or new line, each a
 * list of numbers in base 36; the first is the distance from the key of the entry before, the
 * others are the values. One pass over the characters, for it is done at every start.
 */
export function decodeTable(encoded: string): CodePointTable {
  const table = new Map<number, readonly number[]>();
  let key = 0;
  let values: number[] = [];
  let number = 0;
  for (let at = encoded.indexOf('\n') + 1; at < encoded.length; at += 1) {
    const code = encoded.charCodeAt(at);
    if (code >= LETTER_A) {
      number = number * 36 + code - LETTER_A + 10;
    } else if (code > COMMA) {
      number = number * 36 + code - DIGIT_9 + 9;
    } else {
      values.push(number);
      number = 0;
      if (code === COMMA) continue;
      key += values.shift() ?? 0;
      table.set(key, values);
      values = [];
    }
  }
  return table;
}
