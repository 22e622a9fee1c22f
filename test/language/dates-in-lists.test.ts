import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProject, thing } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';
import { nextVersion, regenerate, serveType } from './rig.js';

const postgresql = usePostgresql();

const FIRST = `properties:
  dates: { type: array, items: { type: string, format: date }, default: [] }
`;
const SECOND = `${FIRST}filter:
  has: { property: dates, is: hasItem }
  lacks: { property: dates, is: lacksItem }
sort: [{ name: on, property: dates, is: hasItem, argument: date }]
`;

it.each(['SQLite', 'PostgreSQL'])('on %s a list has a Date by its moment', async (database) => {
  const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('dates');
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-language-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const first = await createProject({ 'things.yaml': thing(FIRST) });
  await regenerate(first);
  const before = await serveType(first, 'Thing', { url, folder });
  const [a] = await before.create({
    dates: ['2020-01-01T00:00:00Z', '2026-01-31T14:00:00+02:00'],
  });
  await before.served.close();
  const second = await nextVersion(first, { 'things.yaml': thing(SECOND) });
  await regenerate(second);
  const things = await serveType(second, 'Thing', { url, folder });
  try {
    const [b] = await things.create({ dates: ['2026-01-31T12:00:00.000Z'] });
    const [c] = await things.create({ dates: ['2026-01-31T12:00:00+02:00'] });
    const [d] = await things.create({});
    for (const text of ['2026-01-31T12:00:00Z', '2026-01-31T07:00:00-05:00']) {
      expect(await things.query({ has: text })).toEqual([a, b]);
      expect(await things.query({ lacks: text })).toEqual([c, d]);
      expect(await things.query({}, [{ property: 'on', date: text }])).toEqual([c, d, a, b]);
    }
    await things.update(c, { dates: ['2026-01-31T13:00:00+01:00'] });
    expect(await things.query({ has: '2026-01-31T12:00:00Z' })).toEqual([a, b, c]);
    expect(await things.query({ has: '2026-01-31T12:00:00.001Z' })).toEqual([]);
  } finally {
    await things.served.close();
  }
});
