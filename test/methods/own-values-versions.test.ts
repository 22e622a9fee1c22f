import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ScopeKeeper, type ScopesOptions } from '../../src/backfill/keep-scopes.js';
import { batches } from '../../src/backfill/row-batches.js';
import { startBackfill } from '../../src/backfill/start-backfill.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { goneRows, uncountedRows } from '../../src/database/backfill-database.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createLogging } from '../../src/server/logging.js';
import { storeWith } from '../../src/store/delegate.js';
import { eventually } from '../support/poll.js';
import { registry as generated } from '../support/registry.js';
import { gadgetCapability, property } from './gadget.js';
import { withOwn } from './own-values.js';
import { type Json, Rig } from './rig.js';
import { viewer } from './viewers.js';
import { Widget, widgetCapability } from './widget.js';

/** A version without values of each user writes beside one that has them. */

const OWNED = withOwn(Widget, property('mark', 'integer', { default: 0, perUser: true }));
const U2 = viewer('u2');

let rig: Rig;
let plain: Rig;
let owned: Rig;
beforeEach(async () => {
  rig = new Rig();
  plain = version(Widget);
  owned = version(OWNED);
  await keeper().finish({ shared: true, now: Date.now });
});
afterEach(() => rig.close());

/** Returns the server as a version with this type runs it, on the same database. */
function version(widget: DataTypeDefinition): Rig {
  const registry = createRegistry([...generated, widgetCapability({ widget }), gadgetCapability]);
  const services = { ...rig.services, registry };
  return Object.create(rig, { services: { value: services } }) as Rig;
}

function keeper(): ScopeKeeper {
  const log = { info: () => undefined } as unknown as ScopesOptions['log'];
  const { store, registry, conductor } = owned.services;
  return new ScopeKeeper({ store, registry, conductor, database: rig.backfill(), log });
}

async function tell(): Promise<void> {
  const rows = uncountedRows(OWNED.table, Date.now() - 60_000);
  for await (const batch of batches(rig.backfill(), { type: OWNED, rows }))
    await keeper().tellForeign(batch);
}
const ask = (verb: string, args: object): Promise<Json> =>
  owned.call(`Widget/${verb}`, args, { user: U2 });
const stateOf = async (): Promise<string> => (await ask('get', { ids: [] })).state;

it('users who see all of the type hear of what that version writes', async () => {
  const [kept = '', gone = ''] = await plain.create('Widget', [{ title: 'a' }, { title: 'b' }]);
  await tell();
  const state = await stateOf();
  const update = { [kept]: { title: 'c' } };
  const create = { k: { title: 'd' } };
  const made = await plain.call('Widget/set', { create, update, destroy: [gone] });
  const all = { created: [made.created.k.id], updated: [kept], destroyed: [gone] };
  expect(await stateOf()).toBe(state);
  await tell();
  const now = await stateOf();
  expect(now).not.toBe(state);
  expect(await ask('changes', { sinceState: state })).toMatchObject({ ...all, newState: now });
  await tell();
  expect(await stateOf()).toBe(now);
});

it('a change of this version tells of those of that one, too', async () => {
  const state = await stateOf();
  const [theirs = ''] = await plain.create('Widget', [{ title: 'a' }]);
  const [own = ''] = await owned.create('Widget', [{ title: 'b' }]);
  const { created } = await ask('changes', { sinceState: state });
  expect([...created].sort()).toEqual([theirs, own].sort());
});

it('states are refused once records of that version are removed', async () => {
  const state = await stateOf();
  await plain.create('Widget', [{ title: 'a' }]);
  await tell();
  const told = await stateOf();
  await owned.services.store.pruneChanges(Date.now() + 1000, 1);
  await owned.create('Widget', [{ title: 'b' }]);
  const lost = await ask('changes', { sinceState: state });
  expect(lost).toMatchObject({ error: 'cannotCalculateChanges' });
  expect((await ask('changes', { sinceState: told })).created).toHaveLength(1);
});

