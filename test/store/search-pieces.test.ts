import { setImmediate } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoredObject } from '../../src/store/port.js';
import { eventually } from '../support/poll.js';
import { condition, Gadget, gadgets } from './gadget.js';
import { openSqlite } from './open-sqlite.js';
import { Bench } from './suite/bench.js';

/** Long texts on SQLite: the server indexes them in pieces, behind the commit. */

/** Characters beyond which a text has pieces, whatever they are. */
const LONG = 9000;

async function opened() {
  const bench = new Bench();
  await bench.open(openSqlite);
  onTestFinished(() => bench.close());
  const engine = bench.engine as Awaited<ReturnType<typeof openSqlite>>;
  return { bench, engine, db: engine.writerDatabase };
}

function gadget(title: string, code: string | null = null): StoredObject {
  const [made] = gadgets(1, () => ({ title, code }));
  if (made === undefined) throw new Error('One is made.');
  return made;
}

function rows(db: Database, table: string): number {
  return db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number;
}

/** Pieces that have a trigram. */
function matching(db: Database, gram: string): number {
  const count = db.prepare(
    'SELECT count(*) FROM "Gadget_search_piece" WHERE "Gadget_search_piece" MATCH ?',
  );
  return count.pluck().get(`"${gram}"`) as number;
}

/** `count` words, all different. */
function prose(count: number, prefix = 'word'): string {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`).join(' ');
}

describe('a long text in the search index on SQLite', () => {
  it('is found before it is indexed, and afterwards by its pieces alone', async () => {
    const { bench, engine, db } = await opened();
    await bench.insert([gadget(prose(10_000))]);
    expect(rows(db, 'Gadget_search_piece_row')).toBe(0);
    expect(await bench.found(condition('found', 'WORD9876 '))).toEqual(['r000000']);
    await engine.store.indexed();
    expect(rows(db, 'Gadget_search_row')).toBe(0);
    // No statement makes the trigrams of more than 4,096 characters.
    expect(rows(db, 'Gadget_search_piece_row')).toBeGreaterThan(88_890 / 4096);
    const found = (needle: string) => bench.found(condition('found', needle));
    expect(await found('WORD9876 ')).toEqual(['r000000']);
    expect(await found(prose(2000, 'WORD'))).toEqual(['r000000']);
    expect(await found('word9876 word9878')).toEqual([]);
    db.exec(`UPDATE "Gadget_search_piece_row" SET "id" = 'r000009'`);
    expect(await found('WORD9876 ')).toEqual([]);
  });

  it('is found by words that lie in different pieces and properties', async () => {
    const { bench, engine } = await opened();
    await bench.insert([gadget(prose(3000), prose(3000, 'code'))]);
    await engine.store.indexed();
    const found = (words: string) => bench.found(condition('foundText', words));
    expect(await found('word1 word2999 code2998')).toEqual(['r000000']);
    expect(await found('word1 word2999 code3000')).toEqual([]);
  });

  it('is found wherever the needle lies', async () => {
    const { bench, engine } = await opened();
    const char = fc.constantFrom('a', 'b', 'ß', 'é', '東', '😀', ' ');
    const text = fc
      .array(char, { minLength: LONG, maxLength: LONG + 200 })
      .map((all) => all.join(''));
    const place = fc.record({ begin: fc.nat(LONG - 1), length: fc.integer({ min: 3, max: 200 }) });
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.array(place, { minLength: 20 }),
        async (title, code, places) => {
          const id = 'r000000';
          await bench.write((transaction) => transaction.destroy(Gadget, [id]));
          await bench.insert([gadget(title, code)]);
          await engine.store.indexed();
          const border = { begin: 4090, length: 64 };
          for (const [value, filter] of [
            [title, 'found'],
            [code, 'foundCode'],
          ] as const) {
            for (const { begin, length } of [...places, border]) {
              const needle = [...value].slice(begin, begin + length).join('');
              expect(await bench.found(condition(filter, needle))).toEqual([id]);
            }
          }
        },
      ),
      // Smaller texts tell nothing more, and to look for them takes minutes.
      { numRuns: 4, endOnFailure: true },
    );
  });

  it('has its old pieces removed by an update and a destroy', async () => {
    const { bench, engine, db } = await opened();
    await bench.insert([gadget(prose(2000))]);
    await engine.store.indexed();
    const before = rows(db, 'Gadget_search_piece_row');
    const update = (title: string) =>
      bench.write((transaction) => transaction.writeRows('update', Gadget, [gadget(title)]));
    await update(prose(2000, 'other'));
    expect(await bench.found(condition('found', 'other1999'))).toEqual(['r000000']);
    await engine.store.indexed();
    expect(rows(db, 'Gadget_search_piece_row')).toBe(before);
    expect(matching(db, 'wor')).toBe(0);
    expect(matching(db, 'oth')).toBe(before);
    expect(await bench.found(condition('found', 'word1999'))).toEqual([]);
    await update('short');
    expect(await bench.found(condition('found', 'short'))).toEqual(['r000000']);
    await engine.store.indexed();
    expect(rows(db, 'Gadget_search_piece_row')).toBe(0);
    expect(rows(db, 'Gadget_search_long')).toBe(0);
    await update(prose(2000));
    expect(rows(db, 'Gadget_search_row')).toBe(0);
    await engine.store.indexed();
    await bench.write((transaction) => transaction.destroy(Gadget, ['r000000']));
    await engine.store.indexed();
    for (const table of ['_row', '_piece_row', '_long']) {
      expect(rows(db, `Gadget_search${table}`)).toBe(0);
    }
    expect(matching(db, 'wor')).toBe(0);
  });

  it('begins again if the text changes while it is indexed', async () => {
    const { bench, engine, db } = await opened();
    await bench.insert([gadget(prose(20_000))]);
    while (rows(db, 'Gadget_search_piece_row') < 3) await setImmediate();
    await bench.write((transaction) =>
      transaction.writeRows('update', Gadget, [gadget(prose(20_000, 'late'))]),
    );
    await engine.store.indexed();
    expect(await bench.found(condition('found', 'late19999'))).toEqual(['r000000']);
    expect(await bench.found(condition('found', 'late0 '))).toEqual(['r000000']);
    expect(matching(db, 'wor')).toBe(0);
  });

  it('is indexed if its writer told no client of a change, as after a migration', async () => {
    const { bench, engine, db } = await opened();
    await bench.insert([gadget('short')]);
    await engine.store.indexed();
    await bench.write((transaction) =>
      transaction.writeRows('update', Gadget, [gadget(prose(2000))]),
    );
    await eventually(() => expect(rows(db, 'Gadget_search_piece_row')).toBeGreaterThan(1));
  });

  it('is indexed in transactions of a piece each, between which others write', async () => {
    const { bench, engine, db } = await opened();
    await bench.insert([gadget(prose(20_000))]);
    const seen = new Set<number>();
    let isDone = false;
    const indexing = engine.store.indexed().then(() => {
      isDone = true;
    });
    while (!isDone) {
      await bench.write(async (transaction) => {
        await transaction.stateNumber(Gadget);
        seen.add(rows(db, 'Gadget_search_piece_row'));
      });
    }
    await indexing;
    expect(seen.size).toBeGreaterThan(40);
    expect(await bench.found(condition('found', 'word19999'))).toEqual(['r000000']);
  });
});
