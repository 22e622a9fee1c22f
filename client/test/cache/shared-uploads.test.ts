import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import type { CachedClient } from '../../src/index.js';
import { memory } from '../../src/persist/memory.js';
import type { BlobChange, Change, Store } from '../../src/persist/port.js';
import { type GadgetsProject, useGadgets } from '../support/gadgets.js';
import { openBrowser, type Tab } from '../support/shared-store.js';
import { followCommits, wrapStore } from '../support/wrap-store.js';

// Files of tabs that share a store.

const served = useGadgets();
const opened: Tab[] = [];
afterEach(() => {
  served.goOnline();
  for (const tab of opened.splice(0)) tab.thaw();
});

type Client = CachedClient<GadgetsProject>;
type Options = NonNullable<Parameters<typeof served.connect>[0]>;

async function openTabs({ shared, ...options }: Options & { readonly shared?: Store } = {}) {
  const openTab = openBrowser(shared);
  const tabs = [openTab(), openTab()] as const;
  opened.push(...tabs);
  const open = async ({ store, fetch }: (typeof tabs)[number], more: Options = {}) => {
    const client = await served.connect({ store, fetch, ...options, ...more });
    await client.sync.settled();
    return client;
  };
  return { tabs, open };
}

const isUpload = ({ path }: { readonly path: string }) => path.startsWith('/jmap/upload');
const dropUploads = () => served.proxy().decide((request) => (isUpload(request) ? 'drop' : 'pass'));

const sets = () =>
  served.proxy().seen.flatMap(({ text }) => (text.includes('"Gadget/set"') ? [text] : []));

const pendingIn = (client: Client): number => client.sync.getSnapshot().pending;

const rowIn = (client: Client, title: string) =>
  client
    .account()
    .Gadget.live()
    .getSnapshot()
    .rows.find((row) => row.title === title);