it('values go with objects that that version destroys', async () => {
  const [kept = '', gone = ''] = await owned.create('Widget', [{ title: 'a' }, { title: 'b' }]);
  await ask('set', { update: { [kept]: { mark: 1 }, [gone]: { mark: 2 } } });
  await plain.call('Widget/set', { destroy: [gone] });
  const values = () => rig.rows('SELECT "objectId" FROM "JmapUserValue" ORDER BY 1');
  expect(values()).toHaveLength(2);
  const { store, registry, conductor } = owned.services;
  const backfill = await startBackfill({
    ...{ store, registry, conductor, database: rig.backfill(), shared: false },
    log: createLogging('fatal').log,
  } as unknown as Parameters<typeof startBackfill>[0]);
  await backfill.stop();
  expect(values()).toEqual([{ objectId: kept }]);
});

it('objects that have left values are found among those that were destroyed since', async () => {
  const ids = await owned.create('Widget', [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
  const [first = '', second = '', kept = ''] = ids;
  for (const id of ids) await ask('set', { update: { [id]: { mark: 1 } } });
  let now = Date.now();
  Object.assign(rig.services, { now: () => now });
  const destroyAt = async (id: string) => {
    await plain.call('Widget/set', { destroy: [id] });
    const [last] = rig.rows('SELECT max("at") AS "at" FROM "JmapChange"') as readonly Json[];
    return Number(last.at);
  };
  await destroyAt(first);
  rig.run(`UPDATE "JmapChange" SET "at" = "at" - 60000`);
  const since = await destroyAt(second);
  const widgets = { table: OWNED.table, references: [], hasBlobs: false, hasValues: true };
  const found = async (from: number | null) => {
    const rows = await rig.backfill().rows(goneRows(widgets, from), null, 10);
    return rows.map(({ id }) => id).sort();
  };
  expect(await found(null)).toEqual([first, second].sort());
  expect(await found(since)).toEqual([second]);
  now = since + 1;
  expect(await found(now)).toEqual([]);
  expect((await ask('get', { ids: [kept] })).list).toMatchObject([{ mark: 1 }]);
});

it('users hear of an account although telling those of another one fails', async () => {
  let isFailing = false;
  const { store, registry, conductor } = owned.services;
  const failing = storeWith(store, {
    write: (accountId, options, work) =>
      isFailing && accountId === 'a1'
        ? Promise.reject(new Error('The account is locked.'))
        : store.write(accountId, options, work),
  });
  const backfill = await startBackfill({
    ...{ registry, conductor, database: rig.backfill(), shared: true, pause: 20 },
    ...{ store: failing, log: createLogging('fatal').log },
  } as unknown as Parameters<typeof startBackfill>[0]);
  onTestFinished(() => backfill.stop());
  const since = async (accountId: string, sinceState: string) =>
    (await owned.call('Widget/changes', { accountId, sinceState })).created?.length;
  const begin = (accountId: string) => owned.call('Widget/get', { accountId, ids: [] });
  const [first, second] = [(await begin('a1')).state, (await begin('a2')).state];
  isFailing = true;
  for (const accountId of ['a1', 'a2'])
    await plain.call('Widget/set', { accountId, create: { k: { title: 'a' } } });
  await eventually(async () => expect(await since('a2', second)).toBe(1), 20_000);
  expect(await since('a1', first)).toBe(0);
  isFailing = false;
  await eventually(async () => expect(await since('a1', first)).toBe(1), 20_000);
});

it('a value that a user takes back by null follows a later default', async () => {
  const later = version(
    withOwn(Widget, property('mark', 'integer', { default: 7, perUser: true })),
  );
  const draft = [{ title: 'a' }, { title: 'b' }, { title: 'c' }];
  const [back = '', same = '', kept = ''] = await owned.create('Widget', draft);
  const marks = async (server: Rig) => {
    const { list } = await server.call('Widget/get', { ids: [back, same, kept] }, { user: U2 });
    return list.map(({ mark }: Json) => mark);
  };
  for (const mark of [5, 0]) {
    const update = { [back]: { mark }, [same]: { mark }, [kept]: { mark } };
    await ask('set', { update });
  }
  await ask('set', { update: { [kept]: { mark: 4 } } });
  // One that differs from the default, and one that doesn't.
  await ask('set', { update: { [back]: { mark: 5 } } });
  await ask('set', { update: { [back]: { mark: null }, [same]: { mark: null } } });
  expect(await marks(owned)).toEqual([0, 0, 4]);
  expect(await marks(later)).toEqual([7, 7, 4]);
});
