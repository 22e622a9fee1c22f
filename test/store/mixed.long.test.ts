import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { mix } from './mixed.js';
import { onPostgresql, onSqlite } from './storages.js';

/** How long on each database, s. */
const SECONDS = Number(process.env['MIXED_SECONDS'] ?? 60);

describe(`all that writes at once, for ${SECONDS} s on each database`, () => {
  const server = usePostgresql();
  const clock = (): (() => boolean) => {
    const end = performance.now() + SECONDS * 1000;
    return () => performance.now() < end;
  };

  it('loses no update and ends, on SQLite', async () => {
    const random = Random.fromEnvironment();
    const counts = await mix(await onSqlite(), { engine: 'sqlite', random, goesOn: clock() });
    process.stdout.write(`SQLite, seed ${random.seed}: ${JSON.stringify(counts)}\n`);
  });

  it('loses no update, ends, and meets no deadlock, on PostgreSQL', async () => {
    const random = Random.fromEnvironment();
    const url = await server().createDatabase('mixed');
    const storage = await onPostgresql(url);
    const counts = await mix(storage, { engine: 'postgresql', random, goesOn: clock() });
    process.stdout.write(`PostgreSQL, seed ${random.seed}: ${JSON.stringify(counts)}\n`);
    const operator = new Client(url);
    await operator.connect();
    // One that was run again in silence counts, too.
    const { rows } = await operator.query(
      'SELECT "deadlocks" FROM pg_stat_database WHERE "datname" = current_database()',
    );
    await operator.end();
    expect(rows).toEqual([{ deadlocks: '0' }]);
  });
});
