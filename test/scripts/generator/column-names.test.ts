import { expect, it } from 'vitest';
import { createProject, thing } from './project.js';
import { serve } from './random/serve.js';

/** Columns that SQLite's json_each() has, too. */
const NAMES = ['key', 'value', 'type', 'atom', 'parent', 'fullkey', 'path', 'json', 'root'];

it('sets, maps and lists are filtered by what they hold, whatever they are called', async () => {
  const lines = [
    'properties:',
    ...NAMES.map((name) => `  ${name}: { setOf: string, maxLength: 9, default: {} }`),
    ...NAMES.map((name) => `  ${name}s: { type: array, items: { type: string }, default: [] }`),
    'filter:',
    ...NAMES.map((name) => `  ${name}: hasKey`),
    ...NAMES.map((name) => `  ${name}s: hasItem`),
  ];
  const listed = thing(lines.join('\n'));
  const items = thing(
    [
      'properties:',
      ...NAMES.map((name) => `  ${name}: { type: array, items: { type: string }, default: [] }`),
      'filter:',
      ...NAMES.map((name) => `  ${name}: hasItem`),
    ].join('\n'),
  );
  const project = await createProject({
    'things.yaml': listed,
    'items.yaml': items.replace('urn:example:things', 'urn:example:items').replace('Thing', 'Item'),
  });
  expect((await project.generate()).code).toBe(0);
  const served = await serve(project.root);
  try {
    for (const name of NAMES) {
      for (const [type, value] of [
        ['Thing', { red: true }],
        ['Item', ['red']],
      ] as const) {
        const { created } = await served.call(`${type}/set`, { create: { k: { [name]: value } } });
        const find = (word: string) => served.call(`${type}/query`, { filter: { [name]: word } });
        expect((await find('red')).ids, `${type}.${name}`).toEqual([created.k.id]);
        expect((await find('blue')).ids, `${type}.${name}`).toEqual([]);
      }
    }
  } finally {
    await served.close();
  }
});
