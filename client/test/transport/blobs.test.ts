import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { connect, type Progress } from '../../src/index.js';
import { type TodosProject, todos } from '../support/schema.js';
import { useTodos } from '../support/todos.js';

const served = useTodos({ env: { MAX_SIZE_UPLOAD: '50000000' } });

/** Connects to the server itself: the proxy takes a body as a whole. */
const connectDirectly = () => {
  const { token } = served.fixtures().u1;
  return connect<TodosProject>(todos, { url: served.server().url, token });
};

/** The uploads that were sent. */
const uploads = () => served.proxy().seen.filter(({ method }) => method === 'POST');

/** The files of the server's blobs. */
function blobFiles(): readonly string[] {
  const folder = join(served.server().dataDir, 'blobs');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}

describe('an upload', () => {
  it('gives octets and type back', async () => {
    const me = (await served.connect()).account();
    const octets = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256);
    const { blobId, type, size } = await me.upload(octets, { type: 'image/png' });
    expect([type, size]).toEqual(['image/png', 70_000]);
    const response = await me.download(blobId, { name: 'ä/b.png', type: 'image/gif' });
    expect(response.headers.get('content-type')).toBe('image/gif');
    expect(response.headers.get('content-disposition')).toContain('%C3%A4');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(octets);
  });

  it.each<[string, BlobPart, string]>([
    ['text', 'Grüße', 'application/octet-stream'],
    ['a buffer', new TextEncoder().encode('Grüße').buffer, 'application/octet-stream'],
    ['a blob with its type', new Blob(['Grüße'], { type: 'text/plain' }), 'text/plain'],
    ['nothing', '', 'application/octet-stream'],
  ])('takes %s', async (_, data, expected) => {
    const me = (await served.connect()).account();
    const { blobId, type } = await me.upload(data);
    expect(type).toBe(expected);
    const text = await (await me.download(blobId)).text();
    expect(text).toBe(data === '' ? '' : 'Grüße');
  });

  it('tells its progress, which rises to the size', async () => {
    const client = await connectDirectly();
    const steps: Progress[] = [];
    const data = new Blob([new Uint8Array(5_000_000)]);
    const onProgress = (progress: Progress) => steps.push(progress);
    await client.account().upload(data, { onProgress });
    expect(steps.length).toBeGreaterThan(3);
    expect([steps[0], steps.at(-1)]).toEqual([
      { loaded: 0, total: 5_000_000 },
      { loaded: 5_000_000, total: 5_000_000 },
    ]);
    const loaded = steps.map((step) => step.loaded);
    expect(loaded).toEqual([...new Set(loaded)].sort((a, b) => a - b));
  });

  it('that is empty tells its progress once', async () => {
    const steps: Progress[] = [];
    const me = (await served.connect()).account();
    await me.upload('', { onProgress: (progress) => steps.push(progress) });
    expect(steps).toEqual([{ loaded: 0, total: 0 }]);
  });

  it('never goes back when it is sent again', async () => {
    const { token } = served.fixtures().u1;
    const tokens = [token, 'expired', token];
    const me = (await served.connect({ token: () => tokens.shift() ?? '' })).account();
    let count = 0;
    served.proxy().decide(({ path }) => {
      if (!path.startsWith('/jmap/upload')) return 'pass';
      count += 1;
      return count === 1 ? { status: 503, headers: { 'retry-after': '0' } } : 'pass';
    });
    const loaded: number[] = [];
    const onProgress = (progress: Progress) => loaded.push(progress.loaded);
    await me.upload(new Uint8Array(300_000), { onProgress });
    expect(count).toBe(2);
    expect(loaded).toEqual([...new Set(loaded)].sort((a, b) => a - b));
    expect(loaded.at(-1)).toBe(300_000);
  });

  it('that is cancelled rejects with the reason, and leaves nothing in the server', async () => {
    const client = await connectDirectly();
    const before = blobFiles();
    const controller = new AbortController();
    const reason = new Error('The user went on.');
    const promise = client.account().upload(new Uint8Array(40_000_000), {
      signal: controller.signal,
      onProgress: ({ loaded }) => {
        if (loaded > 1_000_000) controller.abort(reason);
      },
    });
    await expect(promise).rejects.toBe(reason);
    await eventually(() => expect(blobFiles()).toEqual(before), 20_000);
  });

  it('larger than maxSizeUpload is refused before it is sent', async () => {
    const me = (await served.connect()).account();
    const before = served.proxy().seen.length;
    await expect(me.upload(new Blob([new Uint8Array(50_000_001)]))).rejects.toMatchObject({
      type: 'limit',
      limit: 'maxSizeUpload',
      status: 413,
    });
    expect(served.proxy().seen.length).toBe(before);
  });

  it('goes on with another token, where the server refuses the first in its midst', async () => {
    const { token } = served.fixtures().u1;
    const server = served.server();
    const first = await server.tool('scripts/token', ['create', '--user', 'u1']);
    const tokens = [first, token];
    const ask = () => tokens.shift() ?? '';
    const client = await connect<TodosProject>(todos, { url: server.url, token: ask });
    await server.tool('scripts/token', ['revoke', first]);
    const data = new Blob([new Uint8Array(20_000_000)]);
    const { size } = await client.account().upload(data, { onProgress: () => undefined });
    expect([size, tokens]).toEqual([20_000_000, []]);
  });

  it('is not repeated where its outcome is unknown', async () => {
    const me = (await served.connect()).account();
    served.proxy().decide(({ method }) => (method === 'POST' ? 'lose' : 'pass'));
    await expect(me.upload('x')).rejects.toMatchObject({ type: 'transport' });
    expect(uploads().length).toBe(1);
  });

  it.each([403, 404])('goes where a new session says, behind a %i', async (status) => {
    const client = await served.connect();
    const moved = { ...client.session, uploadUrl: `${served.proxy().url}/moved` };
    const uploaded = { accountId: 'A', blobId: 'B', type: 'text/plain', size: 1 };
    served.proxy().decide(({ path }) => {
      if (path === '/.well-known/jmap') return { status: 200, body: moved };
      return path === '/moved' ? { status: 200, body: uploaded } : { status };
    });
    expect(await client.account().upload('x')).toEqual(uploaded);
    expect(client.session).toEqual(moved);
    expect(await client.account().upload('y')).toEqual(uploaded);
    expect(uploads().map(({ text }) => text)).toEqual(['x', 'x', 'y']);
  });

  it('is refused where a new session names the same place', async () => {
    const me = (await served.connect()).account();
    served.proxy().decide(({ method }) => (method === 'POST' ? { status: 404 } : 'pass'));
    await expect(me.upload('x')).rejects.toMatchObject({ type: 'http', status: 404 });
    const [session, first, again, ...further] = served.proxy().seen.map(({ path }) => path);
    expect([again, further]).toEqual([session, []]);
    expect(first).toContain('upload');
  });

  it('waits while as many run as the server takes', async () => {
    const me = (await served.connect()).account();
    const ends = Array.from({ length: 20 }, (_, n) => me.upload(`upload ${n}`));
    expect((await Promise.all(ends)).length).toBe(20);
    expect(uploads().length).toBe(20);
  });
});

