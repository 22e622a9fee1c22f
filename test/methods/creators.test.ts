import { afterEach, expect, it } from 'vitest';
import type { AccessRule } from '../../src/capability/access-rules.js';
import { CREATOR } from '../../src/capability/creator.js';
import type { HookTransaction } from '../../src/capability/hooks.js';
import { dataType, methodsOf, property, STANDARD } from './gadget.js';
import { CORE, type Json, type Logic, Rig } from './rig.js';
import { viewer } from './viewers.js';

const URN = 'https://example.com/jmap/items';

const TABLES = `CREATE TABLE "Item" ("accountId" TEXT NOT NULL, "id" TEXT NOT NULL,
  "created" BIGINT NOT NULL, "updated" BIGINT NOT NULL, "title" TEXT NOT NULL,
  "jmap_creator" TEXT, PRIMARY KEY ("accountId", "id"));`;

const RULES: readonly AccessRule[] = [
  { who: { kind: 'property', property: CREATOR }, read: true, update: true },
  { who: { kind: 'everyone' }, create: true },
];

const always = Object.assign(() => true, { errors: null });

/** Items of which a hook makes one more where a client makes a doubled one. */
function items(told: Json[]): Required<Logic>['more'] {
  const creator = property(CREATOR, 'string', {
    ...{ nullable: true, access: 'internal', role: 'creator', format: 'id' },
  });
  const title = property('title', 'string', { default: '' });
  const item = dataType(
    'Item',
    [...STANDARD, title, creator],
    {},
    { capability: URN, access: RULES, validate: { update: always, filter: always } },
  );
  const inTransaction = async ({ created }: Json, _: unknown, tx: HookTransaction) => {
    told.push(...created);
    if (!created.some((one: Json) => one.title === 'doubled')) return;
    await tx.set(item as never, { create: { more: { title: 'by a hook' } } });
  };
  return {
    tables: TABLES,
    capability: {
      ...{ urn: URN, name: 'items', descriptorHash: 'x', session: {}, accountSession: {} },
      ...{ bareSession: false, accountLevel: true, dataTypes: [item], methods: methodsOf(item) },
      hooks: { types: { Item: { inTransaction } } },
    },
  };
}

let rig: Rig;
afterEach(() => rig.close());

it('an object has the user who created it, and none where that was a hook', async () => {
  const told: Json[] = [];
  rig = new Rig({}, { more: items(told) });
  const using = [CORE, URN];
  const as = { using, user: viewer('u2') };
  const { created } = await rig.call('Item/set', { create: { k: { title: 'doubled' } } }, as);
  const { list } = await rig.call('Item/get', {}, as);
  expect(list).toMatchObject([{ id: created.k.id, title: 'doubled' }]);
  expect(list[0]).not.toHaveProperty(CREATOR);
  expect(told.map((one) => [one.title, one[CREATOR]])).toEqual([
    ['doubled', 'u2'],
    ['by a hook', null],
  ]);
  const other = { using, user: viewer('u3') };
  expect((await rig.call('Item/get', {}, other)).list).toEqual([]);
  const all = await rig.call('Item/get', {}, { using });
  expect(all.list.map(({ title }: Json) => title).sort()).toEqual(['by a hook', 'doubled']);
  const id = all.list.find(({ title }: Json) => title === 'by a hook')?.id;
  const update = { update: { [id]: { title: 'x' } } };
  expect((await rig.call('Item/set', update, as)).notUpdated[id].type).toBe('notFound');
});

it('a client gives no creator, and changes none', async () => {
  rig = new Rig({}, { more: items([]) });
  const using = [CORE, URN];
  const as = { using, user: viewer('u2') };
  const wrong = { create: { k: { [CREATOR]: 'u3' } } };
  expect((await rig.call('Item/set', wrong, as)).notCreated.k).toMatchObject({
    ...{ type: 'invalidProperties', properties: [CREATOR] },
  });
  const { created } = await rig.call('Item/set', { create: { k: {} } }, as);
  const update = { update: { [created.k.id]: { [CREATOR]: 'u3' } } };
  expect((await rig.call('Item/set', update, as)).notUpdated[created.k.id]).toMatchObject({
    ...{ type: 'invalidProperties', properties: [CREATOR] },
  });
  const refused = { create: {}, update: { [created.k.id]: { title: 'y' } } };
  const other = { using, user: viewer('u3') };
  expect((await rig.call('Item/set', refused, other)).notUpdated[created.k.id].type).toBe(
    'notFound',
  );
});
