import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { AccessRule } from '../../src/capability/access-rules.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import type { Channel } from '../../src/push/channel.js';
import { Push } from '../../src/push/push.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import { property } from '../methods/gadget.js';
import { withOwn } from '../methods/own-values.js';
import { type Json, Rig } from '../methods/rig.js';
import { Shares, viewer } from '../methods/viewers.js';
import { folders, USING } from '../methods/viewers-tree.js';
import { Widget } from '../methods/widget.js';

// Users who see a part of a type are told of what they see.

const RULES: readonly AccessRule[] = [
  { who: { kind: 'share', right: 'mayRead' }, read: true },
  {
    who: { kind: 'role', role: 'auditor' },
    where: [{ property: 'rankNumber', values: [1] }],
    read: true,
  },
];

const READER = viewer('u2');
const AUDITOR = viewer('u3', ['auditor']);

let rig: Rig;
let push: Push;
let shares: Shares;
/** Gives the last channel another principal. */
let follow: (principal: Principal) => void;

beforeEach(() => begin({ ...Widget, access: RULES }));

function begin(widget: DataTypeDefinition): void {
  rig = new Rig({}, { widget, more: folders() });
  shares = new Shares(rig, ['Widget']);
  const { store, registry } = rig.services;
  push = new Push({
    ...{ store, types: registry.stateTypes, viewRules: registry.relations.viewRules },
    live: {
      follow: (_, listener) => {
        follow = listener;
        return () => undefined;
      },
      lookNow: async () => undefined,
    },
    readEpoch: async () => 'e',
    hub: { publish: () => undefined, close: async () => undefined } as never,
    onError: (error) => {
      throw error;
    },
  });
}

async function end(): Promise<void> {
  push.close();
  await rig.close();
}
afterEach(end);

/** A receiver, and the states of widgets that it was told. */
async function open(
  principal: Principal,
  lastId: string | null = null,
  types: ReadonlySet<string> = new Set(['Widget']),
) {
  const told: string[] = [];
  const all: Json[] = [];
  const channel: Channel = await push.open(
    { kind: 'eventsource', principal, types, lastId },
    { wake: () => take(), ended: () => undefined },
  );
  function take(): void {
    const news = channel.take();
    const changed = news === null ? {} : (JSON.parse(news.changed) as Json);
    if (news !== null) all.push(changed.a1);
    if (changed.a1?.Widget !== undefined) told.push(changed.a1.Widget);
  }
  take();
  return { channel, told, all };
}

const stateOf = async (user: Principal): Promise<string> =>
  (await rig.call('Widget/get', { ids: [] }, { user })).state;

/** Returns how many numbers of views are read until everybody was told. */
async function countReads(write: () => Promise<unknown>, told: () => number): Promise<number> {
  const begin = rig.statements.length;
  const before = told();
  await write();
  await expect.poll(told).toBeGreaterThan(before);
  // The others were asked for in the same turn: their answers have come, too.
  const own = rig.statements.slice(begin);
  return own.filter((text) => text.startsWith('SELECT max("last")')).length;
}

describe('a commit', () => {
  it('has the views of the types read that it changes, and each view once', async () => {
    const again = tokenPrincipal('u3', 't-again', AUDITOR.accounts);
    const types = new Set(['Widget', 'Folder', 'Paper']);
    const receivers = [
      await open(AUDITOR, null, types),
      await open(AUDITOR),
      await open({ ...again, roles: AUDITOR.roles }),
      await open(READER, null, types),
    ];
    const countTold = () => Math.min(...receivers.slice(0, 3).map((one) => one.told.length));
    const write = (rankNumber: number) => rig.create('Widget', [{ title: 'a', rankNumber }]);
    expect(await countReads(() => write(1), countTold)).toBe(2);
    expect(await countReads(() => write(1), countTold)).toBe(2);
    expect(receivers[3]?.told).toEqual([]);
  });
});

describe('a user who sees a part of a type', () => {
  it('is told of what enters the view, changes in it and leaves it', async () => {
    const [id = '', other = ''] = await rig.create('Widget', [{ title: 'a' }, { title: 'b' }]);
    const { told } = await open(READER);
    const scope = [`Widget:${id}/mayRead`];
    await shares.toggle('u2', scope);
    await expect.poll(() => told.length).toBe(1);
    expect(told[0]).toBe(await stateOf(READER));
    await rig.call('Widget/set', { update: { [id]: { title: 'c' } } });
    await expect.poll(() => told.length).toBe(2);
    await rig.call('Widget/set', { update: { [other]: { title: 'c' } } });
    await shares.toggle('u2', scope);
    // The write in between is no reason to tell anything.
    await expect.poll(() => told.at(-1)).toBe(await stateOf(READER));
    expect(told).toHaveLength(3);
  });

  it('is told when it comes back, of what it has not been told alone', async () => {
    const [id = ''] = await rig.create('Widget', [{ title: 'a', rankNumber: 1 }]);
    const first = await open(AUDITOR);
    const lastId = first.channel.id;
    first.channel.close();
    await rig.create('Widget', [{ title: 'hidden' }]);
    const second = await open(AUDITOR, lastId);
    expect(second.told).toEqual([]);
    second.channel.close();
    await rig.call('Widget/set', { update: { [id]: { title: 'c' } } });
    const third = await open(AUDITOR, lastId);
    expect(third.told).toEqual([await stateOf(AUDITOR)]);
  });

  it('is told its states anew when its roles change', async () => {
    await rig.create('Widget', [{ title: 'a', rankNumber: 1 }]);
    const { told, channel } = await open(viewer('u3'));
    expect(told).toEqual([]);
    follow(AUDITOR);
    await expect.poll(() => told.length).toBe(1);
    expect(told[0]).toBe(await stateOf(AUDITOR));
    const lastId = channel.id;
    channel.close();
    const back = await open(viewer('u3'), lastId);
    await rig.create('Widget', [{ title: 'b', rankNumber: 1 }]);
    follow(AUDITOR);
    await expect.poll(() => back.told.length).toBe(1);
    expect(back.told[0]).toBe(await stateOf(AUDITOR));
  });

  it('is told of them although it sees all of another type before and after', async () => {
    await end();
    begin(withOwn(Widget, property('mark', 'integer', { default: 0, perUser: true })));
    await rig.create('Widget', [{ title: 'a' }]);
    await rig.call('Paper/set', { create: { k: { isPublic: true } } }, { using: USING });
    const types = new Set(['Widget', 'Paper']);
    const { all } = await open(viewer('u3'), null, types);
    expect(all).toEqual([]);
    follow(AUDITOR);
    const asked = { user: AUDITOR, using: USING };
    const { state } = await rig.call('Paper/get', { ids: [] }, asked);
    await expect.poll(() => all.at(-1)?.Paper).toBe(state);
  });
});
