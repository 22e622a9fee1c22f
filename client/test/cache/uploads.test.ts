import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory, type Progress } from '../../src/index.js';
import type { BlobChange, Change } from '../../src/persist/port.js';
import { useGadgets } from '../support/gadgets.js';
import { makeGate, refuseAll, times } from '../support/gate.js';
import { limitStore } from '../support/limited-store.js';
import { wrapStore } from '../support/wrap-store.js';

// Files that are kept with the writes that name them.

const served = useGadgets({ MAX_SIZE_UPLOAD: '1000000' });
afterEach(() => {
  vi.restoreAllMocks();
});

async function open(options: Parameters<typeof served.connect>[0] = {}) {
  const jmap = await served.connect(options);
  await jmap.sync.settled();
  return { jmap, me: jmap.account() };
}

const isUpload = ({ path }: { readonly path: string }) => path.startsWith('/jmap/upload');

/** The files and the /set calls that were sent. */
const sent = () =>
  served.proxy().seen.flatMap((request) => {
    if (isUpload(request)) return ['upload'];
    return request.text.includes('"Gadget/set"') ? ['set'] : [];
  });

describe('a file', () => {
  it('stands in the place of an id before the server has it', async () => {
    const { jmap, me } = await open();
    const steps: Progress[] = [];
    const file = new Blob(['picture'], { type: 'image/png' });
    const scan = me.upload(file, { onProgress: (progress) => steps.push(progress) });
    const write = me.Gadget.create({ title: 'Photo', blobId: scan, album: { [scan.key]: true } });
    expect(write.object).toMatchObject({ blobId: scan.key, $pending: true });
    const { url, revoke } = await me.blobUrl(scan.key);
    expect(await (await fetch(url)).text()).toBe('picture');
    revoke();
    expect(await scan.saved).toBe(true);
    await jmap.sync.settled();
    const end = await scan.result;
    const blobId = end.ok ? end.blob.blobId : '';
    expect(end).toMatchObject({ ok: true, blob: { size: 7, type: 'image/png' } });
    expect(await write.result).toMatchObject({ ok: true, object: { blobId } });
    expect(me.Gadget.live().getSnapshot().rows).toMatchObject([{ album: { [blobId]: true } }]);
    expect(sent()).toEqual(['upload', 'set']);
    expect(served.proxy().seen.find(isUpload)?.headers).toMatchObject({
      'idempotency-key': scan.key.slice(1),
      'content-type': 'image/png',
    });
    expect(await served.readFiles('Photo')).toEqual(['picture']);
    expect(steps.at(-1)).toEqual({ loaded: 7, total: 7 });
    // The key is as good as the id from then on.
    expect(await (await me.download(scan.key)).text()).toBe('picture');
  });

  it('waits in the store with the write that names it, and both are made once', async () => {
    const store = memory();
    const first = await open({ store });
    served.goOffline();
    const scan = first.me.upload('receipt');
    const write = first.me.Gadget.create({ title: 'Kept', blobId: scan });
    expect([await scan.saved, await write.saved]).toEqual([true, true]);
    await first.jmap.close();
    expect(await scan.result).toMatchObject({ ok: false, error: { type: 'closed' } });
    let losses = 2;
    served.proxy().decide((request) => (isUpload(request) && losses-- > 0 ? 'lose' : 'pass'));
    const again = await open({ store });
    expect(again.jmap.sync.getSnapshot()).toMatchObject({ pending: 0 });
    expect(await served.readFiles('Kept')).toEqual(['receipt']);
    expect(again.jmap.problems.getSnapshot()).toEqual([]);
  });

  it('holds up no write that does without it', async () => {
    const { jmap, me } = await open();
    served.proxy().decide((request) => (isUpload(request) ? 'drop' : 'pass'));
    const loaded: number[] = [];
    const onProgress = (progress: Progress) => loaded.push(progress.loaded);
    const scan = me.upload('late', { onProgress });
    const { object } = me.Gadget.create({ title: 'Late', blobId: scan });
    me.Gadget.update(object.id, { rank: 3 });
    const child = me.Gadget.create({ title: 'Child', parentId: object.id });
    const other = me.Gadget.create({ title: 'Other' });
    expect(await other.result).toMatchObject({ ok: true });
    expect(jmap.sync.getSnapshot().pending).toBe(2);
    served.goOnline();
    await jmap.sync.settled();
    expect(await child.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Late')).toEqual(['late']);
    expect(loaded).toEqual([0, 4]);
  });

  it('is sent again as late as the server says', async () => {
    const { jmap, me } = await open();
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const busy = { status: 503, headers: { 'retry-after': '99' } };
    served.proxy().decide((request) => (isUpload(request) ? busy : 'pass'));
    const scan = me.upload('later');
    const times = () => waits.mock.calls.map(([, time]) => time);
    await eventually(() => expect(times()).toContain(99_000), 20_000);
    expect(sent()).toEqual(['upload']);
    served.goOnline();
    await jmap.sync.settled();
    expect(await scan.result).toMatchObject({ ok: true });
  });

  it('at which the server fails holds up no other, nor the writes that name it', async () => {
    const { jmap, me } = await open();
    served
      .proxy()
      .decide((request) =>
        isUpload(request) && request.text.startsWith('bad') ? { status: 500 } : 'pass',
      );
    const bad = [me.upload('bad 1'), me.upload('bad 2')];
    const write = me.Gadget.create({ title: 'Good', blobId: me.upload('good') });
    expect(await write.result).toMatchObject({ ok: true });
    expect(await served.readFiles('Good')).toEqual(['good']);
    for (const text of ['bad 1', 'bad 2'])
      await eventually(() => {
        const tries = served.proxy().seen.filter((request) => request.text === text);
        expect(tries.length).toBeGreaterThan(1);
      }, 20_000);
    served.goOnline();
    await jmap.sync.settled();
    for (const scan of bad) expect(await scan.result).toMatchObject({ ok: true });
  });

  it('that the server wants later is not sent before, though another one is', async () => {
    const { jmap, me } = await open();
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const busy = { status: 503, headers: { 'retry-after': '99' } };
    served
      .proxy()
      .decide((request) => (isUpload(request) && request.text === 'late' ? busy : 'pass'));
    const late = me.upload('late');
    await eventually(() => {
      expect(waits.mock.calls.map(([, time]) => time)).toContain(99_000);
    }, 20_000);
    for (const octets of ['one', 'two'])
      expect(await me.upload(octets).result).toMatchObject({ ok: true });
    const texts = () =>
      served
        .proxy()
        .seen.filter(isUpload)
        .map(({ text }) => text);
    expect(texts()).toEqual(['late', 'one', 'two']);
    served.goOnline();
    await jmap.sync.settled();
    expect(await late.result).toMatchObject({ ok: true });
  });

  it('that the program ends takes the writes along that name it', async () => {
    const { jmap, me } = await open();
    const controller = new AbortController();
    served.goOffline();
    const scan = me.upload('no', { signal: controller.signal });
    const write = me.Gadget.create({ title: 'No', blobId: scan });
    const child = me.Gadget.create({ title: 'No child', parentId: write.object.id });
    const replaced = me.Gadget.create({ title: 'Replaced', blobId: scan });
    me.Gadget.update(replaced.object.id, { blobId: null });
    await scan.saved;
    controller.abort();
    const dependencyFailed = { ok: false, error: { type: 'dependencyFailed' } };
    expect(await scan.result).toMatchObject({ ok: false, error: { type: 'aborted' } });
    expect(await write.result).toMatchObject(dependencyFailed);
    expect(await child.result).toMatchObject(dependencyFailed);
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(await replaced.result).toMatchObject({ ok: true, object: { blobId: null } });
    expect(me.upload('no', { signal: controller.signal }).key).toMatch(/^~/);
    expect(await served.readFiles('No')).toEqual([]);
  });

  it('that the program ends takes a write along that waits for another file, at once', async () => {
    const { jmap, me } = await open();
    const controller = new AbortController();
    served
      .proxy()
      .decide((request) =>
        isUpload(request) && request.text === 'late' ? { status: 500 } : 'pass',
      );
    const [late, scan] = [me.upload('late'), me.upload('no', { signal: controller.signal })];
    const write = me.Gadget.create({ title: 'No', blobId: late, album: { [scan.key]: true } });
    await scan.saved;
    controller.abort();
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'dependencyFailed' } });
    served.goOnline();
    await jmap.sync.settled();
    expect(await late.result).toMatchObject({ ok: true });
    expect(await served.readFiles('No')).toEqual([]);
  });

  it('that the program ends is not sent, where the store is late to know of its end', async () => {
    const store = wrapStore(memory(), (opened) => ({
      async commit(changes, options) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return opened.commit(changes, options);
      },
    }));
    const { jmap, me } = await open({ store });
    served.goOffline();
    const controller = new AbortController();
    const scan = me.upload('no', { signal: controller.signal });
    const write = me.Gadget.create({ title: 'No', blobId: scan });
    await scan.saved;
    served.goOnline();
    controller.abort();
    await jmap.sync.settled();
    expect(await scan.result).toMatchObject({ ok: false, error: { type: 'aborted' } });
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'dependencyFailed' } });
    expect(await served.readFiles('No')).toEqual([]);
  });

  it('that is too large is refused before it is sent, and by the server', async () => {
    const { me } = await open();
    const huge = me.upload(new Uint8Array(1_000_001));
    expect(await huge.saved).toBe(false);
    expect(await huge.result).toMatchObject({ ok: false, error: { type: 'tooLarge' } });
    expect(sent()).toEqual([]);
    served.proxy().decide((request) => (isUpload(request) ? { status: 403 } : 'pass'));
    const scan = me.upload('x');
    const write = me.Gadget.create({ title: 'Refused', blobId: scan });
    expect(await scan.result).toMatchObject({ ok: false, error: { type: 'http' } });
    expect(await write.result).toMatchObject({ error: { type: 'dependencyFailed' } });
  });
});

