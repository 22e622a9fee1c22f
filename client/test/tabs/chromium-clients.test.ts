import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NO_CHROMIUM } from '../../../test/support/chromium.js';
import { useChromiumTabs } from '../support/chromium-tabs.js';

// Clients in real tabs, which share a store in IndexedDB. Their push and their logout in real tabs
// are in the long tier; ../cache/shared-store.test.ts has both in one process.

if (NO_CHROMIUM !== null) it.skip(`clients in tabs: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('clients in tabs of Chromium', () => {
  const tabs = useChromiumTabs();

  it('show what one of them writes, without the network too, and send it once', async () => {
    const pages = [await tabs.open(), await tabs.open(), await tabs.open()];
    const [one, two] = pages as [Page, Page, Page];
    expect(await tabs.create(one, 'online')).toBe(true);
    for (const page of pages) await tabs.expectText(page, 'online');
    await tabs.context().setOffline(true);
    expect(await tabs.create(two, 'offline')).toBe(true);
    for (const page of pages) await tabs.expectText(page, 'offline');
    await tabs.context().setOffline(false);
    await tabs.settle(one);
    for (const page of pages) await tabs.expectState(page, 'live 0 kept');
    expect(await tabs.countStored('online')).toBe(1);
    expect(await tabs.countStored('offline')).toBe(1);
  });
});