describe('a download', () => {
  it('of an unknown blob rejects with the status', async () => {
    const me = (await served.connect()).account();
    await expect(me.download('none')).rejects.toMatchObject({ type: 'http', status: 404 });
  });

  it('is repeated where its connection is cut', async () => {
    const me = (await served.connect()).account();
    const { blobId } = await me.upload('x');
    let count = 0;
    served.proxy().decide(() => {
      count += 1;
      return count === 1 ? 'drop' : 'pass';
    });
    expect(await (await me.download(blobId)).text()).toBe('x');
  });

  it('ends with the reason of its signal, while its data is read too', async () => {
    const me = (await connectDirectly()).account();
    const { blobId } = await me.upload(new Uint8Array(20_000_000));
    const controller = new AbortController();
    const response = await me.download(blobId, { signal: controller.signal });
    const body = response.arrayBuffer();
    controller.abort('no');
    await expect(body).rejects.toBe('no');
  });

  it('as an object URL has the data without a token, until it is revoked', async () => {
    const me = (await served.connect()).account();
    const { blobId } = await me.upload('picture', { type: 'image/svg+xml' });
    const { url, revoke } = await me.blobUrl(blobId, { type: 'image/svg+xml' });
    expect(url).toMatch(/^blob:/);
    const shown = await (await fetch(url)).blob();
    expect([await shown.text(), shown.type]).toEqual(['picture', 'image/svg+xml']);
    revoke();
    await expect(fetch(url)).rejects.toThrow();
  });
});
