import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium, NO_CHROMIUM } from '../../test/support/chromium.js';
import type { BenchPage, ColdStart } from './figures.js';
import { bundlePage } from './programs.js';
import { median, ms, type Row, type Sizes } from './rows.js';

declare const benchPage: BenchPage;

/** Nothing listens there. */
const ORIGIN = 'http://localhost';

/** The store in IndexedDB, in Chromium. */
export async function measureBrowser({ rounds, objects, writes }: Sizes): Promise<readonly Row[]> {
  if (NO_CHROMIUM !== null) {
    process.stderr.write(`No figures of a browser: ${NO_CHROMIUM}\n`);
    return [];
  }
  const browser = await launchChromium();
  try {
    const saved: number[] = [];
    const starts: ColdStart[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      process.stderr.write(`round ${round} of ${rounds}: Chromium\n`);
      saved.push(await inContext(browser, (page) => measureSaved(page, writes)));
      starts.push(await inContext(browser, (page) => measureStart(page, objects)));
    }
    return rowsOf(saved, starts, objects);
  } finally {
    await browser.close();
  }
}

function rowsOf(
  saved: readonly number[],
  starts: readonly ColdStart[],
  objects: number,
): readonly Row[] {
  const count = objects.toLocaleString('en');
  const row = (what: string, values: readonly number[], most: number): Row => {
    const value = median(values);
    return { what, target: ms(most), measured: ms(value), isMet: value <= most };
  };
  return [
    row('`saved` in IndexedDB of Chromium, p50', saved, 10),
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

async function measureSaved(context: BrowserContext, writes: number): Promise<number> {
  const page = await openPage(context);
  return page.evaluate((count) => benchPage.measureSaved(count), writes);
}

/** The page that starts is another one than the page that has kept the objects. */
async function measureStart(context: BrowserContext, objects: number): Promise<ColdStart> {
  const first = await openPage(context);
  await first.evaluate((size) => benchPage.fill(size), objects);
  await first.close();
  const second = await openPage(context);
  return second.evaluate((size) => benchPage.start(size), objects);
}

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto(ORIGIN);
  await page.addScriptTag({ content: await bundlePage('page') });
  return page;
}
