import { sqliteFile } from '../../src/persist/sqlite.js';

/**
 * A process that commits to a store, and writes the number of each commit that is done. Its
 * arguments are the file, the first letter of its keys, and after how many commits it ends.
 */
const [file = '', letter = '', most = 'Infinity'] = process.argv.slice(2);

const store = await sqliteFile(file).open('n');
const rows = await store.load('log', letter);

for (let number = rows.length + 1; number <= Number(most); number += 1) {
  const key = letter + `${number}`.padStart(12, '0');
  // Some commits have many pages.
  const objects = Array.from({ length: number % 7 === 0 ? 50 : 1 }, (_, index) => ({
    table: 'objects' as const,
    key: `${letter}${index}`,
    value: { number, text: 'x'.repeat(500) },
  }));
  const counter = { table: 'meta' as const, key: letter, value: number };
  const changes = [{ table: 'log' as const, key, value: { number } }, ...objects, counter];
  await store.commit(changes, { durable: true });
  process.stdout.write(`${number}\n`);
}
await store.close();
