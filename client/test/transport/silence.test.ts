import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlobId, makeBlobs, type ObjectUrl } from '../../src/call/blobs.js';
import type { Connection } from '../../src/call/connection.js';
import { makeScope } from '../../src/call/scope.js';
import { makeAuthorize } from '../../src/call/token.js';
import { type HttpRequest, httpTransport, makeHttp, readJson } from '../../src/transport/http.js';
import { makeUploader } from '../../src/transport/upload.js';

// A server that says nothing, on a clock of the test.

const URL_ = 'https://silent.example.com/';
const MINUTE = 60_000;
const SILENT = { type: 'transport', message: 'The server is silent.' };

type Stream = ReadableStreamDefaultController<Uint8Array>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Watches how a promise ends. */
function watch(promise: Promise<unknown>) {
  const watched: { value?: unknown; error?: unknown } = {};
  promise.then(
    (value) => Object.assign(watched, { value }),
    (error: unknown) => Object.assign(watched, { error }),
  );
  return watched;
}

/** Returns a client whose requests stay without an answer, and the requests. */
function makeHanging() {
  const sent: HttpRequest[] = [];
  const http = makeHttp(makeAuthorize('t'), (_, init) => {
    sent.push(init as HttpRequest);
    return new Promise(() => undefined);
  });
  return { http, sent };
}

/** Returns an answer whose body a test writes, and whether the client has left it. */
function makeBody() {
  let stream: Stream | undefined;
  const cancel = vi.fn();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stream = controller;
    },
    cancel,
  });
  const write = (text: string): void => stream?.enqueue(new TextEncoder().encode(text));
  return { response: new Response(body), cancel, write, end: () => stream?.close() };
}

