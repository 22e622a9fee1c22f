import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium, NO_CHROMIUM } from '../../../test/support/chromium.js';
import { type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { eventually } from '../../../test/support/poll.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import { openPage, servePages, stopPage } from '../support/pages.js';
import type { ClientPage } from './client-page.js';

declare const clientPage: ClientPage;

// Clients in real tabs, which share a store in IndexedDB.

if (NO_CHROMIUM !== null) it.skip(`clients in tabs: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('clients in tabs of Chromium', () => {
  let pages: Awaited<ReturnType<typeof servePages>>;
  let server: RunningServer;
  let fixtures: Fixtures;
  let browser: Browser;
  let context: BrowserContext;
  /** The pages that have asked for push, in their order. */
  let pushed: Page[];
  beforeAll(async () => {
    pages = await servePages();
    server = await startServer({ env: { CORS_ORIGINS: pages.origin } });
    fixtures = await makeFixtures(server, []);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await server?.remove();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    pushed = [];
    return () => context.close();
  });

  async function open(): Promise<Page> {
    const page = await openPage(context, 'tabs/client-page.ts', pages.origin);
    page.on('request', (request) => {
      if (request.url().includes('eventsource') && request.method() === 'GET') pushed.push(page);
    });
    const { token } = fixtures.u1;
    await page.evaluate(([url, token]) => clientPage.open(url, token), [
      server.url,
      token,
    ] as const);
    return page;
  }

  const create = (page: Page, text: string): Promise<boolean> =>
    page.evaluate((text) => clientPage.create(text), text);
  const settle = (page: Page): Promise<void> => page.evaluate(() => clientPage.settle());
  const expectText = (page: Page, text: string): Promise<void> =>
    eventually(async () => expect(await page.evaluate(() => clientPage.texts())).toContain(text));
  const expectState = (page: Page, state: string): Promise<void> =>
    eventually(async () => expect(await page.evaluate(() => clientPage.state())).toBe(state));
  const writeElsewhere = (text: string) =>
    fixtures.u1.set('Todo', { accountId: fixtures.A1, create: { k: { text } } });

  async function countStored(text: string): Promise<number> {
    const { list } = await fixtures.u1.get('Todo', { accountId: fixtures.A1, ids: null });
    return list.filter((todo) => todo['text'] === text).length;
  }

  it('show what one of them writes, without the network too, and send it once', async () => {
    const tabs = [await open(), await open(), await open()];
    const [one, two] = tabs as [Page, Page, Page];
    expect(await create(one, 'online')).toBe(true);
    for (const page of tabs) await expectText(page, 'online');
    await context.setOffline(true);
    expect(await create(two, 'offline')).toBe(true);
    for (const page of tabs) await expectText(page, 'offline');
    await context.setOffline(false);
    await settle(one);
    for (const page of tabs) await expectState(page, 'live 0 kept');
    expect(await countStored('online')).toBe(1);
    expect(await countStored('offline')).toBe(1);
  });

  it('have one push connection, which the next one opens when its tab is closed', async () => {
    const tabs = [await open(), await open(), await open()];
    await writeElsewhere('told');
    for (const page of tabs) await expectText(page, 'told');
    expect(pushed).toHaveLength(1);
    const [holder] = pushed as [Page];
    await holder.close();
    await eventually(() => expect(pushed).toHaveLength(2));
    await writeElsewhere('told later');
    const rest = tabs.filter((page) => page !== holder);
    for (const page of rest) await expectText(page, 'told later');
  });

  it('go on where the one that has push is frozen, and with it when it is thawed', async () => {
    const tabs = [await open(), await open()];
    await eventually(() => expect(pushed).toHaveLength(1));
    const [frozen] = pushed as [Page];
    const other = tabs.find((page) => page !== frozen) as Page;
    const thaw = await stopPage(context, frozen);
    expect(await create(other, 'beside a frozen one')).toBe(true);
    await settle(other);
    expect(await countStored('beside a frozen one')).toBe(1);
    await eventually(() => expect(pushed).toEqual([frozen, other]));
    await writeElsewhere('told to the other');
    await expectText(other, 'told to the other');
    await thaw();
    await expectText(frozen, 'beside a frozen one');
    await expectText(frozen, 'told to the other');
    expect(await create(frozen, 'of the thawed one')).toBe(true);
    await expectText(other, 'of the thawed one');
    for (const page of tabs) await expectState(page, 'live 0 kept');
  });

  it('are closed when the user logs out in one of them', async () => {
    const [one, two] = [await open(), await open()];
    await one.evaluate(() => clientPage.logout());
    await expectState(two, 'replaced 0 lost');
    const three = await open();
    await expectState(three, 'live 0 kept');
  });
});
