import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NO_CHROMIUM } from '../../../test/support/chromium.js';
import { eventually } from '../../../test/support/poll.js';
import { useChromiumTabs } from '../support/chromium-tabs.js';
import { stopPage } from '../support/pages.js';

// Tabs that the browser freezes.

if (NO_CHROMIUM !== null) it.skip(`frozen tabs: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('clients in tabs of Chromium', () => {
  const tabs = useChromiumTabs();

  it('go on where the one that has push is frozen, and with it when it is thawed', async () => {
    const pages = [await tabs.open(), await tabs.open()];
    await eventually(() => expect(tabs.pushed()).toHaveLength(1));
    const [frozen] = tabs.pushed() as [Page];
    const other = pages.find((page) => page !== frozen) as Page;
    const thaw = await stopPage(tabs.context(), frozen);
    expect(await tabs.create(other, 'beside a frozen one')).toBe(true);
    await tabs.settle(other);
    expect(await tabs.countStored('beside a frozen one')).toBe(1);
    await eventually(() => expect(tabs.pushed()).toEqual([frozen, other]));
    await tabs.writeElsewhere('told to the other');
    await tabs.expectText(other, 'told to the other');
    await thaw();
    await tabs.expectText(frozen, 'beside a frozen one');
    await tabs.expectText(frozen, 'told to the other');
    expect(await tabs.create(frozen, 'of the thawed one')).toBe(true);
    await tabs.expectText(other, 'of the thawed one');
    for (const page of pages) await tabs.expectState(page, 'live 0 kept');
  });
});
