import { expect, it, onTestFinished } from 'vitest';
import { countQuotas, noteCount, type QuotaCounting } from '../../src/backfill/count-quotas.js';
import { limitsAt } from '../../src/capability/quota-definition.js';
import { countObjects } from '../../src/methods/quota/count-objects.js';
import { keepQuotas } from '../../src/methods/quota/keep-quotas.js';
import { indexQuotas, type Quotas } from '../../src/methods/quota/quota-index.js';
import { MethodError } from '../../src/protocol/errors.js';
import type { Snapshot } from '../../src/store/port.js';
import { conductor } from '../support/conductor.js';
import { BOARDS_YAML, type Json, makeProject, type QuotaRig, serveQuotas } from './quota-rig.js';

async function serve(): Promise<QuotaRig & { readonly quotas: Quotas }> {
  const project = await makeProject({ 'boards.yaml': BOARDS_YAML });
  onTestFinished(() => project.remove());
  const rig = await serveQuotas(project.root);
  onTestFinished(() => rig.served.close());
  const { quotas } = rig.served.registry;
  if (quotas === null) throw new Error('There are no quotas.');
  return Object.assign(rig, { quotas });
}

it('octets of objects that are too large together are counted in parts', async () => {
  const { quotas } = await serve();
  const storage = quotas.all.find(({ name }) => name === 'storage');
  if (storage === undefined) throw new Error('There is no such quota.');
  const ids = Array.from({ length: 100 }, (_, n) => `r${n}`);
  const asked: number[] = [];
  const snapshot = {
    page: async ({ name }: { name: string }) => ({ ids: name === 'Card' ? ids : [] }),
    get: async (_: unknown, some: readonly string[]) => {
      asked.push(some.length);
      if (some.length > 30) throw new MethodError('requestTooLarge', 'too large');
      return some.map((id) => ({ id, text: 'x' }));
    },
  } as unknown as Snapshot;
  const slices = conductor.startSlices();
  const used = await countObjects(storage, quotas, snapshot, slices);
  const one = Buffer.byteLength(JSON.stringify({ id: 'r10', text: 'x' }));
  expect(used).toBeGreaterThan(90 * one);
  expect(asked).toEqual([100, 50, 25, 25, 50, 25, 25]);
});

it('quotas that another version has stay as they are while both serve', async () => {
  const rig = await serve();
  const { store, registry } = rig.served;
  await rig.cards('a');
  const { list, state } = await rig.call('Quota/get', { ids: null });
  // Another version has other limits, and two quotas fewer.
  const capabilities = new Map(
    Array.from(registry.capabilities, ([urn, capability]) => {
      const cards = capability.quotas?.filter(({ name }) => name === 'cards');
      const quotas = cards?.map((quota) => ({ ...quota, limit: 20 }));
      return [urn, quotas === undefined ? capability : { ...capability, quotas }];
    }),
  );
  const other = indexQuotas(capabilities, registry.dataTypes);
  if (other === null) throw new Error('There are no quotas.');
  const deadline = performance.now() + 60_000;
  await keepQuotas({ store, conductor, quotas: other }, 'a1', { deadline });
  const now = await rig.call('Quota/get', { ids: null });
  expect([now.state, now.list]).toEqual([state, list]);
});

it('a start that is cut short has the next one count all objects', async () => {
  const rig = await serve();
  const { store, registry } = rig.served;
  await rig.cards('a');
  const { type } = rig.quotas;
  const deadline = performance.now() + 60_000;
  await store.write('a1', { deadline }, async (transaction) => {
    const rows = await transaction.get(type, { first: 10 }, type.properties);
    const wrong = rows.map((row) => ({ ...row, used: 5000 }));
    await transaction.writeRows('update', type, wrong);
  });
  const meta = new Map([['follow:Card', '0']]);
  let cuts = 1;
  const database = {
    notes: async () => Array.from(meta, ([key, value]) => ({ key, value })).slice(0, meta.size),
    note: async (key: string) => meta.get(key) ?? null,
    swap: async (key: string, _: string | null, value: string) => meta.set(key, value) !== null,
    forget: async (key: string) => void meta.delete(key),
    rows: async (_: unknown, last: Json) => {
      cuts -= 1;
      if (cuts === 0) throw new Error('killed');
      return last === null ? [{ accountId: 'a1', id: 'a1', updated: 0 }] : [];
    },
  };
  const log = { info: () => undefined } as unknown as QuotaCounting['log'];
  const options = { store, registry, conductor, database, log } as QuotaCounting;
  await noteCount(options);
  meta.delete('follow:Card');
  await expect(countQuotas(options)).rejects.toThrow('killed');
  await noteCount(options);
  await countQuotas(options);
  expect((await rig.quota('storage')).used).toBe(await rig.octets());
  expect(meta.size).toBe(0);
});

it.each([
  [90, 70, 63],
  [90, 140, 126],
  [50, 58, 29],
])('a level of %i percent of %i is %i', (percent, limit, amount) => {
  const quota = { name: 'q', types: [], resource: 'count', limit, warn: { percent } } as const;
  expect(limitsAt(quota, limit).warnLimit).toBe(amount);
});

it('a level that an empty account has reached is none', () => {
  const quota = {
    name: 'q',
    types: [],
    resource: 'count',
    limit: 5,
    warn: { percent: 10 },
  } as const;
  expect(limitsAt(quota, 5).warnLimit).toBeNull();
});
