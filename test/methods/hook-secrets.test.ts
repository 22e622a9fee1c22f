import { afterEach, expect, it, vi } from 'vitest';
import type { HookTransaction } from '../../src/capability/hooks.js';
import { eventually } from '../support/poll.js';
import { described } from './described-type.js';
import { CORE, type Json, Rig } from './rig.js';

/** Secrets that hooks set: their hashes are made while the transaction is open. */

const { capability, tables } = described({
  Safe: { properties: { pin: { type: ['string', 'null'], access: 'secret' } } },
  Key: { properties: { count: { type: 'integer', default: 1 } } },
});
const [Safe] = capability.dataTypes;

/** Each key makes so many safes. */
const hooks = {
  types: {
    Key: {
      async inTransaction({ created }: Json, _call: unknown, tx: HookTransaction) {
        const create = Array.from({ length: created[0].count }, (_, n) => [
          `s${n}`,
          { pin: `${n}` },
        ]);
        if (Safe !== undefined) await tx.set(Safe, { create: Object.fromEntries(create) });
      },
    },
  },
};

const soon = (): number => performance.now() + 60_000;
let rig: Rig;
/** The users whose hashes have begun, in order. */
let begun: string[];

/** `timeout`: HOOK_TIMEOUT. */
function start(timeout: number): void {
  rig = new Rig({}, { more: { tables, capability: { ...capability, hooks } as never }, timeout });
  begun = [];
  const { hashing } = rig.services;
  const run = hashing.run.bind(hashing);
  vi.spyOn(hashing, 'run').mockImplementation((user, deadline, work, ...more) => {
    const noted = (): ReturnType<typeof work> => {
      begun.push(user);
      return work();
    };
    return run(user, deadline, noted, ...more);
  });
}
afterEach(() => rig.close());

const makeKey = (count: number): Promise<Json> =>
  rig.call('Key/set', { create: { k: { count } } }, { using: [CORE, capability.urn] });

it('go before those of calls that have no transaction yet', async () => {
  start(10_000);
  const { hashing } = rig.services;
  const ends: (() => void)[] = [];
  const others = ['a', 'b', 'c', 'd'].map((user) =>
    hashing.run(user, soon(), () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  const answer = makeKey(1);
  await eventually(async () => expect(hashing.run).toHaveBeenCalledTimes(5));
  ends.shift()?.();
  expect(await answer).toMatchObject({ notCreated: null, created: { k: {} } });
  expect(begun).toEqual(['a', 'b', 'u1', 'c']);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(others);
  expect(rig.rows('SELECT "pin" FROM "Safe"')).toEqual([
    { pin: expect.stringMatching(/^scrypt\$/) },
  ]);
});

it('end with the time of the hooks: none is made for a call that was given up', async () => {
  start(300);
  const answer = await makeKey(500);
  expect(answer).toMatchObject({ error: 'serverFail' });
  expect(answer.description).toContain('HOOK_TIMEOUT');
  const made = begun.length;
  expect(made).toBeLessThan(400);
  // Another user's turn comes behind what was running.
  await rig.services.hashing.run('other', soon(), async () => undefined);
  await rig.services.hashing.run('other', soon(), async () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(begun.filter((user) => user === 'u1').length).toBeLessThanOrEqual(made + 1);
  expect(rig.rows('SELECT "id" FROM "Safe"')).toEqual([]);
});
