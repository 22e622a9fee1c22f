import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// Browsers tell the progress of uploads by XMLHttpRequest alone. This one is as small as the
// client's use of it.

const served = useTodos();

class SmallXhr {
  status = 0;
  statusText = '';
  responseText = '';
  readonly upload: { onprogress?: (event: { readonly loaded: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  readonly #controller = new AbortController();
  readonly #headers: [string, string][] = [];
  #request: readonly [method: string, url: string] = ['', ''];
  #answered = new Headers();

  open(method: string, url: string): void {
    this.#request = [method, url];
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers.push([name, value]);
  }

  getResponseHeader(name: string): string | null {
    return this.#answered.get(name);
  }

  abort(): void {
    this.#controller.abort();
  }

  send(body: Blob): void {
    const [method, url] = this.#request;
    const { signal } = this.#controller;
    this.upload.onprogress?.({ loaded: Math.floor(body.size / 2) });
    fetch(url, { method, headers: this.#headers, body, signal })
      .then(async (response) => {
        this.responseText = await response.text();
        this.status = response.status;
        this.statusText = response.statusText;
        this.#answered = response.headers;
        this.onload?.();
      })
      .catch(() => (signal.aborted ? this.onabort?.() : this.onerror?.()))
      .finally(() => this.onloadend?.());
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('an upload by XMLHttpRequest', () => {
  it('tells its progress, and gives octets and type back', async () => {
    vi.stubGlobal('XMLHttpRequest', SmallXhr);
    const me = (await served.connect()).account();
    const steps: Progress[] = [];
    const onProgress = (progress: Progress) => steps.push(progress);
    const { blobId, type } = await me.upload('octets', { type: 'text/csv', onProgress });
    expect(type).toBe('text/csv');
    expect(steps.map(({ loaded }) => loaded)).toEqual([0, 3, 6]);
    expect(await (await me.download(blobId)).text()).toBe('octets');
  });

  it('has the errors of other requests', async () => {
    vi.stubGlobal('XMLHttpRequest', SmallXhr);
    const me = (await served.connect()).account();
    const upload = () => me.upload('octets', { onProgress: () => undefined });
    served.proxy().decide(() => ({ status: 403, body: { detail: 'no' } }));
    await expect(upload()).rejects.toMatchObject({ type: 'http', status: 403 });
    served.proxy().decide(() => ({ status: 503, headers: { 'retry-after': '99' } }));
    await expect(upload()).rejects.toMatchObject({ status: 503, retryAfter: 99 });
    served.proxy().decide(() => 'drop');
    await expect(upload()).rejects.toMatchObject({ type: 'transport' });
  });

  it('that is cancelled rejects with the reason', async () => {
    vi.stubGlobal('XMLHttpRequest', SmallXhr);
    const me = (await served.connect()).account();
    served.proxy().decide(() => 'hang');
    const controller = new AbortController();
    const onProgress = () => controller.abort('no');
    const promise = me.upload('octets', { onProgress, signal: controller.signal });
    await expect(promise).rejects.toBe('no');
  });
});

it('an upload in a browser goes by the program’s own `fetch`, which signs in', async () => {
  vi.stubGlobal('XMLHttpRequest', SmallXhr);
  const { token } = served.fixtures().u1;
  const signIn: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  };
  const me = (await served.connect({ token: '', fetch: signIn })).account();
  const steps: Progress[] = [];
  const onProgress = (progress: Progress) => steps.push(progress);
  const { blobId } = await me.upload('octets', { onProgress });
  expect(steps.map(({ loaded }) => loaded)).toEqual([0, 6]);
  expect(await (await me.download(blobId)).text()).toBe('octets');
});
