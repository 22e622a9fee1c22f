import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { useGadgets } from '../support/gadgets.js';
import { openBrowser, type Tab } from '../support/shared-store.js';

// Files of clients in tabs that share a store.

const served = useGadgets();

const connectIn = (tab: Tab, options: Parameters<typeof served.connect>[0] = {}) =>
  served.connect({ store: tab.store, fetch: tab.fetch, ...options });
type Client = Awaited<ReturnType<typeof connectIn>>;

/** Opens clients in two tabs of one browser. */
async function openTwo(options: Parameters<typeof served.connect>[0] = {}) {
  const openTab = openBrowser();
  const tabs = [openTab(), openTab()] as const;
  const one = await connectIn(tabs[0], options);
  await one.sync.settled();
  const two = await connectIn(tabs[1], options);
  await two.sync.settled();
  return { openTab, tabs, one, two };
}

const isUpload = ({ path }: { readonly path: string }) => path.startsWith('/jmap/upload');
const sentSets = () =>
  served
    .proxy()
    .seen.filter(({ text }) => text.includes('"Gadget/set"'))
    .map(({ text }) => text);
const countUploads = () => served.proxy().seen.filter(isUpload).length;
const pendingIn = (client: Client): number => client.sync.getSnapshot().pending;
const titlesIn = (client: Client) =>
  client
    .account()
    .Gadget.live()
    .getSnapshot()
    .rows.map(({ title }) => title);

/** The octets of the gadget of a title, as another device reads them. */
async function readElsewhere(title: string): Promise<readonly string[]> {
  const me = await served.elsewhere();
  const { list } = await me.Gadget.get({ properties: ['title', 'blobId'] });
  const ids = list.flatMap((gadget) => (gadget.title === title ? (gadget.blobId ?? '') : []));
  return Promise.all(ids.map(async (id) => (await me.download(id)).text()));
}

const dropUploads = () => served.proxy().decide((request) => (isUpload(request) ? 'drop' : 'pass'));
const passAll = () => served.proxy().decide(() => 'pass');

describe('a file of a tab', () => {
  it('is sent once, by its tab, however many are open', async () => {
    const { one, two } = await openTwo();
    const scan = one.account().upload('once');
    const { result } = one.account().Gadget.create({ title: 'Once', blobId: scan });
    expect(await result).toMatchObject({ ok: true });
    await eventually(() => expect(titlesIn(two)).toContain('Once'));
    expect(await readElsewhere('Once')).toEqual(['once']);
    expect(countUploads()).toBe(1);
  });

  it('is sent by another one where its tab ends without a word', async () => {
    const { tabs, one, two } = await openTwo();
    dropUploads();
    const scan = one.account().upload('orphan');
    const { saved } = one.account().Gadget.create({ title: 'Orphan', blobId: scan });
    expect([await scan.saved, await saved]).toEqual([true, true]);
    await eventually(() => expect(pendingIn(two)).toBe(1));
    tabs[0].kill();
    passAll();
    await eventually(async () => expect(await readElsewhere('Orphan')).toEqual(['orphan']));
    await eventually(() => expect(pendingIn(two)).toBe(0));
    expect(two.problems.getSnapshot()).toEqual([]);
    tabs[0].thaw();
  });

  it('that was in memory alone takes its writes along where its tab ends', async () => {
    const { tabs, one, two } = await openTwo({ uploadQuota: 1 });
    dropUploads();
    const scan = one.account().upload('memory');
    const { saved } = one.account().Gadget.create({ title: 'Memory', blobId: scan });
    expect([await scan.saved, await saved]).toEqual([false, true]);
    await eventually(() => expect(pendingIn(two)).toBe(1));
    tabs[0].kill();
    passAll();
    await eventually(() => {
      expect(two.problems.getSnapshot()).toMatchObject([
        { values: { title: 'Memory' }, error: { type: 'dependencyFailed' } },
      ]);
    });
    expect(pendingIn(two)).toBe(0);
    expect(sentSets()).toEqual([]);
    tabs[0].thaw();
  });

  it('is waited for by a write of another tab that names it too', async () => {
    const { one, two } = await openTwo();
    dropUploads();
    const scan = one.account().upload('shared');
    one.account().Gadget.create({ title: 'First', blobId: scan });
    await eventually(() => expect(titlesIn(two)).toContain('First'));
    const copy = two.account().Gadget.create({ title: 'Copy', blobId: scan.key });
    expect(await copy.saved).toBe(true);
    await eventually(() => expect(pendingIn(one)).toBe(2));
    expect(sentSets()).toEqual([]);
    passAll();
    expect(await copy.result).toMatchObject({ ok: true });
    expect(await readElsewhere('Copy')).toEqual(['shared']);
    expect(sentSets().join()).not.toContain(scan.key);
  });

  it('that the program ends takes the writes of all tabs along', async () => {
    const { one, two } = await openTwo();
    dropUploads();
    const controller = new AbortController();
    const scan = one.account().upload('aborted', { signal: controller.signal });
    one.account().Gadget.create({ title: 'Of one', blobId: scan });
    await eventually(() => expect(titlesIn(two)).toContain('Of one'));
    const copy = two.account().Gadget.create({ title: 'Of two', blobId: scan.key });
    await eventually(() => expect(pendingIn(one)).toBe(2));
    controller.abort();
    expect(await copy.result).toMatchObject({ ok: false, error: { type: 'dependencyFailed' } });
    await eventually(() => expect([pendingIn(one), pendingIn(two)]).toEqual([0, 0]));
    expect(titlesIn(one)).not.toContain('Of one');
    // A write that names it later ends in the same way.
    const late = two.account().Gadget.create({ title: 'Late', blobId: scan.key });
    expect(await late.result).toMatchObject({ ok: false, error: { type: 'dependencyFailed' } });
    await eventually(() => expect(one.problems.getSnapshot()).toMatchObject([{}]));
    one.problems.getSnapshot()[0]?.retry();
    await one.sync.settled();
    expect(one.problems.getSnapshot()).toMatchObject([{ error: { type: 'dependencyFailed' } }]);
    expect(sentSets()).toEqual([]);
    passAll();
  });

  it('is sent again by another tab that hears that the server lacks it', async () => {
    const openTab = openBrowser();
    const [first, second] = [openTab(), openTab()];
    const one = await connectIn(first);
    await one.sync.settled();
    let faults = 1;
    const two = await connectIn(second, {
      fetch: (url, init) => {
        const body = String(init?.body);
        if (!body.includes('"blobId":') || faults-- <= 0) return second.fetch(url, init);
        const spoilt = body.replace(/"blobId":"[^"]+"/, '"blobId":"gone"');
        return second.fetch(url, { ...init, body: spoilt });
      },
    });
    await two.sync.settled();
    const scan = one.account().upload('again');
    expect(await scan.result).toMatchObject({ ok: true });
    await one.close();
    const copy = two.account().Gadget.create({ title: 'Again', blobId: scan.key });
    expect(await copy.result).toMatchObject({ ok: true });
    expect(await readElsewhere('Again')).toEqual(['again']);
    expect(countUploads()).toBeGreaterThan(1);
  });
});
