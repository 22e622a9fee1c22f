import { describe, expect, test } from 'vitest';
import type { ModelType } from '../../../src/descriptor/model.js';
import { indexed, model, property, TODO_PROPERTIES, todo, type } from './models.js';
import { generate, names, sql, temporaryRoot } from './project.js';

// docs/reference/evolution.md, "Each kind of change".

const [TEXT, DONE] = TODO_PROPERTIES;
if (TEXT === undefined || DONE === undefined) throw new Error('no properties');
const PLACE = property('place', 'string', { nullable: true });
const SIZE = property('size', 'integer', { default: 3 });
const keeping = { keepsUnknown: true } as const;

type Row = readonly [what: string, before: ModelType, after: ModelType];

const KEPT: readonly Row[] = [
  ['a new property with a default', todo(), todo([SIZE])],
  ['a new nullable property', todo(), todo([PLACE])],
  ['a new optional property', todo(), todo([{ ...SIZE, optional: true }])],
  ['a new internal property', todo(), todo([{ ...SIZE, access: 'internal' }])],
  ['a new sort', todo([SIZE]), todo([SIZE], { sorts: [indexed(SIZE)] })],
  ['a filter with a column of its own', type('Todo', [TEXT, DONE]), todo()],
  ['a property that may be null now', todo([SIZE]), todo([{ ...SIZE, nullable: true }])],
  ['a property that may be absent now', todo([SIZE]), todo([{ ...SIZE, optional: true }])],
  ['wider bounds', todo([atMost(5)]), todo([atMost(9)])],
  ['unknownProperties: keep', todo(), todo([], keeping)],
];

const REFUSED: readonly Row[] = [
  ['a renamed property', todo([SIZE]), todo([renamed('weight')])],
  ['a removed property', todo([SIZE]), todo([], { drops: ['size'] })],
  [
    'another kind of values',
    todo([SIZE]),
    todo([property('size', 'string', { default: '' })], { drops: ['size'] }),
  ],
  [
    'a property that is no longer nullable',
    todo([PLACE]),
    todo([{ ...PLACE, nullable: false, default: '' }], { drops: ['place'] }),
  ],
  ['a property that is internal no more', todo([internal()]), todo([SIZE])],
  [
    'a new computed property',
    todo(),
    todo([{ ...SIZE, access: 'serverSet', computed: { kind: 'from', properties: ['text'] } }]),
  ],
  [
    'a new property with the present time as default',
    todo(),
    todo([property('due', 'date', { defaultNow: true })]),
  ],
  ['a new property beside undeclared values', todo([], keeping), todo([SIZE], keeping)],
  [
    'undeclared values that nobody keeps',
    todo([], keeping),
    todo([], { drops: ['unknown_properties'] }),
  ],
];

function atMost(maximum: number) {
  return { ...SIZE, schema: { type: 'integer', maximum } as const };
}

function renamed(name: string) {
  return { ...SIZE, name, column: name, renamedFrom: 'size' };
}

function internal() {
  return { ...SIZE, access: 'internal' as const };
}

describe('a migration', () => {
  test.for([
    ...KEPT.map(([what, ...types]) => ({ what, types, refuses: false })),
    ...REFUSED.map(([what, ...types]) => ({ what, types, refuses: true })),
  ])('refuses old states of a type or keeps them: $what', async ({ types, refuses }) => {
    const root = temporaryRoot();
    const [before, after] = types;
    expect((await generate(root, model([before]))).problems).toEqual([]);
    const plan = await generate(root, model([after]));
    expect(plan.problems).toEqual([]);
    for (const provider of ['sqlite', 'postgresql']) {
      const last = names(plan, provider).at(-1) ?? '';
      expect(last).toMatch(/^0002_/);
      const text = sql(plan, last, provider);
      expect(text.includes('DELETE FROM "JmapChange"'), provider).toBe(refuses);
      expect(text.includes("'reset:Todo'"), provider).toBe(refuses);
    }
  });
});
