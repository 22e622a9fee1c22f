import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nextVersion, regenerate, serveType } from '../language/rig.js';
import { createProject, thing } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';

const postgresql = usePostgresql();

const FIRST = `properties:
  name: { type: string, maxLength: 20, default: '' }
  parentId: { type: [string, 'null'], maxLength: 40 }
filter: { name: contains }
sort: [name]
`;
const SECOND = `drops: [parentId]
${FIRST.replace('maxLength: 40', 'references: Thing, onDestroy: setNull, acyclic: true')}
query: { tree: { by: parentId, sort: sortAsTree, filter: filterAsTree } }
`;

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a tree has objects whose parent is not there as roots, and those of a circle last',
  async (database) => {
    const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('trees');
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-trees-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await createProject({ 'things.yaml': thing(FIRST) });
    await regenerate(first);
    const before = await serveType(first, 'Thing', { url, folder });
    const ids: Record<string, string> = {};
    const make = async (name: string, parentId: string | null): Promise<void> => {
      ids[name] = (await before.create({ name, parentId }))[0];
    };
    await make('z root', null);
    await make('below', ids['z root'] ?? '');
    await make('lost', 'nothing');
    await make('under lost', ids['lost'] ?? '');
    await make('a circle', 'nothing');
    await make('circle b', ids['a circle'] ?? '');
    await make('on circle', ids['circle b'] ?? '');
    await before.update(ids['a circle'] ?? '', { parentId: ids['circle b'] });
    await before.served.close();
    const second = await nextVersion(first, { 'things.yaml': thing(SECOND) });
    await regenerate(second);
    const after = await serveType(second, 'Thing', { url, folder });
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
    const query = async (args: object): Promise<[number, string[], string]> => {
      const {
        total,
        ids: found,
        queryState,
      } = await after.call('query', {
        ...args,
        sort: [{ property: 'name' }],
        calculateTotal: true,
      });
      return [total, found.map((id: string) => names.get(id)), queryState];
    };
    const circle = ['a circle', 'circle b', 'on circle'];
    const all = ['lost', 'under lost', 'z root', 'below', ...circle];
    const asTree = { sortAsTree: true, filterAsTree: true };
    try {
      for (const args of [asTree, { sortAsTree: true }])
        expect((await query(args)).slice(0, 2)).toEqual([7, all]);
      const [total, found] = await query({ filterAsTree: true });
      expect([total, found]).toEqual([7, [...all].sort()]);
      expect((await query({ ...asTree, position: -3 }))[1]).toEqual(circle);
      const filter = { name: 'l' };
      const matching = ['lost', 'under lost', ...circle];
      expect((await query({ ...asTree, filter })).slice(0, 2)).toEqual([5, matching]);
      const state = (await query(asTree))[2];
      await after.update(ids['a circle'] ?? '', { parentId: ids['lost'] });
      const changed = await query(asTree);
      expect(changed[1]).toEqual(['lost', ...circle, 'under lost', 'z root', 'below']);
      const told = await after.call('queryChanges', {
        ...asTree,
        sort: [{ property: 'name' }],
        sinceQueryState: state,
        calculateTotal: true,
      });
      expect(told.total).toBe(7);
      const removed = new Set<string>(told.removed);
      const followed = all.map((name) => ids[name] ?? '').filter((id) => !removed.has(id));
      for (const { id, index } of told.added) followed.splice(index, 0, id);
      expect(followed.map((id) => names.get(id))).toEqual(changed[1]);
    } finally {
      await after.served.close();
    }
  },
);
