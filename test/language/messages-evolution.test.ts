import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProject, type Project } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';
import { nextVersion, regenerate, serveType, type Typed } from './rig.js';

const postgresql = usePostgresql();

/** Returns a descriptor of folders and notes, in which folders have some more properties. */
const notes = (folder: string, more = '', totals = ''): Record<string, string> => ({
  'notes.yaml': `capability: https://example.com/jmap/notes
types:
  Folder:
    ${more}
    properties:
      name: { type: string, maxLength: 20, default: '' }
${folder}
  Note:
    properties:
      folderIds: { setOf: Folder, onDestroy: setNull, default: {} }
      topic: { type: [string, 'null'], maxLength: 20 }
      marks: { setOf: string, default: {} }
      price: { type: string, format: decimal, default: '0' }
      at: { type: [string, 'null'], format: utc-date }
${totals}`,
});

const aggregate = (name: string, start: string, computed: string): string =>
  `      ${name}: { ${start}, access: serverSet, computed: { ${computed} } }`;
const NUMBER = 'type: integer, default: 0';
const NO_FOLDERS = aggregate('none', NUMBER, 'count: Folder, where: { name: none }');

const BEFORE = notes('      open: { type: integer, default: 7 }');

const AFTER = notes(
  [
    aggregate('open', NUMBER, 'count: Note, by: folderIds, where: { marks/done: null }'),
    aggregate('topics', NUMBER, 'count: Note, by: folderIds, distinct: topic'),
    aggregate(
      'worth',
      "type: string, format: decimal, default: '0'",
      'sum: Note.price, by: folderIds',
    ),
    aggregate('last', "type: [string, 'null'], format: utc-date", 'max: Note.at, by: folderIds'),
  ].join('\n'),
  '',
  `  Totals:
    singleton: true
    properties:
${aggregate('notes', NUMBER, 'count: Note')}
`,
);

const CHANGED = notes(
  [
    aggregate('open', NUMBER, 'count: Note, by: folderIds, where: { marks/done: true }'),
    aggregate('topics', NUMBER, 'count: Note, by: folderIds'),
    "      last: { type: [string, 'null'], format: utc-date }",
  ].join('\n'),
  'drops: [worth]',
  `  Totals:
    singleton: true
    properties:
${aggregate('notes', NUMBER, 'count: Note, distinct: topic')}
${NO_FOLDERS}
`,
);

it('a next version fills aggregates that are new, and makes those anew that change', async () => {
  const first = await createProject(BEFORE);
  await regenerate(first);
  const second = await nextVersion(first, AFTER);
  await regenerate(second);
  const third = await nextVersion(second, CHANGED);
  await regenerate(third);
  for (const url of [undefined, await postgresql().createDatabase('notes')]) {
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-notes-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const during = async (project: Project, work: (folders: Typed) => Promise<void>) => {
      const folders = await serveType(project, 'Folder', { url, folder });
      await work(folders).finally(() => folders.served.close());
    };
    let ids: readonly [string, string] = ['', ''];
    await during(first, async (folders) => {
      ids = await fill(folders);
    });
    await during(second, (folders) => expectFilled(folders, ids));
    await during(third, (folders) => expectChanged(folders, ids));
  }
});

/** Makes two folders and three notes in the first one. */
async function fill(folders: Typed): Promise<readonly [string, string]> {
  const [a] = await folders.create({ name: 'a' });
  const [b] = await folders.create({ name: 'b' });
  const note = (topic: string | null, price: string, marks: object, at: string | null) => ({
    ...{ folderIds: { [a]: true }, topic, price, marks, at },
  });
  const create = {
    n1: note('x', '0.1', {}, '2026-01-01T00:00:00Z'),
    n2: note('x', '0.25', { done: true }, '2026-01-02T00:00:00Z'),
    n3: note(null, '-1', {}, null),
  };
  expect((await folders.of('Note').call('set', { create })).notCreated).toBeNull();
  return [a, b];
}

async function expectFilled(folders: Typed, [a, b]: readonly [string, string]): Promise<void> {
  expect(await folders.get(a)).toMatchObject({
    ...{ open: 2, topics: 1, worth: '-0.65', last: '2026-01-02T00:00:00Z' },
  });
  expect(await folders.get(b)).toMatchObject({ open: 0, topics: 0, worth: '0', last: null });
  const totals = folders.of('Totals');
  expect(await totals.get('singleton')).toMatchObject({ notes: 3 });
  await folders.of('Note').create({ folderIds: { [b]: true }, price: '2', topic: 'y' });
  expect(await folders.get(b)).toMatchObject({ open: 1, topics: 1, worth: '2' });
  expect(await totals.get('singleton')).toMatchObject({ notes: 4 });
}

async function expectChanged(folders: Typed, [a, b]: readonly [string, string]): Promise<void> {
  expect(await folders.get(a)).toMatchObject({ open: 1, topics: 3 });
  expect(await folders.get(b)).toMatchObject({ open: 0, topics: 1 });
  expect(await folders.of('Totals').get('singleton')).toMatchObject({ notes: 2, none: 0 });
  // Its value stays where it is computed no more, and clients write it.
  expect(await folders.get(a)).toMatchObject({ last: '2026-01-02T00:00:00Z' });
  await folders.update(a, { last: null });
}
