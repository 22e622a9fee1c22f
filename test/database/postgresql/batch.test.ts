import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ask, send } from '../../../src/database/postgresql/batch.js';
import { type Acquired, openPool, type Pool } from '../../../src/database/postgresql/pool.js';
import { prepared } from '../../../src/store/postgresql/statement.js';
import { usePostgresql } from '../../support/postgresql.js';

const postgresql = usePostgresql();

describe('statements that are sent together', () => {
  let pool: Pool;
  let client: Acquired;
  beforeAll(async () => {
    pool = openPool({ url: await postgresql().createDatabase('batch'), size: 1, pipeline: true });
    client = await pool.acquire(performance.now() + 20_000);
    await client.query('CREATE TABLE t (id int PRIMARY KEY, n int)');
  });
  afterAll(async () => {
    client.release();
    await pool.end();
  });

  type Outcome = readonly unknown[] | { readonly code: string } | string;

  /** Returns the result of each: its rows, its tag where there are none, its error's code. */
  const together = (...statements: readonly Pick<Ask, 'text' | 'lifetime' | 'values'>[]) =>
    new Promise<readonly Outcome[]>((done) => {
      const outcomes: Outcome[] = [];
      const ended = (outcome: Outcome): void => {
        if (outcomes.push(outcome) === statements.length) done(outcomes);
      };
      const asks = statements.map((statement) => {
        const rows: unknown[] = [];
        return {
          ...statement,
          take: (row: readonly unknown[]) => void rows.push(row),
          resolve: (tag: string) => ended(rows.length === 0 ? tag : rows),
          reject: (error: unknown) => ended({ code: (error as { code: string }).code }),
        };
      });
      send(client, asks);
    });
  const insert = (id: number) => prepared('INSERT INTO t VALUES ($1, 1)', [id]);
  const count = { text: 'SELECT count(*), sum(n) FROM t', values: [] };

  it('are one transaction: if one fails, the later are skipped and nothing stays', async () => {
    expect(await together(insert(1), insert(1), count)).toEqual([
      'INSERT 0 1',
      { code: '23505' },
      { code: '23505' },
    ]);
    expect(await together(count)).toEqual([[[0, null]]]);
  });

  it('are prepared once, also where their first use failed or was skipped', async () => {
    const fails = prepared('INSERT INTO t SELECT $1::int / 0', ['1']);
    const skipped = prepared('SELECT n + 1 FROM t WHERE id = $1', [7]);
    expect(await together(fails, skipped)).toEqual([{ code: '22012' }, { code: '22012' }]);
    // The same texts twice before the first answer.
    const [first, second] = await Promise.all([
      together(fails),
      together(insert(7), skipped, skipped),
    ]);
    expect(first).toEqual([{ code: '22012' }]);
    expect(second).toEqual(['INSERT 0 1', [[2]], [[2]]]);
    expect(await together(skipped, insert(8))).toEqual([[[2]], 'INSERT 0 1']);
    const { rows } = await client.query('SELECT statement FROM pg_prepared_statements');
    expect(rows.map(({ statement }) => statement)).toContain(skipped.text);
  });

  it('are prepared again if that failed once another batch had prepared them', async () => {
    const unprepared = (text: string) => ({ text, values: [] });
    const twice = prepared('SELECT 2 * n FROM t WHERE id = $1', [7]);
    // All of it is sent before the first answer.
    const outcomes = await Promise.all([
      together(unprepared('BEGIN')),
      together(twice),
      together(unprepared('SELECT 1 / 0')),
      together(twice),
      together(unprepared('ROLLBACK')),
    ]);
    const [failed, aborted] = [[{ code: '22012' }], [{ code: '25P02' }]];
    expect(outcomes).toEqual([['BEGIN'], [[[2]]], failed, aborted, ['ROLLBACK']]);
    expect(await together(twice)).toEqual([[[2]]]);
  });

  it('say so where what they prepared is out of date', async () => {
    const all = prepared('SELECT * FROM t WHERE id = $1', [8]);
    expect(await together(all)).toEqual([[[8, 1]]]);
    await client.query('ALTER TABLE t ADD COLUMN more text');
    expect(await together(all)).toEqual([{ code: '0A000' }]);
  });

  it('carry texts of any letters in arrays', async () => {
    const texts = ['', 'null', 'NULL', '"', '\\', '\\"', '{}', ',', ' a ', 'é😀', '\n\t'];
    const one = prepared('SELECT unnest($1::text[])', [texts]);
    expect(await together(one)).toEqual([texts.map((text) => [text])]);
    expect(await together(prepared('SELECT unnest($1::text[])', [[]]))).toEqual(['SELECT 0']);
  });
});