describe('a file that the server has deleted', () => {
  it('is sent again when a write that names it is refused', async () => {
    let faults = 1;
    const { jmap, me } = await open({
      fetch: (url, init) => {
        const body = String(init?.body);
        if (!body.includes('"blobId":') || faults-- <= 0) return fetch(url, init);
        // The server knows no such file, and says so as it does of one that is gone.
        return fetch(url, { ...init, body: body.replace(/"blobId":"[^"]+"/, '"blobId":"gone"') });
      },
    });
    const scan = me.upload('again');
    const write = me.Gadget.create({ title: 'Again', blobId: scan });
    me.Gadget.create({ title: 'Child', parentId: write.object.id });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true });
    expect(sent()).toEqual(['upload', 'set', 'upload', 'set']);
    expect(await served.readFiles('Again')).toEqual(['again']);
  });

  it.each(['create', 'update'] as const)(
    'is sent again for an edited problem: %s',
    async (kind) => {
      let isEdited = false;
      const isFirst = times(1);
      const { fetch: gated } = makeGate({
        judge: (call) =>
          isEdited && call[0] === 'Gadget/set' && isFirst()
            ? refuseAll(call, { type: 'invalidProperties', properties: ['blobId'] })
            : undefined,
      });
      const { jmap, me } = await open({ fetch: gated });
      const made = await me.Gadget.create({ title: 'First' }).result;
      const scan = me.upload('octets');
      await scan.result;
      const values = { title: 'x'.repeat(300), blobId: scan.key };
      if (kind === 'create') me.Gadget.create(values);
      else me.Gadget.update(made.ok ? made.object.id : '', values);
      await jmap.sync.settled();
      const [problem] = jmap.problems.getSnapshot();
      isEdited = true;
      problem?.edit({ ...problem.values, title: `Edited ${kind}` } as never);
      await jmap.sync.settled();
      expect(jmap.sync.getSnapshot().pending).toBe(0);
      expect(jmap.problems.getSnapshot()).toEqual([]);
      expect(await served.readFiles(`Edited ${kind}`)).toEqual(['octets']);
    },
  );

  it('is sent again for a problem that is made once more', async () => {
    let refusals = 2;
    const { fetch: gated } = makeGate({
      judge: (call) =>
        call[0] === 'Gadget/set' && refusals-- > 0
          ? refuseAll(call, { type: 'blobNotFound', notFound: ['gone'] })
          : undefined,
    });
    const { jmap, me } = await open({ fetch: gated });
    const scan = me.upload('octets');
    await scan.result;
    me.Gadget.create({ title: 'Retried', blobId: scan.key });
    await jmap.sync.settled();
    const [problem] = jmap.problems.getSnapshot();
    expect(problem?.error.type).toBe('blobNotFound');
    refusals = 1;
    problem?.retry();
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toEqual([]);
    expect(await served.readFiles('Retried')).toEqual(['octets']);
  });

  it('is sent again, and its write made, before all is settled', async () => {
    const isFirst = times(1);
    const { fetch: gated } = makeGate({
      judge: (call) =>
        call[0] === 'Gadget/set' && isFirst()
          ? refuseAll(call, { type: 'invalidProperties', properties: ['blobId'] })
          : undefined,
    });
    const { jmap, me } = await open({ fetch: gated });
    const scan = me.upload('octets');
    await scan.result;
    me.Gadget.create({ title: 'Settled', blobId: scan });
    await jmap.sync.settled();
    expect(jmap.sync.getSnapshot().pending).toBe(0);
  });

  it('is refused where that does not help', async () => {
    const { jmap, me } = await open({
      fetch: (url, init) => {
        const body = String(init?.body);
        return fetch(
          url,
          body.includes('"Gadget/set"')
            ? { ...init, body: body.replace(/"blobId":"[^"]+"/, '"blobId":"gone"') }
            : init,
        );
      },
    });
    const write = me.Gadget.create({ title: 'Never', blobId: me.upload('never') });
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    expect(sent()).toEqual(['upload', 'set', 'upload', 'set']);
  });

  it('that the server lacks is kept by a logout, unless it is discarded', async () => {
    const { jmap, me } = await open();
    served.goOffline();
    expect(await me.upload('kept').saved).toBe(true);
    await expect(jmap.logout()).rejects.toThrow('1 writes and files');
    served.goOnline();
    await jmap.sync.settled();
    await jmap.logout();
    expect(sent()).toContain('upload');
  });

  it('is sent again before a write names it, where it has been there for long', async () => {
    const store = memory();
    const { jmap, me } = await open({ store });
    const scan = me.upload('old');
    await scan.result;
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + 46 * 60_000);
    served.goOffline();
    const write = me.Gadget.create({ title: 'Old', blobId: scan });
    expect(await write.saved).toBe(true);
    await jmap.close();
    served.goOnline();
    await open({ store });
    expect(sent().filter((one) => one === 'set')).toEqual(['set']);
    expect(sent().indexOf('set')).toBeGreaterThan(sent().lastIndexOf('upload'));
    expect(sent().filter((one) => one === 'upload').length).toBeGreaterThan(1);
    expect(await served.readFiles('Old')).toEqual(['old']);
  });
});

