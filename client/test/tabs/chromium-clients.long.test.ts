import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NO_CHROMIUM } from '../../../test/support/chromium.js';
import { eventually } from '../../../test/support/poll.js';
import { useChromiumTabs } from '../support/chromium-tabs.js';
import type { ClientPage } from './client-page.js';

declare const clientPage: ClientPage;

// Clients in real tabs, which share a store in IndexedDB.

if (NO_CHROMIUM !== null) it.skip(`clients in tabs: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('clients in tabs of Chromium', () => {
  const tabs = useChromiumTabs();

  it('have one push connection, which the next one opens when its tab is closed', async () => {
    const pages = [await tabs.open(), await tabs.open(), await tabs.open()];
    await tabs.writeElsewhere('told');
    for (const page of pages) await tabs.expectText(page, 'told');
    expect(tabs.pushed()).toHaveLength(1);
    const [holder] = tabs.pushed() as [Page];
    await holder.close();
    await eventually(() => expect(tabs.pushed()).toHaveLength(2));
    await tabs.writeElsewhere('told later');
    const rest = pages.filter((page) => page !== holder);
    for (const page of rest) await tabs.expectText(page, 'told later');
  });

  it('are closed when the user logs out in one of them', async () => {
    const [one, two] = [await tabs.open(), await tabs.open()];
    await one.evaluate(() => clientPage.logout());
    await tabs.expectState(two, 'replaced 0 lost');
    const three = await tabs.open();
    await tabs.expectState(three, 'live 0 kept');
  });
});
