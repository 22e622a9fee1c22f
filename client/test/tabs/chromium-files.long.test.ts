import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, NO_CHROMIUM } from '../../../test/support/chromium.js';
import { type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../../test/support/server.js';
import { openPage, servePages } from '../support/pages.js';
import type { FilePage } from './file-page.js';

declare const filePage: FilePage;

// Files of a client in a real page.

if (NO_CHROMIUM !== null) it.skip(`files in a page: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('a file of a page in Chromium', () => {
  let pages: Awaited<ReturnType<typeof servePages>>;
  let server: RunningServer;
  let fixtures: Fixtures;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    pages = await servePages();
    server = await startServer({ env: { CORS_ORIGINS: pages.origin } });
    fixtures = await makeFixtures(server, []);
    browser = await launchChromium();
    context = await browser.newContext();
    page = await openPage(context, 'tabs/file-page.ts', pages.origin);
    const { token } = fixtures.u1;
    await page.evaluate(([url, token]) => filePage.open(url, token), [server.url, token] as const);
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await server?.remove();
  });

  it('tells its progress, which rises to its size', async () => {
    const session = await context.newCDPSession(page);
    const speeds = { latency: 0, downloadThroughput: -1, uploadThroughput: 5_000_000 };
    await session.send('Network.emulateNetworkConditions', { offline: false, ...speeds });
    const told = await page.evaluate(() => filePage.upload(5_000_000));
    const [size, last] = [told.at(-1), told.at(-2)];
    expect(last).toBe(size);
    expect(told.length).toBeGreaterThan(3);
    expect(told).toEqual([...told].sort((one, other) => one - other));
  });

  it('is not sent where the program ends it', async () => {
    expect(await page.evaluate(() => filePage.abort(20_000_000))).toBe('aborted');
  });

  it('shows in an image, which can send no token', async () => {
    expect(await page.evaluate(() => filePage.show())).toEqual([3, 255, 0, 0, 255]);
    // From the server, too.
    const other = await openPage(context, 'tabs/file-page.ts', pages.origin);
    const { token } = fixtures.u1;
    await other.evaluate(([url, token]) => filePage.open(url, token), [server.url, token] as const);
    await other.evaluate(() => filePage.upload(0));
    expect(await other.evaluate(() => filePage.show())).toEqual([3, 255, 0, 0, 255]);
  });
});
