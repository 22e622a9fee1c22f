/**
 * How many keys a statement gets at once. Prisma refuses more than 998 values in a statement for
 * SQLite, or splits the statement: then its order is lost, and a row may come twice.
 */
const CHUNK = 400;

/** Reads rows by their keys, some hundred keys at a time. The rows of each chunk are in order. */
export async function inChunks<Key, Row>(
  keys: Iterable<Key>,
  read: (chunk: Key[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const all = [...new Set(keys)];
  const rows: Row[] = [];
  // A spread would be a call with an argument for each row: too many for one key with many rows.
  for (let from = 0; from < all.length; from += CHUNK)
    for (const row of await read(all.slice(from, from + CHUNK))) rows.push(row);
  return rows;
}
