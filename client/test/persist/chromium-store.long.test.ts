import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, launchChromium, NO_CHROMIUM } from '../../../test/support/chromium.js';
import { eventually } from '../../../test/support/poll.js';
import { QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import { ORIGIN } from '../support/pages.js';
import { describeStore } from './contract.js';
import { type Remote, UNREADABLE_VALUE } from './remote-page.js';
import { openRemote, openStorePage, remoteStore } from './remote-store.js';

declare const remote: Remote;
declare const tell: (number: number) => Promise<void>;

if (NO_CHROMIUM !== null) it.skip(`the store in a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('IndexedDB of Chromium', () => {
  let browser: Browser;
  let pages: readonly [Page, Page];
  let turn = 0;
  beforeAll(async () => {
    browser = await launchChromium();
    const context = await browser.newContext();
    pages = [await openStorePage(context), await openStorePage(context)];
  });
  afterAll(() => browser?.close());

  describeStore('under the store', {
    // Handles of a test are in two pages.
    makeStore: () => remoteStore(pages[turn++ % 2 === 0 ? 0 : 1]),
    unreadable: { table: 'objects', key: 'unreadable', value: UNREADABLE_VALUE },
  });

  const row = { table: 'objects', key: 'k', value: 1 } as const;

  it('is removed by another page at once, and is lost to the store', async () => {
    const [one, other] = pages;
    const store = await remoteStore(one).open('removed');
    await store.commit([row], { durable: true });
    await other.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase('removed');
          request.addEventListener('success', resolve);
          request.addEventListener('blocked', () => reject(new Error('blocked')));
        }),
    );
    await expect(store.commit([row], {})).rejects.toBeInstanceOf(StoreLostError);
    expect(await (await remoteStore(other).open('removed')).load('objects')).toEqual([]);
  });

  it('is lost to the store when the user clears the data of the site', async () => {
    const [one, other] = pages;
    const store = await remoteStore(one).open('cleared');
    await store.commit([row], {});
    const session = await other.context().newCDPSession(other);
    await session.send('Storage.clearDataForOrigin', { origin: ORIGIN, storageTypes: 'indexeddb' });
    await expect(store.commit([row], {})).rejects.toBeInstanceOf(StoreLostError);
    await expect(store.load('objects')).rejects.toBeInstanceOf(StoreLostError);
    expect(await (await remoteStore(one).open('cleared')).load('objects')).toEqual([]);
  });

  it('that is full leaves nothing of a commit, and takes the next one that fits', async () => {
    // Chromium remembers for half a minute how much room a site has.
    const page = await openStorePage(await browser.newContext());
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.overrideQuotaForOrigin', { origin: ORIGIN, quotaSize: 100_000 });
    const store = await remoteStore(page).open('full');
    await store.commit([row], {});
    const text = 'x'.repeat(100_000);
    const rows = Array.from({ length: 50 }, (_, index) => ({
      ...row,
      key: `${index}`,
      value: text,
    }));
    await expect(store.commit(rows, {})).rejects.toBeInstanceOf(QuotaError);
    expect(await store.load('objects')).toEqual([['k', 1]]);
    await session.send('Storage.overrideQuotaForOrigin', { origin: ORIGIN });
    await store.commit(rows, {});
    expect(await store.load('objects')).toHaveLength(51);
  });
});

describe.skipIf(NO_CHROMIUM !== null)('a Chromium that is killed', () => {
  const profile = mkdtempSync(join(tmpdir(), 'jmapsmith-profile-'));
  afterAll(() => rmSync(profile, { recursive: true, force: true }));

  /** Starts a browser with the profile, in a process group of its own. */
  async function start(): Promise<{ child: ChildProcess; page: Page }> {
    const active = join(profile, 'DevToolsActivePort');
    rmSync(active, { force: true });
    const args = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`];
    if (process.getuid?.() === 0) args.push('--no-sandbox');
    const child = spawn(findChromium() ?? '', args, { detached: true, stdio: 'ignore' });
    const port = await eventually(() => /^\d+(?=\n)/.exec(readFileSync(active, 'utf8'))?.[0]);
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const [context] = browser.contexts();
    if (context === undefined) throw new Error('The browser has no context.');
    return { child, page: await openStorePage(context) };
  }

  async function kill({ pid, exitCode }: ChildProcess, closed: Promise<unknown>): Promise<void> {
    if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
    await closed;
  }

  it('has every durable commit that a page has told of, and no half one', async () => {
    let last = 0;
    for (let round = 0; round < 5; round += 1) {
      const { child, page } = await start();
      const closed = once(child, 'close');
      try {
        const store = await remoteStore(page).open('killed');
        const rows = await store.load('log');
        expect(rows.length - last).toBeOneOf(round === 0 ? [0] : [0, 1]);
        expect(rows.map(([, value]) => value)).toEqual(rows.map((_, index) => index + 1));
        expect(await store.load('meta')).toEqual(round === 0 ? [] : [['count', rows.length]]);
        const told: number[] = [];
        await page.exposeFunction('tell', (number: number) => void told.push(number));
        const handle = await openRemote(page, 'killed');
        const commits = page.evaluate((one) => remote.commitForEver(one, tell), handle);
        commits.catch(() => undefined);
        await eventually(() => expect(told.length).toBeGreaterThan(10));
        await delay(Math.random() * 200);
        await kill(child, closed);
        last = told.at(-1) ?? Number.NaN;
      } finally {
        await kill(child, closed);
      }
    }
  });
});