/** A `fetch` that makes the server miss the file of the first `faults` writes that name one. */
function missFiles(inner: typeof fetch, faults: number): typeof fetch {
  let left = faults;
  return (url, init) => {
    const body = String(init?.body);
    if (!body.includes('"blobId":"') || left-- <= 0) return inner(url, init);
    return inner(url, { ...init, body: body.replace(/"blobId":"[^"]+"/, '"blobId":"gone"') });
  };
}

describe('a file of a tab', () => {
  it('is sent by another one where its tab ends, with the write that names it', async () => {
    const { tabs, open } = await openTabs();
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const scan = one.account().upload('left behind');
    const write = one.account().Gadget.create({ title: 'Left', blobId: scan });
    expect([await scan.saved, await write.saved]).toEqual([true, true]);
    await eventually(() => expect(rowIn(two, 'Left')).toMatchObject({ blobId: scan.key }));
    tabs[0].kill();
    served.goOnline();
    await eventually(async () => expect(await served.readFiles('Left')).toEqual(['left behind']));
    await eventually(() => expect(pendingIn(two)).toBe(0));
  });

  it('is sent by another one where its tab is closed', async () => {
    const { tabs, open } = await openTabs();
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const scan = one.account().upload('closed');
    const write = two.account().Gadget.create({ title: 'Closed', blobId: scan.key });
    expect([await scan.saved, await write.saved]).toEqual([true, true]);
    await one.close();
    served.goOnline();
    await two.sync.settled();
    expect(await write.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Closed')).toEqual(['closed']);
  });

  it('that its tab has sent without a word of it is not sent again', async () => {
    let isOver = false;
    const shared = followCommits(memory(), (rows) => {
      const isSent = rows.some(
        ({ key, value }) => /^upload /.test(key) && JSON.stringify(value)?.includes('sentAt'),
      );
      if (!isSent || isOver) return undefined;
      isOver = true;
      tabs[0].kill();
      return tabs[0].wait();
    });
    const { tabs, open } = await openTabs({ shared });
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const scan = one.account().upload('sent silently');
    one.account().Gadget.create({ title: 'Silent', blobId: scan });
    await eventually(() => expect(rowIn(two, 'Silent')).toMatchObject({ blobId: scan.key }));
    served.goOnline();
    await eventually(async () =>
      expect(await served.readFiles('Silent')).toEqual(['sent silently']),
    );
    await eventually(() => expect(pendingIn(two)).toBe(0));
  });

  it('stays sent where its tab reads the store meanwhile', async () => {
    let wait: (() => Promise<void>) | null = null;
    const shared = wrapStore(memory(), (open) => ({
      async load(table, prefix) {
        const rows = await open.load(table, prefix);
        if (prefix?.startsWith('upload ') && rows.length > 0) await wait?.();
        return rows;
      },
    }));
    const { tabs, open } = await openTabs({ shared });
    let begin: () => void = () => undefined;
    const isReading = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const fetchLate: typeof fetch = async (url, init) => {
      if (String(url).includes('/jmap/upload')) await isReading;
      return tabs[0].fetch(url, init);
    };
    const one = await open(tabs[0], { fetch: fetchLate });
    served.proxy().decide((request) => (isUpload(request) ? 'pass' : 'drop'));
    const { length } = served.proxy().seen;
    const scan = one.account().upload('read meanwhile');
    const isSent = scan.result.then(() => undefined);
    wait = () => {
      begin();
      return isSent;
    };
    const write = one.account().Gadget.create({ title: 'Meanwhile', blobId: scan });
    // A client that gets a further account reads what other tabs may have of it.
    one.account('further' as never);
    await isSent;
    wait = null;
    served.goOnline();
    expect(await write.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Meanwhile')).toEqual(['read meanwhile']);
    await one.sync.settled();
    expect(served.proxy().seen.slice(length).filter(isUpload)).toHaveLength(1);
  });

  it('is missing where its tab ends and had it in memory alone', async () => {
    const { tabs, open } = await openTabs({ uploadQuota: 1 });
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const scan = one.account().upload('in memory');
    const write = one.account().Gadget.create({ title: 'Memory', blobId: scan });
    expect([await scan.saved, await write.saved]).toEqual([false, true]);
    await eventually(() => expect(rowIn(two, 'Memory')).toBeDefined());
    expect(pendingIn(two)).toBe(1);
    tabs[0].kill();
    await eventually(() =>
      expect(two.problems.getSnapshot()).toMatchObject([
        { values: { title: 'Memory' }, error: { type: 'dependencyFailed' } },
      ]),
    );
    expect(sets()).toEqual([]);
  });

  it.each([{ isThere: true }, { isThere: false }])(
    'that a write of another tab lacks is sent again (its tab is there: $isThere)',
    async ({ isThere }) => {
      const { tabs, open } = await openTabs();
      let isOffline = false;
      const fetchOfOne: typeof fetch = async (url, init) => {
        if (isOffline && !String(url).includes('upload')) throw new TypeError('offline');
        return tabs[0].fetch(url, init);
      };
      const one = await open(tabs[0], { fetch: fetchOfOne });
      const two = await open(tabs[1], { fetch: missFiles(tabs[1].fetch, 1) });
      const scan = one.account().upload('again');
      expect(await scan.result).toMatchObject({ ok: true });
      await eventually(() => expect(pendingIn(two)).toBe(0));
      // The other tab sends the write, and hears that the file is missing.
      isOffline = true;
      if (!isThere) tabs[0].kill();
      const write = two.account().Gadget.create({ title: `Again ${isThere}`, blobId: scan.key });
      expect(await write.result).toMatchObject({ ok: true });
      expect(await served.readFiles(`Again ${isThere}`)).toEqual(['again']);
      expect(sets()).toHaveLength(2);
      expect(served.proxy().seen.filter(isUpload)).toHaveLength(2);
    },
  );

  it('that the server lacks again and again is refused', async () => {
    const { tabs, open } = await openTabs();
    const one = await open(tabs[0]);
    const two = await open(tabs[1], { fetch: missFiles(tabs[1].fetch, 9) });
    const scan = one.account().upload('never');
    await scan.result;
    tabs[0].kill();
    const write = two.account().Gadget.create({ title: 'Never', blobId: scan.key });
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    expect(sets()).toHaveLength(2);
  });

  it('that ends takes its writes out of the log under the epoch of a turn alone', async () => {
    const inner = memory();
    const removals: (number | undefined)[] = [];
    const shared = wrapStore(inner, (store) => ({
      commit(changes, options) {
        const isRemoval = ({ table, value }: Change | BlobChange): boolean =>
          table === 'log' && value === undefined;
        if (changes.some(isRemoval)) removals.push(options.epoch);
        return store.commit(changes, options);
      },
    }));
    const { tabs, open } = await openTabs({ shared });
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const scan = one.account().upload('refused');
    const write = one.account().Gadget.create({ title: 'Refused', blobId: scan });
    await eventually(() => expect(rowIn(two, 'Refused')).toBeDefined());
    const update = two.account().Gadget.update(write.object.$key as never, { rank: 4 });
    await update.saved;
    served.proxy().decide((request) => (isUpload(request) ? { status: 403 } : 'pass'));
    await one.sync.settled();
    expect(await scan.result).toMatchObject({ ok: false });
    expect(await write.result).toMatchObject({ error: { type: 'dependencyFailed' } });
    expect(await update.result).toMatchObject({ ok: false });
    await eventually(() => expect([one, two].map(pendingIn)).toEqual([0, 0]));
    expect(removals.length).toBeGreaterThan(0);
    expect(removals).not.toContain(undefined);
  });
});

describe('a write', () => {
  it('that copies the key of a file of another tab waits for the file', async () => {
    const { tabs, open } = await openTabs();
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const scan = one.account().upload('copied');
    one.account().Gadget.create({ title: 'First', blobId: scan });
    await eventually(() => expect(rowIn(two, 'First')).toBeDefined());
    const blobId = rowIn(two, 'First')?.blobId ?? null;
    const write = two.account().Gadget.create({ title: 'Second', blobId });
    const other = two.account().Gadget.create({ title: 'Other' });
    expect(await other.result).toMatchObject({ ok: true });
    expect(pendingIn(two)).toBe(2);
    served.goOnline();
    expect(await write.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Second')).toEqual(['copied']);
    expect(sets().filter((text) => text.includes(scan.key))).toEqual([]);
  });

  it('that names a file which its program has ended is a problem, however often', async () => {
    const { tabs, open } = await openTabs();
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const controller = new AbortController();
    const scan = one.account().upload('ended', { signal: controller.signal });
    one.account().Gadget.create({ title: 'Ended', blobId: scan });
    await eventually(() => expect(rowIn(two, 'Ended')).toBeDefined());
    const blobId = rowIn(two, 'Ended')?.blobId ?? null;
    controller.abort();
    const missing = [{ values: { title: 'Ended' }, error: { type: 'dependencyFailed' } }];
    await eventually(() => expect(two.problems.getSnapshot()).toMatchObject(missing));
    two.problems.getSnapshot()[0]?.retry();
    const copy = two.account().Gadget.create({ title: 'Copy', blobId });
    const album = two.account().Gadget.create({ title: 'Album', album: { [scan.key]: true } });
    const child = two.account().Gadget.create({ title: 'Child', parentId: copy.object.id });
    for (const { result } of [copy, album, child])
      expect(await result).toMatchObject({ ok: false, error: { type: 'dependencyFailed' } });
    await two.sync.settled();
    await eventually(() => expect(two.problems.getSnapshot()).toMatchObject(missing));
    expect(sets()).toEqual([]);
  });
});

describe('an account that the user has no more', () => {
  it('leaves no file of any tab, and ends their uploads', async () => {
    const run = (...args: readonly string[]) => served.server().tool('scripts/account', args);
    const id = (await run('create', '--name', 'Files', '--user', 'u1')) as never;
    const shared = memory();
    const names: string[] = [];
    const { tabs, open } = await openTabs({
      shared: {
        open: (name) => {
          names.push(name);
          return shared.open(name);
        },
      },
    });
    const [one, two] = [await open(tabs[0]), await open(tabs[1])];
    dropUploads();
    const mine = one.account(id).upload('of one');
    expect(await mine.saved).toBe(true);
    const theirs = two.account(id).upload('of two');
    expect(await theirs.saved).toBe(true);
    const kept = two.account().upload('kept');
    expect(await kept.saved).toBe(true);
    // The other tab has ended when the account goes: nobody takes its files away but this one.
    tabs[0].kill();
    await run('revoke', id, '--user', 'u1');
    await two.account().Gadget.get();
    await eventually(() => expect(two.session.accounts[id]).toBeUndefined());
    expect(await theirs.result).toMatchObject({ error: { type: 'accountNotFound' } });
    const store = await shared.open(names[0] ?? '');
    await eventually(async () =>
      expect((await store.load('meta', 'upload ')).map(([key]) => key.split(' ').at(-1))).toEqual([
        kept.key,
      ]),
    );
    for (const { key } of [mine, theirs])
      expect(await store.loadBlob(`upload ${id} ${key}`)).toBeNull();
    served.goOnline();
    expect(await kept.result).toMatchObject({ ok: true });
  });
});

describe('a file that the server had deleted', () => {
  it('is named by its new id, where a tab has sent it again and never told', async () => {
    let first = '';
    let isOver = false;
    const shared = followCommits(memory(), (rows) => {
      const row = rows.find(({ key }) => /^upload /.test(key))?.value as
        | { blobId?: string }
        | undefined;
      if (isOver || first === '' || row?.blobId === undefined || row.blobId === first)
        return undefined;
      isOver = true;
      tabs[1].kill();
      return tabs[1].wait();
    });
    const { tabs, open } = await openTabs({ shared });
    // The server has deleted the first file: a write can't name it, and its key is free again.
    const without =
      (inner: typeof fetch): typeof fetch =>
      (url, init) => {
        const headers = new Headers(init?.headers);
        headers.delete('idempotency-key');
        const body =
          first !== '' && typeof init?.body === 'string'
            ? init.body.replaceAll(`"blobId":"${first}"`, '"blobId":"gone"')
            : init?.body;
        return inner(url, { ...init, headers, ...(body !== undefined && { body }) });
      };
    const openIn = (tab: (typeof tabs)[number]) => open(tab, { fetch: without(tab.fetch) });
    const [one, two] = [await openIn(tabs[0]), await openIn(tabs[1])];
    const scan = two.account().upload('sent twice');
    const end = await scan.result;
    expect(end).toMatchObject({ ok: true });
    first = end.ok ? end.blob.blobId : '';
    two.account().Gadget.create({ title: 'Twice', blobId: scan.key });
    await eventually(() => expect(isOver).toBe(true));
    await eventually(() => expect(one.sync.getSnapshot().pending).toBe(0));
    expect(one.problems.getSnapshot()).toEqual([]);
    expect(await served.readFiles('Twice')).toEqual(['sent twice']);
  });
});
