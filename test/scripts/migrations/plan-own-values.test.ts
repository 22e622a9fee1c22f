import { expect, it } from 'vitest';
import { model, property, todo } from './models.js';
import { generate, names, sql, temporaryRoot } from './project.js';

/** Migrations of properties of which each user has a value of its own. */

const SEEN = property('seen', 'boolean', { default: false, perUser: true });
const OTHER = property('mark', 'boolean', { default: false, perUser: true });

const label = (maxLength: number) =>
  property('label', 'string', {
    ...{ default: '', perUser: true, schema: { type: 'string', maxLength } },
  });

/** Releases a type with these properties. Returns the root of its project. */
async function released(...own: Parameters<typeof todo>[0] & object): Promise<string> {
  const root = temporaryRoot();
  await generate(root, model([todo()]));
  const plan = await generate(root, model([todo(own)]));
  expect(plan.problems).toEqual([]);
  expect(names(plan)).toEqual(['0001_init', '0002_todo']);
  return root;
}

async function refusalsOf(root: string, ...own: Parameters<typeof todo>[0] & object) {
  const { problems } = await generate(root, model([todo(own)]));
  return problems.map(({ code }) => code);
}

it('a value of each user that would go is refused without drops', async () => {
  const root = await released(SEEN, OTHER);
  expect(await refusalsOf(root, OTHER)).toEqual(['property-removed']);
  const number = property('seen', 'integer', { default: 0, perUser: true });
  expect(await refusalsOf(root, number, OTHER)).toEqual(['property-type-changed']);
  const shared = property('seen', 'boolean', { default: false });
  expect(await refusalsOf(root, shared, OTHER)).toEqual(['property-type-changed']);
});

it('a value that all users share is not taken for one of each user', async () => {
  const root = temporaryRoot();
  await generate(root, model([todo([property('seen', 'boolean', { default: false })])]));
  expect(await refusalsOf(root, SEEN)).toEqual(['property-removed']);
  const accepted = await generate(root, model([todo([SEEN], { drops: ['seen'] })]));
  expect(accepted.problems).toEqual([]);
});

it('a value of each user that accepts less is refused without drops', async () => {
  const root = await released(label(20));
  expect(await refusalsOf(root, label(10))).toEqual(['property-narrowed']);
  expect(await refusalsOf(root, label(30))).toEqual([]);
});

it('a rename keeps the values of users, and refuses old states', async () => {
  const root = await released(SEEN);
  const renamed = { ...SEEN, name: 'read', column: 'read', renamedFrom: 'seen' };
  const plan = await generate(root, model([todo([renamed])]));
  expect(plan.problems).toEqual([]);
  const text = sql(plan, '0003_todo_read');
  expect(text).not.toContain('JmapUserValue');
  expect(text).toContain('UPDATE "JmapState"');
});

it('values of users go at once on SQLite, behind the version before on PostgreSQL', async () => {
  const root = await released(SEEN, OTHER);
  const without = todo([OTHER], { drops: ['seen'] });
  const plan = await generate(root, model([without]));
  expect(plan.problems).toEqual([]);
  expect(sql(plan, '0003_todo')).toContain(`json_remove("values", '$."seen"')`);
  expect(sql(plan, '0003_todo', 'postgresql')).not.toContain('JmapUserValue');
  const later = await generate(
    root,
    model([todo([OTHER, property('more', 'boolean', { nullable: true })])]),
  );
  expect(sql(later, '0004_todo_more', 'postgresql')).toContain(`"key" NOT IN ('seen')`);
  expect(sql(later, '0004_todo_more')).not.toContain('JmapUserValue');
});
