import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScopeKeeper, type ScopesOptions } from '../../src/backfill/keep-scopes.js';
import { startBackfill } from '../../src/backfill/start-backfill.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createLogging } from '../../src/server/logging.js';
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

const tell = (): Promise<void> => keeper().tellForeign(OWNED, Date.now() - 60_000);
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
