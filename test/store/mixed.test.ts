import { describe, expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { mix } from './mixed.js';
import { onPostgresql, onSqlite } from './storages.js';

/** mixed.long.test.ts does the same for a minute. */
const OPERATIONS = 240;

describe('all that writes at once loses no update and ends', () => {
  const server = usePostgresql();
  const goesOn = (operations: number): boolean => operations < OPERATIONS;

  it('on SQLite', async () => {
    const random = Random.fromEnvironment();
    await mix(await onSqlite(), { engine: 'sqlite', random, goesOn });
  });

  it('on PostgreSQL', async () => {
    const url = await server().createDatabase('mixed');
    // The driver deprecates that statements wait within it.
    const warnings: string[] = [];
    const warned = ({ stack = '' }: Error): void => void warnings.push(stack);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const random = Random.fromEnvironment();
    await mix(await onPostgresql(url), { engine: 'postgresql', random, goesOn });
    expect(warnings).toEqual([]);
  });
});
