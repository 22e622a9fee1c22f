import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory } from '../../src/index.js';
import { failStore } from '../support/failing-store.js';
import { useGadgets } from '../support/gadgets.js';
import { limitRoom, limitStore } from '../support/limited-store.js';
import { pageStore } from '../support/paged-store.js';
import { followCommits } from '../support/wrap-store.js';

// Files whose store has no room, was emptied, or has nothing else.

const served = useGadgets({ MAX_SIZE_UPLOAD: '1000000' });
afterEach(() => served.goOnline());

type Account = Awaited<ReturnType<typeof open>>['me'];

async function open(store: ReturnType<typeof memory>) {
  const jmap = await served.connect({ store });
  await jmap.sync.settled();
  return { jmap, me: jmap.account() };
}

/** Returns whether a store has the octets of a file. */
async function hasOctets(store: ReturnType<typeof memory>, key: string): Promise<boolean> {
  const data = await store.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
  const rows = await data.load('meta', 'upload ');
  const [name = ''] = rows.map(([one]) => one).filter((one) => one.endsWith(key));
  return (await data.loadBlob(name)) !== null;
}

describe('files of a full store', () => {
  it('make room where the server has them and no write names them', async () => {
    let most = Number.POSITIVE_INFINITY;
    const kept = memory();
    const { store, used } = limitRoom(kept, () => most);
    const { jmap, me } = await open(store);
    const [sent, named] = [me.upload('s'.repeat(5000)), me.upload('n'.repeat(5000))];
    expect(await sent.result).toMatchObject({ ok: true });
    expect(await named.result).toMatchObject({ ok: true });
    served.goOffline();
    const pending = me.upload('p'.repeat(5000));
    expect(await pending.saved).toBe(true);
    expect(await me.Gadget.create({ title: 'Named', blobId: named }).saved).toBe(true);
    for (const { key } of [sent, named, pending]) expect(await hasOctets(kept, key)).toBe(true);
    most = used();
    const write = me.Gadget.create({ title: 'Pending', blobId: pending });
    expect(await write.saved).toBe(true);
    expect(await hasOctets(kept, sent.key)).toBe(false);
    for (const { key } of [named, pending]) expect(await hasOctets(kept, key)).toBe(true);
    expect(jmap.sync.getSnapshot()).toMatchObject({ storage: 'kept' });
    await jmap.close();
    served.goOnline();
    const again = await open(kept);
    expect(await served.readFiles('Pending')).toEqual(['p'.repeat(5000)]);
    expect(await served.readFiles('Named')).toEqual(['n'.repeat(5000)]);
    expect(again.jmap.problems.getSnapshot()).toEqual([]);
    // The server has it still.
    const late = again.me.Gadget.create({ title: 'Late', blobId: sent.key });
    expect(await late.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Late')).toEqual(['s'.repeat(5000)]);
  });
});

describe('a file of a store that was lost', () => {
  it('is written again only where the store lacks it', async () => {
    const kept = memory();
    const written: string[] = [];
    const failing = failStore(
      limitStore(kept, (changes) => {
        for (const { table, value } of changes)
          if (table === 'blobs' && value !== undefined)
            written.push(new TextDecoder().decode(value));
        return 'kept';
      }),
    );
    const { jmap, me } = await open(failing.store);
    served.goOffline();
    const before = me.upload('before');
    expect(await before.saved).toBe(true);
    failing.lose();
    const meanwhile = me.upload('meanwhile');
    expect(await meanwhile.saved).toBe(false);
    failing.find();
    await eventually(() => expect(jmap.sync.getSnapshot().storage).toBe('kept'));
    await eventually(async () => expect(await hasOctets(kept, meanwhile.key)).toBe(true));
    expect(written).toEqual(['before', 'meanwhile']);
  });
});

describe('a store that is open again, and read anew', () => {
  /** Opens a client that hasn't read all, and whose lost store is found again: a commit waits. */
  async function openHeld(before: (me: Account) => Promise<unknown> = async () => undefined) {
    const kept = memory();
    const first = await open(kept);
    for (const title of ['One', 'Two', 'Three'])
      await first.me.Gadget.create({ title: `Paged ${title}` }).result;
    await first.jmap.close();
    const paged = pageStore(kept, 1);
    paged.hold();
    let isHeld = false;
    const held: (() => void)[] = [];
    const slow = followCommits(paged.store, () =>
      isHeld ? new Promise<void>((resolve) => held.push(resolve)) : undefined,
    );
    const failing = failStore(slow);
    served.goOffline();
    const jmap = await served.connect({ store: failing.store, username: 'u1' });
    const me = jmap.account();
    await before(me);
    failing.lose();
    // The client notices.
    expect(await me.upload('earlier').saved).toBe(false);
    isHeld = true;
    failing.find();
    await eventually(() => expect(held).toHaveLength(1));
    isHeld = false;
    return {
      ...{ jmap, me },
      async release() {
        for (const each of held) each();
        paged.release();
        await eventually(() => expect(jmap.sync.getSnapshot().storage).toBe('kept'));
        served.goOnline();
        jmap.sync.wake();
      },
    };
  }

  it('takes no file away that it has yet to get', async () => {
    const { jmap, me, release } = await openHeld();
    const scan = me.upload('meanwhile');
    const write = me.Gadget.create({ title: 'Paged', blobId: scan });
    await release();
    expect(await write.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Paged')).toEqual(['meanwhile']);
    expect(jmap.problems.getSnapshot()).toEqual([]);
  });

  it('takes no write back that it has yet to get', async () => {
    let create: ReturnType<Account['Gadget']['create']> | null = null;
    const { jmap, me, release } = await openHeld((account) => {
      create = account.Gadget.create({ title: 'Before', rank: 1 });
      return create.saved;
    });
    const { object } = create as unknown as ReturnType<Account['Gadget']['create']>;
    const update = me.Gadget.update(object.id, { title: 'After' });
    await release();
    expect(await update.result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    const { list } = await (await served.elsewhere()).Gadget.get();
    expect(list.filter(({ title }) => /Before|After/.test(title))).toMatchObject([
      { title: 'After', rank: 1 },
    ]);
  });
});

describe('files of a store that the browser has emptied', () => {
  it('are in the store again, and sent by the next program', async () => {
    const failing = failStore(memory());
    const { jmap, me } = await open(failing.store);
    served.goOffline();
    const scan = me.upload('before');
    const write = me.Gadget.create({ title: 'Emptied', blobId: scan });
    expect([await scan.saved, await write.saved]).toEqual([true, true]);
    failing.lose();
    // The client notices.
    const late = me.upload('meanwhile');
    expect(await late.saved).toBe(false);
    me.Gadget.create({ title: 'Meanwhile', blobId: late });
    const empty = memory();
    failing.find(empty);
    await eventually(() => expect(jmap.sync.getSnapshot().storage).toBe('kept'));
    for (const { key } of [scan, late])
      await eventually(async () => expect(await hasOctets(empty, key)).toBe(true));
    await jmap.close();
    served.goOnline();
    const again = await open(empty);
    expect(again.jmap.problems.getSnapshot()).toEqual([]);
    expect(await served.readFiles('Emptied')).toEqual(['before']);
    expect(await served.readFiles('Meanwhile')).toEqual(['meanwhile']);
  });
});

it('a file of an account without other rows is sent by the next program', async () => {
  const store = memory();
  served.goOffline();
  const first = await served.connect({ store });
  const { saved } = first.account().upload('alone');
  expect(await saved).toBe(true);
  await first.close();
  served.goOnline();
  const before = served.proxy().seen.length;
  const next = await served.connect({ store });
  const uploads = () =>
    served
      .proxy()
      .seen.slice(before)
      .filter(({ path }) => path.includes('/upload/'));
  await expect.poll(uploads).toHaveLength(1);
  await next.close();
});
