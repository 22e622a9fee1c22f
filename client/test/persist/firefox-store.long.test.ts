import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firefox, launchFirefox, NO_FIREFOX } from '../../../test/support/firefox.js';
import { bundlePage } from '../support/pages.js';
import { describeStore } from './contract.js';
import { UNREADABLE_VALUE } from './remote-page.js';
import { remoteStore, type StorePage } from './remote-store.js';

if (NO_FIREFOX !== null) it.skip(`the store in a browser: ${NO_FIREFOX}`);

describe.skipIf(NO_FIREFOX !== null).each([
  { mode: 'Firefox', isPrivate: false },
  { mode: 'the private mode of Firefox', isPrivate: true },
])('IndexedDB of $mode', ({ isPrivate }) => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html>');
  });
  let firefox: Firefox;
  let pages: readonly StorePage[];
  let turn = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const script = await bundlePage('persist/remote-page.ts');
    firefox = await launchFirefox({ isPrivate });
    const open = async () => (await firefox.open(url, script)) as unknown as StorePage;
    pages = [await open(), await open()];
  }, 60_000);
  afterAll(async () => {
    await firefox.close();
    server.close();
  });

  describeStore('under the store', {
    // Handles of a test are in two pages.
    makeStore: () => remoteStore(pages[turn++ % 2] as StorePage),
    unreadable: { table: 'objects', key: 'unreadable', value: UNREADABLE_VALUE },
  });
});
