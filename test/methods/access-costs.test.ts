import { afterEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import { Rig, U1 } from './rig.js';
import { viewer } from './viewers.js';
import { Widget } from './widget.js';

// The same calls with a type that has access rules and with one that has none, in statements.

const RULES: readonly AccessRule[] = [
  { who: { kind: 'property', property: 'tags' }, read: true, create: true, update: true },
  { who: { kind: 'everyone' }, where: [{ property: 'rankNumber', values: [1] }], read: true },
];
const PART = viewer('u2');

/** Every second one is named to PART. */
const OBJECTS = Array.from({ length: 20 }, (_, index) => ({
  title: `t${index}`,
  rankNumber: 2,
  ...(index % 2 === 0 && { tags: { u2: true } }),
}));

/** Statements that rules add to a call, for the account's owner and for a user who sees a part. */
const EXTRA = {
  'the owner': { get: 0, query: 0, changes: 0, create: 1 },
  // The user's own state, and the scopes that it holds, are read besides.
  'a user of a part': { get: 1, query: 2, changes: 3, create: 4 },
} as const;

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

/** Returns how many statements each kind of call makes for a user. */
async function costsFor(access: readonly AccessRule[] | undefined, user: Principal, count: number) {
  const rig = new Rig({}, { widget: access === undefined ? Widget : { ...Widget, access } });
  rigs.push(rig);
  const ids = await rig.create('Widget', OBJECTS.slice(0, 2 * count));
  const { state } = await rig.call('Widget/get', { ids: [] }, { user });
  const cost = async (name: string, args: object): Promise<number> => {
    const before = rig.statements.length;
    const answer = await rig.call(name, args, { user });
    expect([answer.error, answer.notCreated ?? null]).toEqual([undefined, null]);
    return rig.statements.length - before;
  };
  const object = { title: 'new', tags: { u2: true } };
  const created = Array.from({ length: count }, (_, index) => [`k${index}`, object]);
  return {
    get: await cost('Widget/get', { ids }),
    query: await cost('Widget/query', { limit: 5, calculateTotal: true }),
    create: await cost('Widget/set', { create: Object.fromEntries(created) }),
    changes: await cost('Widget/changes', { sinceState: state }),
  };
}

describe('access rules', () => {
  it.each([
    ['the owner', U1, 1],
    ['the owner', U1, 10],
    ['a user of a part', PART, 1],
    ['a user of a part', PART, 10],
  ] as const)('for %s add a fixed number of statements to a call', async (who, user, count) => {
    const ruled = await costsFor(RULES, user, count);
    const open = await costsFor(undefined, U1, count);
    const names = ['get', 'query', 'changes', 'create'] as const;
    const extra = names.map((name) => [name, ruled[name] - open[name]]);
    expect(Object.fromEntries(extra)).toEqual(EXTRA[who]);
  });
});
