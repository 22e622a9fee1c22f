import { expect } from 'vitest';
import { checkUsage } from '../../src/methods/quota/keep-quotas.js';
import { conductor } from '../support/conductor.js';
import { Random } from '../support/random.js';
import { type Json, makeProject, type QuotaProject, type QuotaRig } from './quota-rig.js';

const YAML = `capability: urn:example:stock
quotas:
  items: { types: [Item], count: 60 }
  notes: { types: [Entry], count: 150 }
  storage: { types: [Shelf, Item, Entry], octets: 25kB, warn: 50% }
types:
  Shelf:
    properties:
      name: { type: string, maxLength: 1000, default: '' }
      items:
        { type: integer, access: serverSet, default: 0, computed: { count: Item, by: shelfId } }
  Item:
    properties:
      shelfId: { type: [string, 'null'], references: Shelf, onDestroy: cascade }
      besideId: { type: [string, 'null'], references: Item, onDestroy: setNull }
      code: { type: [string, 'null'], maxLength: 20, unique: true }
      text: { type: string, maxLength: 1000, default: '' }
  Entry: { properties: { text: { type: string, default: '' } } }
`;

/** Each call that creates or destroys items writes an entry, and fails where it can't. */
const HOOKS = `import { HookRefusal } from 'jmapsmith/capability';
import { entryType } from '../generated/stock/Entry.definition.js';
import type { Hooks } from '../generated/stock/hooks.js';
export const hooks = {
  types: {
    Item: {
      async inTransaction({ created, destroyed }, _call, tx) {
        if (created.length + destroyed.length < 2) return;
        const create = { e: { text: 'x'.repeat(created.length) } };
        await tx.set(entryType, { create }).catch(() => {
          throw new HookRefusal('forbidden', 'There is no room.');
        });
      },
    },
  },
} satisfies Hooks;
`;

export function stockProject(): Promise<QuotaProject> {
  return makeProject({ 'stock.yaml': YAML, 'stock.hooks.ts': HOOKS });
}

const ACCOUNTS = ['a1', 'a2'];
const COUNTS: Readonly<Record<string, number>> = { items: 60, notes: 150 };

/** Makes random calls, and checks that each quota says what there is. */
export async function makeRandomCalls(rig: QuotaRig, calls: number, seed: number): Promise<void> {
  const random = new Random(seed);
  const pick = (most: number): number => random.integer(0, most - 1);
  const ids = async (type: string, accountId: string): Promise<string[]> =>
    (await rig.call(`${type}/query`, { accountId })).ids;
  const some = (of: readonly string[], most: number): string[] =>
    [
      ...new Set(
        Array.from({ length: pick(most + 1) }, () => of[pick(Math.max(1, of.length))] ?? ''),
      ),
    ].filter((id) => id !== '');
  const text = (): string => 'é'.repeat(pick(200));
  const failures = new Map<string, number>();
  const note = (answer: Json): void => {
    const errors = [answer, ...Object.values({ ...answer.notCreated, ...answer.notUpdated })];
    for (const { error, type = error } of errors as Json[])
      if (type !== undefined) failures.set(type, (failures.get(type) ?? 0) + 1);
  };
  for (let round = 0; round < calls; round += 1) {
    const accountId = ACCOUNTS[pick(2)] ?? 'a1';
    const [shelves, items] = [await ids('Shelf', accountId), await ids('Item', accountId)];
    const anItem = (): object => ({
      shelfId: some(shelves, 1)[0] ?? null,
      besideId: some(items, 1)[0] ?? null,
      code: pick(2) === 0 ? null : `c${pick(50)}`,
      text: text(),
    });
    const create = Object.fromEntries(
      Array.from({ length: pick(8) }, (_, at) => [`k${at}`, anItem()]),
    );
    const update = Object.fromEntries(some(items, 3).map((id) => [id, { text: text() }]));
    const kind = pick(10);
    if (kind < 6) {
      const ifInState = kind === 0 ? { ifInState: '0' } : {};
      const destroy = some(items, 4);
      note(await rig.call('Item/set', { accountId, create, update, destroy, ...ifInState }));
    } else if (kind < 8) {
      const born = { s: { name: text() }, t: { name: 'x' } };
      note(await rig.call('Shelf/set', { accountId, create: born, destroy: some(shelves, 2) }));
    } else if (kind === 8) {
      const [entries] = [await ids('Entry', accountId)];
      note(await rig.call('Entry/set', { accountId, destroy: some(entries, 30) }));
    } else {
      const copied = some(items, 3).map((id, at) => [
        `k${at}`,
        { id, shelfId: null, besideId: null },
      ]);
      const [fromAccountId, target] = [accountId, accountId === 'a1' ? 'a2' : 'a1'];
      note(
        await rig.call('Item/copy', {
          ...{ fromAccountId, accountId: target, create: Object.fromEntries(copied) },
          onSuccessDestroyOriginal: pick(2) === 0,
        }),
      );
    }
    if (round % 20 === 0) await check(rig);
  }
  await check(rig);
  // Otherwise the calls have tried too little.
  expect([...failures.keys()]).toEqual(
    expect.arrayContaining(['overQuota', 'alreadyExists', 'stateMismatch', 'forbidden']),
  );
}

async function check({ served }: QuotaRig): Promise<void> {
  const { store, registry } = served;
  const { quotas } = registry;
  if (quotas === null) throw new Error('There are no quotas.');
  for (const accountId of ACCOUNTS) {
    const deadline = performance.now() + 60_000;
    const checked = await checkUsage({ store, conductor, quotas }, accountId, { deadline });
    for (const { name, used, counted } of checked) {
      expect(used, `${name} of ${accountId}`).toBe(counted);
      expect(used).toBeLessThanOrEqual(COUNTS[name] ?? Number.POSITIVE_INFINITY);
    }
  }
}
