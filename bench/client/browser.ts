import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium, NO_CHROMIUM } from '../../test/support/chromium.js';
import type { BenchPage, ColdStart } from './figures.js';
import { bundlePage } from './programs.js';
import { median, ms, type Row, type Sizes } from './rows.js';

declare const benchPage: BenchPage;

/** The store in IndexedDB, in Chromium. */
export async function measureBrowser({ rounds, objects, writes }: Sizes): Promise<readonly Row[]> {
  if (NO_CHROMIUM !== null) {
    process.stderr.write(`No figures of a browser: ${NO_CHROMIUM}\n`);
    return [];
  }
  const [browser, site] = await Promise.all([launchChromium(), servePage()]);
  try {
    const saved: number[] = [];
    const elsewhere: number[] = [];
    const starts: ColdStart[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      process.stderr.write(`round ${round} of ${rounds}: Chromium\n`);
      saved.push(await inContext(browser, (page) => measureSaved(page, site.url, writes)));
      elsewhere.push(await inContext(browser, (page) => measureTabs(page, site.url, writes)));
      starts.push(await inContext(browser, (page) => measureStart(page, site.url, objects)));
    }
    return rowsOf({ saved, elsewhere, starts }, objects);
  } finally {
    await browser.close();
    site.close();
  }
}

interface Measured {
  readonly saved: readonly number[];
  readonly elsewhere: readonly number[];
  readonly starts: readonly ColdStart[];
}

function rowsOf({ saved, elsewhere, starts }: Measured, objects: number): readonly Row[] {
  const count = objects.toLocaleString('en');
  const row = (what: string, values: readonly number[], most: number): Row => {
    const value = median(values);
    return { what, target: ms(most), measured: ms(value), isMet: value <= most };
  };
  return [
    row('`saved` in IndexedDB of Chromium, p50', saved, 10),
    row('a write on the screen of another tab, offline, p50', elsewhere, 50),
    row(
      `start with ${count} objects in IndexedDB: first rows`,
      starts.map(({ first }) => first),
      100,
    ),
    row(
      'the same: all rows',
      starts.map(({ all }) => all),
      1500,
    ),
    row(
      'the same: longest task',
      starts.map(({ longest }) => longest),
      50,
    ),
  ];
}

/** Each measurement has a browser's profile of its own. */
async function inContext<T>(
  browser: Browser,
  measure: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext();
  try {
    return await measure(context);
  } finally {
    await context.close();
  }
}

async function measureSaved(context: BrowserContext, url: string, writes: number): Promise<number> {
  const page = await openPage(context, url);
  return page.evaluate((count) => benchPage.measureSaved(count), writes);
}

/** Resolves to how long a write takes from a tab to the screen of another one, the median. */
async function measureTabs(context: BrowserContext, url: string, writes: number): Promise<number> {
  const [one, other] = [await openPage(context, url), await openPage(context, url)];
  for (const page of [one, other]) await page.evaluate(() => benchPage.openOffline());
  const written = await one.evaluate((count) => benchPage.write(count), writes);
  const shown = await other.evaluate((count) => benchPage.shown(count), writes);
  return median(written.map((at, n) => (shown[n] ?? Number.NaN) - at));
}

/** The page that starts is another one than the page that has kept the objects. */
async function measureStart(
  context: BrowserContext,
  url: string,
  objects: number,
): Promise<ColdStart> {
  const first = await openPage(context, url);
  await first.evaluate((size) => benchPage.fill(size), objects);
  await first.close();
  const second = await openPage(context, url);
  return second.evaluate((size) => benchPage.start(size), objects);
}

async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.addScriptTag({ content: await bundlePage('page') });
  return page;
}

/** Serves an empty page: a browser keeps data for an origin. */
async function servePage(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
