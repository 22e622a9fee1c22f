import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium, NO_CHROMIUM } from '../../../test/support/chromium.js';
import { eventually } from '../../../test/support/poll.js';
import { openPage } from '../support/pages.js';
import type { TabsPage } from './tabs-page.js';

declare const tabsPage: TabsPage;

if (NO_CHROMIUM !== null) it.skip(`tabs of a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('tabs of Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    context = await browser.newContext();
    return () => context.close();
  });

  const open = (): Promise<Page> => openPage(context, 'tabs/tabs-page.ts');
  const begin = (page: Page): Promise<void> => page.evaluate(() => tabsPage.begin('sync'));
  const expectStatus = (page: Page, status: string): Promise<void> =>
    eventually(async () => expect(await page.evaluate(() => tabsPage.status())).toBe(status));

  async function send(from: Page, to: Page, message: string): Promise<void> {
    await from.evaluate((text) => tabsPage.announce(text), message);
    await eventually(async () =>
      expect(await to.evaluate(() => tabsPage.heard())).toContain(message),
    );
  }

  it('have a role one after the other, and a closed one has none', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    await begin(one);
    await expectStatus(one, 'works');
    await begin(two);
    await expectStatus(two, 'waits');
    await one.evaluate(() => tabsPage.end());
    await expectStatus(one, 'done');
    await expectStatus(two, 'works');
    await begin(three);
    await expectStatus(three, 'waits');
    await two.close();
    await expectStatus(three, 'works');
  });

  it('take no role from one that answers', async () => {
    const [one, other] = [await open(), await open()];
    await other.clock.install();
    await begin(one);
    await expectStatus(one, 'works');
    await begin(other);
    for (let round = 0; round < 8; round += 1) {
      // The tab asks and looks 5 s later. Both messages come in between: later ones have come.
      await other.clock.runFor(4000);
      await send(other, one, `to one ${round}`);
      await send(one, other, `to other ${round}`);
    }
    await expectStatus(other, 'waits');
  });

  it('hear what others announce', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    await one.evaluate(() => tabsPage.announce('from one'));
    await two.evaluate(() => tabsPage.announce('from two'));
    const expectHeard = (page: Page, messages: readonly string[]): Promise<void> =>
      eventually(async () => {
        const heard = await page.evaluate(() => tabsPage.heard());
        expect([...heard].sort()).toEqual(messages);
      });
    await expectHeard(one, ['from two']);
    await expectHeard(two, ['from one']);
    await expectHeard(three, ['from one', 'from two']);
  });
});
