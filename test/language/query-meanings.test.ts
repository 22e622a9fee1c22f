import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProject, thing } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';
import { nextVersion, regenerate, serveType } from './rig.js';

const postgresql = usePostgresql();

const FIRST = `properties:
  a: { type: integer, default: 0 }
  b: { type: integer, default: 0 }
  marks: { setOf: string, default: {} }
  mails:
    type: array
    items:
      type: object
      properties: { kind: { type: string, maxLength: 9 }, to: { type: string, maxLength: 9 } }
    default: []
filter:
  size: { property: a, is: atMost }
  of: { property: a, is: equals }
  to: { property: mails/*/to, where: { kind: home }, is: equals }
  each: { property: mails/*/to, is: equals }
  words: { is: text, properties: [mails/*/to] }
  least: { property: b, is: atLeast }
sort:
  - { name: order, property: a }
  - { name: same, property: b }
  - { name: has, property: marks, is: hasKey, argument: mark }
`;

/** All conditions and sorts but `least`, `same` and `has` mean something else. */
const SECOND = FIRST.replace('a, is: atMost', 'a, is: lessThan')
  .replace('of: { property: a', 'of: { property: b')
  .replace('kind: home', 'kind: work')
  .replace(
    'each: { property: mails/*/to, is: equals }',
    'each: { property: mails/*/to, is: equals, items: all }',
  )
  .replace('properties: [mails/*/to]', 'properties: [mails/*/to, mails/*/kind]')
  .replace('name: order, property: a', 'name: order, property: b')
  .replace(
    'filter:',
    '  c: { type: integer, default: 0 }\nfilter:\n  more: { property: c, is: equals }',
  );

const CHANGED = [
  { filter: { size: 1 } },
  { filter: { of: 0 } },
  { filter: { to: 'x' } },
  { filter: { each: 'x' } },
  { filter: { words: 'x' } },
  { sort: [{ property: 'order' }] },
];

const SAME = [
  { filter: { least: 1 } },
  { filter: { operator: 'NOT', conditions: [{ least: 1 }] }, sort: [{ property: 'same' }] },
  { sort: [{ property: 'has', mark: 'm' }] },
];

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a query state ends when its condition or sort gets another meaning',
  async (database) => {
    const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('meanings');
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-language-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await createProject({ 'things.yaml': thing(FIRST) });
    await regenerate(first);
    const before = await serveType(first, 'Thing', { url, folder });
    await before.create({ a: 1, b: 2 });
    const states = new Map<object, string>();
    for (const args of [...CHANGED, ...SAME])
      states.set(args, (await before.call('query', args)).queryState);
    await before.served.close();
    const second = await nextVersion(first, { 'things.yaml': thing(SECOND) });
    await regenerate(second);
    const after = await serveType(second, 'Thing', { url, folder });
    const changes = (args: object) =>
      after.call('queryChanges', { ...args, sinceQueryState: states.get(args) });
    try {
      for (const args of CHANGED)
        expect([args, await changes(args)]).toMatchObject([
          args,
          { error: 'cannotCalculateChanges' },
        ]);
      for (const args of SAME)
        expect([args, await changes(args)]).toMatchObject([args, { removed: [], added: [] }]);
    } finally {
      await after.served.close();
    }
  },
);
