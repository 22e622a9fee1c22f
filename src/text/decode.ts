/** A table of a Unicode version: code point to code points. */
export type CodePointTable = ReadonlyMap<number, readonly number[]>;

/**
 * Reads what scripts/make-text-tables.ts writes: entries between white space, each a list of numbers in base 36;
 * the first is the distance from the key of the entry before, the others are the values.
 */
export function decodeTable(encoded: string): CodePointTable {
  const table = new Map<number, readonly number[]>();
  let key = 0;
  for (const entry of encoded.trim().split(/\s+/)) {
    const [distance = 0, ...values] = entry.split(',').map((digits) => Number.parseInt(digits, 36));
    key += distance;
    table.set(key, values);
  }
  return table;
}
