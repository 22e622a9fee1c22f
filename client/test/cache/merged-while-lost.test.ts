import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory } from '../../src/index.js';
import { failStore } from '../support/failing-store.js';
import { useGadgets } from '../support/gadgets.js';
import { openBrowser } from '../support/shared-store.js';
import { wrapStore } from '../support/wrap-store.js';

// Tabs make several writes of an object one. While a tab has lost the store, others may be sending
// them, or add their own.

const served = useGadgets();
afterEach(() => served.goOnline());

function makeNet(inner: typeof fetch) {
  const net = { isOnline: true, gate: null as Promise<void> | null };
  const own: typeof fetch = async (url, init) => {
    if (!net.isOnline) throw new TypeError('offline');
    const response = await inner(url, init);
    if (init?.method === 'POST') await net.gate;
    return response;
  };
  return { net, fetch: own };
}

const onServer = async (title: string) =>
  (await (await served.elsewhere()).Gadget.get()).list.filter((each) => each.title === title);

describe('a tab whose store is lost while a request is under way', () => {
  it.each(['update', 'destroy'])('loses no %s that it makes then', async (kind) => {
    const openTab = openBrowser();
    const tabs = [openTab(), openTab()] as const;
    const failing = failStore(tabs[0].store);
    const nets = [makeNet(tabs[0].fetch), makeNet(tabs[1].fetch)] as const;
    const one = await served.connect({ store: failing.store, fetch: nets[0].fetch });
    await one.sync.settled();
    const two = await served.connect({ store: tabs[1].store, fetch: nets[1].fetch });
    await two.sync.settled();
    const thing = one.account().Gadget.create({ title: `G ${kind}` });
    await one.sync.settled();
    await two.sync.settled();
    // A request is under way.
    let release = (): void => undefined;
    nets[0].net.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const flying = one.account().Gadget.create({ title: 'in flight' });
    await eventually(async () => expect(await onServer('in flight')).not.toEqual([]));
    const me = one.account();
    const other = `new ${kind}`;
    const first =
      kind === 'update'
        ? me.Gadget.update(thing.object.$key as never, { rank: 1 })
        : me.Gadget.create({ title: other });
    expect(await first.saved).toBe(true);
    failing.lose();
    const second =
      kind === 'update'
        ? me.Gadget.update(thing.object.$key as never, { meta: { note: 'second' } })
        : me.Gadget.destroy((first as never as { object: { $key: never } }).object.$key);
    expect(await second.saved).toBe(false);
    release();
    expect(await flying.result).toMatchObject({ ok: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
    nets[0].net.isOnline = false;
    nets[0].net.gate = null;
    await two.sync.settled();
    failing.find();
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('kept'));
    nets[0].net.isOnline = true;
    await one.sync.settled();
    expect(await first.result).toMatchObject({ ok: true });
    expect(await second.result).toMatchObject({ ok: true });
    if (kind === 'update')
      expect(await onServer(`G ${kind}`)).toMatchObject([{ rank: 1, meta: { note: 'second' } }]);
    else expect(await onServer(other)).toEqual([]);
  });
});

describe('a tab whose store is lost as it makes two writes one', () => {
  it('takes nothing away that another tab has added to them', async () => {
    const openTab = openBrowser();
    const tabs = [openTab(), openTab()] as const;
    const failing = failStore(tabs[0].store);
    let isArmed = true;
    const store = wrapStore(failing.store, (open) => ({
      commit(rows, options) {
        const isTidy = rows.some(
          ({ table, value }) =>
            table === 'log' && ((value as { ids?: string[] } | undefined)?.ids?.length ?? 0) > 1,
        );
        if (isArmed && isTidy) failing.lose();
        return open.commit(rows, options);
      },
    }));
    const nets = [makeNet(tabs[0].fetch), makeNet(tabs[1].fetch)] as const;
    const one = await served.connect({ store, fetch: nets[0].fetch });
    await one.sync.settled();
    const two = await served.connect({ store: tabs[1].store, fetch: nets[1].fetch });
    await two.sync.settled();
    const thing = one.account().Gadget.create({ title: 'G3' });
    await one.sync.settled();
    await two.sync.settled();
    let release = (): void => undefined;
    nets[0].net.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    one.account().Gadget.create({ title: 'in flight 3' });
    await eventually(async () => expect(await onServer('in flight 3')).not.toEqual([]));
    const key = thing.object.$key as never;
    served.proxy().decide(({ path }) => (path.includes('upload') ? 'drop' : 'pass'));
    const writes = [
      one.account().Gadget.update(key, { blobId: one.account().upload('octets') }),
      one.account().Gadget.update(key, { meta: { note: 'second' } }),
    ];
    // Something else to send.
    const more = one.account().Gadget.create({ title: 'more 3' });
    for (const { saved } of [...writes, more]) expect(await saved).toBe(true);
    release();
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('lost'));
    isArmed = false;
    nets[0].net.isOnline = false;
    nets[0].net.gate = null;
    await eventually(() => expect(two.sync.getSnapshot().pending).toBe(1));
    const third = two.account().Gadget.update(key, { rank: 1 });
    expect(await two.account().Gadget.create({ title: 'kick 3' }).result).toMatchObject({
      ok: true,
    });
    expect(await third.saved).toBe(true);
    // All three are one here.
    two.sync.wake();
    await eventually(() => expect(two.sync.getSnapshot().pending).toBe(1));
    failing.find();
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('kept'));
    nets[0].net.isOnline = true;
    served.goOnline();
    await two.sync.settled();
    await one.sync.settled();
    await two.sync.settled();
    const ends = await Promise.all([...writes, third].map(({ result }) => result));
    expect(ends).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    const [found] = await onServer('G3');
    expect([found?.rank, found?.meta, typeof found?.blobId]).toEqual([
      1,
      { note: 'second' },
      'string',
    ]);
  });
});

describe('a client whose store is lost as it starts', () => {
  it('keeps a write whose file it has not read', async () => {
    const shared = memory();
    served.goOffline();
    const before = await served.connect({ store: shared });
    const scan = before.account().upload('octets of H');
    const write = before.account().Gadget.create({ title: 'H', blobId: scan });
    expect([await scan.saved, await write.saved]).toEqual([true, true]);
    await before.close();
    served.goOnline();
    const failing = failStore(shared);
    let isArmed = true;
    const store = wrapStore(failing.store, (open) => ({
      load(table, prefix) {
        if (isArmed && table === 'meta' && prefix?.startsWith('upload ')) {
          isArmed = false;
          failing.lose();
        }
        return open.load(table, prefix);
      },
    }));
    const after = await served.connect({ store });
    await eventually(() => expect(after.sync.getSnapshot().storage).toBe('lost'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    failing.find();
    await eventually(() => expect(after.sync.getSnapshot().storage).toBe('kept'));
    await after.sync.settled();
    expect(after.problems.getSnapshot()).toEqual([]);
    expect(await served.readFiles('H')).toEqual(['octets of H']);
  });
});