describe('a request', () => {
  const signal = new AbortController().signal;

  it('that has no answer ends after a minute', async () => {
    const { http, sent } = makeHanging();
    const ended = watch(http(URL_, { signal }));
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(ended).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(ended.error).toMatchObject(SILENT);
    expect(sent[0]?.signal.aborted).toBe(true);
  });

  it('with a large body has the time that a slow line takes', async () => {
    const { http } = makeHanging();
    const text = watch(http(URL_, { method: 'POST', body: 'x'.repeat(100_000), signal }));
    const body = new Blob([new Uint8Array(100_000)]);
    const blob = watch(http(URL_, { method: 'POST', body, signal }));
    await vi.advanceTimersByTimeAsync(MINUTE + 9999);
    expect([text, blob]).toEqual([{}, {}]);
    await vi.advanceTimersByTimeAsync(1);
    expect([text.error, blob.error]).toMatchObject([SILENT, SILENT]);
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const { http, sent } = makeHanging();
    const request = http(URL_, { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort('no');
    await expect(request).rejects.toBe('no');
    expect(sent[0]?.signal.reason).toBe('no');
  });

  it('that has its answer leaves its signal', async () => {
    const { signal: watched } = new AbortController();
    const added = vi.spyOn(watched, 'addEventListener');
    const removed = vi.spyOn(watched, 'removeEventListener');
    const http = makeHttp(makeAuthorize('t'), async () => new Response('{}'));
    await readJson(await http(URL_, { signal: watched }), watched);
    const listeners = added.mock.calls.map(([, listener]) => listener);
    expect(listeners).toHaveLength(2);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(listeners);
  });
});

describe('an answer', () => {
  const signal = new AbortController().signal;

  it('ends after a minute if its body stops', async () => {
    const { response, cancel, write } = makeBody();
    const transport = httpTransport(
      makeHttp(makeAuthorize('t'), async () => response),
      () => URL_,
    );
    const ended = watch(transport.send({ using: [], methodCalls: [] }, { signal }));
    write('{"methodResponses":');
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(ended.error).toMatchObject(SILENT);
    expect(cancel).toHaveBeenCalled();
  });

  it('of an error whose body stops is that error', async () => {
    const { response } = makeBody();
    const refused = new Response(response.body, { status: 503 });
    const http = makeHttp(makeAuthorize('t'), async () => refused);
    const ended = watch(http(URL_, { signal }));
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(ended.error).toMatchObject({ type: 'http', status: 503 });
  });

  it('that comes in pieces is read to its end, however long it takes', async () => {
    const { response, write, end } = makeBody();
    const ended = watch(readJson(response, signal));
    for (const piece of ['["', 'ü', '"', ']']) {
      write(piece);
      await vi.advanceTimersByTimeAsync(MINUTE - 1);
    }
    expect(ended).toEqual({});
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended.value).toEqual(['ü']);
  });
});

describe('the URL of a blob', () => {
  /** Asks for the URL of a blob whose body a test writes. */
  function askUrl() {
    const { response, ...body } = makeBody();
    const session = { downloadUrl: URL_, capabilities: {} };
    const connection = {
      http: makeHttp(makeAuthorize('t'), async () => response),
      scope: makeScope(),
      keeper: { current: () => session },
      locate: (url: string) => url,
      persist: (attempt: () => unknown) => attempt(),
    };
    const blobs = makeBlobs('A', connection as unknown as Connection, (task) => task());
    return { ended: watch(blobs.blobUrl('b' as BlobId)), ...body };
  }

  it('ends after a minute if its body stops', async () => {
    const { ended, cancel, write } = askUrl();
    write('octets');
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(ended).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(ended.error).toMatchObject(SILENT);
    expect(cancel).toHaveBeenCalled();
  });

  it('has all of a blob that comes in pieces, however long it takes', async () => {
    const { ended, write, end } = askUrl();
    for (const piece of ['pic', 'tu', 're']) {
      write(piece);
      await vi.advanceTimersByTimeAsync(MINUTE - 1);
    }
    expect(ended).toEqual({});
    end();
    vi.useRealTimers();
    await vi.waitFor(() => expect(ended).toHaveProperty('value'));
    const { url, revoke } = ended.value as ObjectUrl;
    expect(await (await fetch(url)).text()).toBe('picture');
    revoke();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
});

it('an upload lasts as long as the server takes parts of it, and then like any other', async () => {
  const data = new Blob([new Uint8Array(300_000)]);
  const loaded: number[] = [];
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const uploader = makeUploader(data, (progress) => loaded.push(progress.loaded), ((
    _: string,
    init: { readonly body: ReadableStream<Uint8Array> },
  ) => {
    body = init.body.getReader();
    return new Promise(() => undefined);
  }) as never);
  const { http } = makeHanging();
  const { signal } = new AbortController();
  const ended = watch(http(URL_, { method: 'POST', body: data, signal }, uploader));
  await vi.advanceTimersByTimeAsync(0);
  for (let n = 0; n < 5; n += 1) {
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(ended).toEqual({});
    await body?.read();
  }
  expect(loaded.at(-1)).toBe(300_000);
  // The last part was taken almost a minute ago. The size allows 30 seconds more.
  await vi.advanceTimersByTimeAsync(30_000);
  expect(ended).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(ended.error).toMatchObject(SILENT);
});

it('an upload whose server stops taking it ends after a minute', async () => {
  const data = new Blob([new Uint8Array(300_000)]);
  const uploader = makeUploader(data, () => undefined, ((
    _: string,
    { body }: { readonly body: ReadableStream<Uint8Array> },
  ) => {
    void body.getReader().read();
    return new Promise(() => undefined);
  }) as never);
  const { signal } = new AbortController();
  const { http } = makeHanging();
  const ended = watch(http(URL_, { method: 'POST', body: data, signal }, uploader));
  await vi.advanceTimersByTimeAsync(MINUTE - 1);
  expect(ended).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(ended.error).toMatchObject(SILENT);
});

it('an upload that is refused while parts of it are taken leaves no timer', async () => {
  const data = new Blob([new Uint8Array(300_000)]);
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const uploader = makeUploader(data, () => undefined, (async (
    _: string,
    init: { readonly body: ReadableStream<Uint8Array> },
  ) => {
    body = init.body.getReader();
    return new Response('{}', { status: 413 });
  }) as never);
  const { signal } = new AbortController();
  const { http } = makeHanging();
  const upload = http(URL_, { method: 'POST', body: data, signal }, uploader);
  await expect(upload).rejects.toMatchObject({ status: 413 });
  while (!(await body?.read())?.done) expect(vi.getTimerCount()).toBe(0);
});
