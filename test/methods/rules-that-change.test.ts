import { afterEach, beforeEach, expect, it } from 'vitest';
import { resetStates } from '../../scripts/backup/reset-states.js';
import { ScopeKeeper, type ScopesOptions } from '../../src/backfill/keep-scopes.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import { createRegistry } from '../../src/methods/registry.js';
import { registry as generated } from '../support/registry.js';
import { gadgetCapability } from './gadget.js';
import { type Json, Rig } from './rig.js';
import { viewer } from './viewers.js';
import { Widget, widgetCapability } from './widget.js';

const FIRST: readonly AccessRule[] = [
  { who: { kind: 'everyone' }, where: [{ property: 'rankNumber', values: [1] }], read: true },
];
const SECOND: readonly AccessRule[] = [
  { who: { kind: 'everyone' }, where: [{ property: 'rankNumber', values: [2] }], read: true },
];
const U5 = viewer('u5');

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

/** Returns the server as a version with these rules runs it, on the same database. */
function version(access?: readonly AccessRule[]): Rig {
  const widget = access === undefined ? Widget : { ...Widget, access };
  const registry = createRegistry([...generated, widgetCapability({ widget }), gadgetCapability]);
  const services = { ...rig.services, registry };
  return Object.create(rig, { services: { value: services } }) as Rig;
}

/** `told`: gets the names of types whose objects got their scopes anew. */
function keeperOf({ services }: Rig, told: string[] = []): ScopeKeeper {
  const info = ({ type }: { readonly type: string }) => void told.push(type);
  const log = { info } as unknown as ScopesOptions['log'];
  const { store, registry, conductor } = services;
  return new ScopeKeeper({ store, registry, conductor, database: rig.backfill(), log });
}

async function start(server: Rig): Promise<readonly string[]> {
  const told: string[] = [];
  await keeperOf(server, told).finish({ shared: false, now: Date.now });
  return told;
}

async function titles(server: Rig): Promise<readonly string[]> {
  const { list } = await server.call('Widget/get', {}, { user: U5 });
  return list.map(({ title }: Json) => title).sort();
}

async function stateOf(server: Rig): Promise<string> {
  return (await server.call('Widget/get', { ids: [] }, { user: U5 })).state;
}

function changes(server: Rig, sinceState: string): Promise<Json> {
  return server.call('Widget/changes', { sinceState }, { user: U5 });
}

const REFUSED = { error: 'cannotCalculateChanges' };

it('objects of a type get their scopes when it gets rules', async () => {
  const [plain, ruled] = [version(), version(FIRST)];
  await plain.create('Widget', [
    { title: 'a', rankNumber: 1 },
    { title: 'b', rankNumber: 2 },
  ]);
  expect(await titles(plain)).toEqual(['a', 'b']);
  const before = await stateOf(plain);
  expect(await titles(ruled)).toEqual([]);
  expect(await start(ruled)).toEqual(['Widget']);
  expect(await titles(ruled)).toEqual(['a']);
  expect(await changes(ruled, before)).toMatchObject(REFUSED);
  const now = await stateOf(ruled);
  await ruled.create('Widget', [
    { title: 'c', rankNumber: 1 },
    { title: 'd', rankNumber: 2 },
  ]);
  expect((await changes(ruled, now)).created).toHaveLength(1);
});

it('a second start with the same rules does nothing', async () => {
  const ruled = version(FIRST);
  await start(ruled);
  const [widget] = await ruled.create('Widget', [{ title: 'a', rankNumber: 1 }]);
  const state = await stateOf(ruled);
  expect(await start(ruled)).toEqual([]);
  await ruled.call('Widget/set', { update: { [widget as string]: { title: 'b' } } });
  expect((await changes(ruled, state)).updated).toEqual([widget]);
});

it('a state of other rules is refused before and after the start', async () => {
  const [first, second] = [version(FIRST), version(SECOND)];
  await start(first);
  await first.create('Widget', [
    { title: 'a', rankNumber: 1 },
    { title: 'b', rankNumber: 2 },
  ]);
  const state = await stateOf(first);
  expect(await changes(second, state)).toMatchObject(REFUSED);
  expect(await start(second)).toEqual(['Widget']);
  expect(await titles(second)).toEqual(['b']);
  expect(await changes(second, state)).toMatchObject(REFUSED);
  // The first version goes on: its states of before are refused, too.
  expect(await changes(first, state)).toMatchObject(REFUSED);
  expect(await changes(second, await stateOf(second))).toMatchObject({ created: [] });
});

it('a user who sees nothing has to begin anew once', async () => {
  const [first, second] = [version(FIRST), version(SECOND)];
  await start(first);
  await first.create('Widget', [{ title: 'c', rankNumber: 3 }]);
  const state = await stateOf(first);
  await start(second);
  expect(await start(first)).toEqual(['Widget']);
  expect(await changes(first, state)).toMatchObject(REFUSED);
});

it('states are refused after a reset, and objects get their scopes anew', async () => {
  const ruled = version(FIRST);
  await start(ruled);
  await ruled.create('Widget', [{ title: 'a', rankNumber: 1 }]);
  const state = await stateOf(ruled);
  // A migration changes values, and leaves a note.
  rig.run(`UPDATE "Widget" SET "rankNumber" = 2`);
  rig.run(`INSERT INTO "JmapMeta" ("key", "value") VALUES ('reset:Widget', '')`);
  await rig.backfill().reset('reset:Widget', 'Widget');
  expect(await start(ruled)).toEqual(['Widget']);
  expect(await titles(ruled)).toEqual([]);
  expect(await changes(ruled, state)).toMatchObject(REFUSED);
});

it('states are refused after a reset of all states', async () => {
  const ruled = version(FIRST);
  await start(ruled);
  await ruled.create('Widget', [{ title: 'a', rankNumber: 1 }]);
  const state = await stateOf(ruled);
  await resetStates(rig.engine(), ['Widget']);
  expect(await changes(ruled, state)).toMatchObject(REFUSED);
  const now = await stateOf(ruled);
  expect(now).not.toBe(state);
  const [widget] = await ruled.create('Widget', [{ title: 'b', rankNumber: 1 }]);
  expect((await changes(ruled, now)).created).toEqual([widget]);
});

it('objects that a version without rules writes are seen when they are followed', async () => {
  const [plain, ruled] = [version(), version(FIRST)];
  await start(ruled);
  const state = await stateOf(ruled);
  const [widget = ''] = await plain.create('Widget', [{ title: 'a', rankNumber: 1 }]);
  expect(await titles(ruled)).toEqual([]);
  const batch = { type: version(FIRST).services.registry.dataTypes.get('Widget'), ids: [widget] };
  if (batch.type === undefined) throw new Error('There are no widgets.');
  await keeperOf(ruled).follow({ type: batch.type, accountId: 'a1', ids: batch.ids });
  expect(await titles(ruled)).toEqual(['a']);
  expect((await changes(ruled, state)).created).toEqual([widget]);
});

it('scopes of objects that are gone go with a renewal', async () => {
  const [plain, ruled] = [version(), version(FIRST)];
  await start(ruled);
  const [one = '', other = ''] = await ruled.create('Widget', [
    { title: 'a', rankNumber: 1 },
    { title: 'b', rankNumber: 1 },
  ]);
  await plain.call('Widget/set', { destroy: [one] });
  await start(version(SECOND));
  await start(ruled);
  expect(rig.rows(`SELECT "objectId" FROM "JmapScope" WHERE "type" = 'Widget' ORDER BY 1`)).toEqual(
    [{ objectId: ' ' }, { objectId: other }],
  );
});
