import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, NO_CHROMIUM } from '../../../test/support/chromium.js';
import { openPage } from '../support/pages.js';
import type { ReactPage } from './react-page.js';
import type { SolidPage } from './solid-page.js';

declare const reactPage: ReactPage;
declare const solidPage: SolidPage;

if (NO_CHROMIUM !== null) it.skip(`bindings in a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext();
  });
  afterAll(() => browser?.close());

  it('React shows one value at a time, also where it changes while React renders', async () => {
    const page = await openPage(context, 'bindings/react-page.ts');
    const shown = await page.evaluate(() => reactPage.renderConcurrently('live'));
    expect(shown).not.toEqual([]);
    expect(shown.filter((values) => values.length > 1)).toEqual([]);
    // A hook that follows by an effect shows both: the test would see it.
    const torn = await page.evaluate(() => reactPage.renderConcurrently('naive'));
    expect(torn).toContainEqual(['before', 'after']);
  });

  it('React in strict mode follows once, and not beyond the end of the component', async () => {
    const page = await openPage(context, 'bindings/react-page.ts');
    expect(await page.evaluate(() => reactPage.renderStrictly())).toEqual({
      texts: ['first', 'second', ''],
      followers: [1, 1, 0],
    });
  });

  it('Solid follows one source after the other, and none when its owner has ended', async () => {
    const page = await openPage(context, 'bindings/solid-page.ts');
    expect(await page.evaluate(() => solidPage.follow())).toEqual({
      values: ['two', 'other', 'other', 'none', 'late', 'late'],
      followers: ['1 0', '0 1', '0 1', '0 0', '1 0', '0 0'],
    });
  });

  it('Solid makes the elements of a row once, and changes them with it', async () => {
    const page = await openPage(context, 'bindings/solid-page.ts');
    expect(await page.evaluate(() => solidPage.showRows())).toEqual({
      shown: ['a,b', 'B,a', 'A,c'],
      made: ['a', 'b', 'c'],
    });
  });
});