/** Resolves when an object is in memory no more. */
async function untilFreed(ref: WeakRef<object>): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await eventually(() => {
    collect();
    expect(ref.deref()).toBeUndefined();
  });
}

describe('the octets of a file', () => {
  it('leave the memory when a write that names it is made', async () => {
    const { jmap, me } = await open();
    const upload = async (): Promise<WeakRef<Blob>> => {
      const file = new Blob(['x'.repeat(1000)]);
      const write = me.Gadget.create({ title: 'Freed', blobId: me.upload(file) });
      expect(await write.result).toMatchObject({ ok: true });
      return new WeakRef(file);
    };
    await untilFreed(await upload());
    await jmap.close();
  });

  const note = (changes: (Change | BlobChange)[]) =>
    limitStore(memory(), (commit) => {
      changes.push(...commit);
      return 'kept';
    });
  const blobs = (changes: readonly (Change | BlobChange)[]) =>
    changes.flatMap(({ table, value }) => (table === 'blobs' ? [value?.length ?? null] : []));

  it('leave the store when a write that names it is made', async () => {
    const changes: (Change | BlobChange)[] = [];
    const { jmap, me } = await open({ store: note(changes) });
    const scan = me.upload('octets');
    await scan.result;
    expect(blobs(changes)).toEqual([6]);
    me.Gadget.create({ title: 'Done', blobId: scan });
    await jmap.sync.settled();
    await jmap.close();
    expect(blobs(changes)).toEqual([6, null]);
    const rows = changes.filter(({ key }) => key.startsWith('upload '));
    expect(rows.at(-1)?.value).toBeUndefined();
  });

  it('leave the store when no write has named it for a day', async () => {
    const changes: (Change | BlobChange)[] = [];
    const { jmap, me } = await open({ store: note(changes) });
    const scan = me.upload('octets');
    await scan.result;
    served.goOffline();
    const named = me.upload('named');
    me.Gadget.create({ title: 'Offline', blobId: named });
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + 25 * 60 * 60_000);
    expect(await me.Gadget.create({ title: 'Late' }).saved).toBe(true);
    await jmap.close();
    expect(blobs(changes).sort()).toEqual([5, 6, null]);
    const gone = changes.filter(({ key, value }) => key.startsWith('upload ') && value == null);
    expect(new Set(gone.map(({ key }) => key.split(' ').at(-1)))).toEqual(new Set([scan.key]));
    served.goOnline();
  });

  it('leave their part of the quota to others once the server has it', async () => {
    const { me } = await open({ uploadQuota: 8 });
    for (const octets of ['first', 'second', 'third']) {
      const file = me.upload(octets);
      expect(await file.saved).toBe(true);
      expect(await file.result).toMatchObject({ ok: true });
    }
  });

  it('are in memory alone beyond the quota, and where the store is full', async () => {
    const changes: (Change | BlobChange)[] = [];
    const { me } = await open({ store: note(changes), uploadQuota: 8 });
    const [first, second] = [me.upload('octets'), me.upload('more')];
    expect([await first.saved, await second.saved]).toEqual([true, false]);
    expect(await second.result).toMatchObject({ ok: true });
    expect(blobs(changes)).toEqual([6]);
    const full = limitStore(memory(), (commit) =>
      commit.some(({ table, value }) => table === 'blobs' && value) ? 'full' : 'kept',
    );
    const other = await open({ store: full });
    const scan = other.me.upload('octets');
    expect(await scan.saved).toBe(false);
    const write = other.me.Gadget.create({ title: 'Full', blobId: scan });
    expect(await write.saved).toBe(true);
    expect(await write.result).toMatchObject({ ok: true });
  });

  it.each([
    { lost: 'octets', isRowLost: false },
    { lost: 'file as a whole', isRowLost: true },
  ])('take the writes along, where the store has lost the $lost', async ({ isRowLost }) => {
    const store = memory();
    const torn = limitStore(store, (commit) =>
      commit.some(({ table }) => table === 'blobs') ? 'lost' : 'kept',
    );
    const { jmap, me } = await open({ store: torn });
    served.goOffline();
    const scan = me.upload('torn');
    const write = me.Gadget.create({ title: 'Torn', blobId: scan });
    expect(await write.saved).toBe(true);
    expect(await scan.saved).toBe(false);
    await jmap.close();
    served.goOnline();
    const rows = await store.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
    const [[key] = ['']] = await rows.load('meta', 'upload ');
    if (isRowLost) await rows.commit([{ table: 'meta', key }], {});
    const again = await open({ store });
    expect(again.jmap.problems.getSnapshot()).toMatchObject([
      { values: { title: 'Torn' }, error: { type: 'dependencyFailed' } },
    ]);
    again.jmap.problems.getSnapshot()[0]?.retry();
    await again.jmap.sync.settled();
    expect(again.jmap.problems.getSnapshot()).toMatchObject([
      { error: { type: 'dependencyFailed' } },
    ]);
    expect(sent()).not.toContain('set');
  });
});
