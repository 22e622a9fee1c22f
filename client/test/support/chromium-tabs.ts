import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { launchChromium } from '../../../test/support/chromium.js';
import { type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { eventually } from '../../../test/support/poll.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import type { ClientPage } from '../tabs/client-page.js';
import { openPage, servePages } from './pages.js';

declare const clientPage: ClientPage;

/** Has a server and a Chromium while the tests of a group run, and clients in its tabs. */
export function useChromiumTabs() {
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

  return {
    ...{ open, create, settle, expectText, expectState, writeElsewhere, countStored },
    context: () => context,
    pushed: () => pushed,
  };
}
