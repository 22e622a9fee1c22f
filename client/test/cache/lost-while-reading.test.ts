import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import type { OpenStore } from '../../src/persist/port.js';
import { StoreLostError } from '../../src/persist/store-errors.js';
import { failStore } from '../support/failing-store.js';
import { useGadgets } from '../support/gadgets.js';
import { openBrowser } from '../support/shared-store.js';
import { wrapStore } from '../support/wrap-store.js';

// Tabs whose store is lost while they read it.

const served = useGadgets();
afterEach(() => served.goOnline());

async function countOf(title: string): Promise<number> {
  const { list } = await (await served.elsewhere()).Gadget.get();
  return list.filter((each) => each.title === title).length;
}

const isSent = (value: unknown): boolean =>
  typeof (value as { readonly sentAs?: unknown } | undefined)?.sentAs === 'string';

/** Returns a fetch that can be offline, or lose the answers. */
function makeNet(inner: typeof fetch) {
  const net = { isOnline: true, isMute: false };
  const own: typeof fetch = async (url, init) => {
    if (!net.isOnline) throw new TypeError('offline');
    const response = await inner(url, init);
    if (net.isMute) throw new TypeError('The answer is lost.');
    return response;
  };
  return { net, fetch: own };
}

/** Opens two tabs that are offline by then; the store of the first one can be lost. */
async function openTwo(ownCalls: (open: OpenStore, lose: () => void) => Partial<OpenStore>) {
  const openTab = openBrowser();
  const tabs = [openTab(), openTab()] as const;
  const failing = failStore(tabs[0].store);
  const store = wrapStore(failing.store, (open) => ownCalls(open, () => failing.lose()));
  const nets = [makeNet(tabs[0].fetch), makeNet(tabs[1].fetch)] as const;
  const one = await served.connect({ store, fetch: nets[0].fetch });
  await one.sync.settled();
  const two = await served.connect({ store: tabs[1].store, fetch: nets[1].fetch });
  await two.sync.settled();
  for (const { net } of nets) net.isOnline = false;
  return { failing, one, two, nets };
}

describe('a tab whose store is lost at the beginning of its turn', () => {
  it('goes on without it, and sends nothing again that another tab has sent', async () => {
    let isArmed = false;
    const { failing, one, two, nets } = await openTwo((open, lose) => ({
      load(table, prefix) {
        if (isArmed && prefix === 'problem ') lose();
        return open.load(table, prefix);
      },
    }));
    const made = one.account().Gadget.create({ title: 'once' });
    expect(await made.saved).toBe(true);
    await eventually(() => expect(two.sync.getSnapshot().pending).toBe(1));
    isArmed = true;
    nets[0].net.isOnline = true;
    one.sync.wake();
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('lost'));
    isArmed = false;
    await (await served.elsewhere()).Gadget.set({ create: { a: { title: 'far' } } });
    const lost = one.account().Gadget.create({ title: 'while lost' });
    one.sync.wake();
    const rows = () => one.account().Gadget.live().getSnapshot().rows;
    await eventually(() => expect(rows().map(({ title }) => title)).toContain('far'));
    expect(await lost.result).toMatchObject({ ok: true });
    nets[1].net.isOnline = true;
    await two.sync.settled();
    failing.find();
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('kept'));
    await one.sync.settled();
    expect(await made.result).toMatchObject({ ok: true });
    expect([await countOf('once'), await countOf('while lost')]).toEqual([1, 1]);
  });
});

describe('a tab whose store is lost as it plans a write', () => {
  it('leaves the request of another tab, which has planned it, too', async () => {
    let isArmed = true;
    const { failing, one, two, nets } = await openTwo((open, lose) => ({
      commit(rows, options) {
        const isPlan = rows.some(({ table, value }) => table === 'log' && isSent(value));
        if (isArmed && isPlan) lose();
        return open.commit(rows, options);
      },
    }));
    const made = one.account().Gadget.create({ title: 'planned twice' });
    expect(await made.saved).toBe(true);
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('lost'));
    isArmed = false;
    await eventually(() => expect(two.sync.getSnapshot().pending).toBe(1));
    // The answer to the other tab is lost.
    Object.assign(nets[1].net, { isOnline: true, isMute: true });
    two.sync.wake();
    await eventually(async () => expect(await countOf('planned twice')).toBe(1));
    nets[1].net.isOnline = false;
    failing.find();
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('kept'));
    nets[0].net.isOnline = true;
    await one.sync.settled();
    expect(await made.result).toMatchObject({ ok: true });
    expect(await countOf('planned twice')).toBe(1);
  });
});

describe('a file whose row could not be written', () => {
  it('is sent all the same, where its tab reads the store meanwhile', async () => {
    const tab = openBrowser()();
    let isArmed = false;
    const store = wrapStore(tab.store, (open) => ({
      async commit(rows, options) {
        if (isArmed && rows.some(({ key, value }) => /^upload /.test(key) && value !== undefined)) {
          isArmed = false;
          throw new StoreLostError('The disk fails.');
        }
        return open.commit(rows, options);
      },
    }));
    const one = await served.connect({ store, fetch: tab.fetch });
    await one.sync.settled();
    expect(await one.account().upload('earlier').result).toMatchObject({ ok: true });
    served.goOffline();
    isArmed = true;
    const scan = one.account().upload('only here');
    const write = one.account().Gadget.create({ title: 'Here', blobId: scan });
    // The store is read for a further account.
    one.account('further' as never);
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('lost'));
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('kept'));
    served.goOnline();
    await one.sync.settled();
    expect(await scan.result).toMatchObject({ ok: true });
    expect(await write.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Here')).toEqual(['only here']);
  });
});
