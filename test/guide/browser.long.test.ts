import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, NO_CHROMIUM } from '../support/chromium.js';
import { eventually } from '../support/poll.js';
import { GuideRunner } from './runner.js';

// The guide whose reader makes a page: it needs no other guide's project.
const ORIGIN = 'http://localhost:5173';

let runner: GuideRunner;
let browser: Browser | undefined;

beforeAll(async () => {
  runner = await GuideRunner.open();
  if (NO_CHROMIUM === null) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await runner?.close();
});

if (NO_CHROMIUM !== null) it.skip(`the page of the guide in a browser: ${NO_CHROMIUM}`);

describe('docs/guide/browser.md', () => {
  it('does what it says, and its page shows what it says', async () => {
    const faults: Error[] = [];
    const pages: Page[] = [];
    await runner.follow('browser', async ({ kind }) => {
      if (browser === undefined) return;
      const [mine] = pages;
      if (kind === 'beside') pages.push(...(await openWindows(browser, faults)));
      if (mine === undefined) return;
      if (kind === 'start') await goOn(pages, mine);
      if (kind === 'patch') {
        await expectAlert(mine);
        await signOut(mine);
      }
    });
    expect(pages).toHaveLength(browser === undefined ? 0 : 2);
    expect(faults).toEqual([]);
  });
});

/** The sections before the second start of the server. */
async function openWindows(chromium: Browser, faults: Error[]): Promise<[Page, Page]> {
  const mine = await openWindow(chromium, faults);
  await add(mine, 'France', 'FR');
  await add(mine, 'Chad', 'TD');
  await press(mine, 'Chad', 'Visited');
  await expectLines(mine, ['✓ Chad TD', '– France FR']);
  await expectStatus(mine, 'live, 0 not saved yet');

  const other = await openWindow(chromium, faults);
  await expectLines(other, ['✓ Chad TD', '– France FR']);
  await add(mine, 'Peru', '');
  await expectLines(other, ['✓ Chad TD', '– France FR', '– Peru']);
  await press(other, 'Peru', 'Delete');
  await expectLines(mine, ['✓ Chad TD', '– France FR']);

  await runner.stop();
  await expectStatus(other, 'offline, 0 not saved yet');
  await add(mine, 'Laos', 'LA');
  const shown = ['✓ Chad TD', '– France FR', '– Laos LA (not saved yet)'];
  await expectLines(mine, shown);
  await expectStatus(mine, 'offline, 1 not saved yet');
  await mine.reload();
  await expectLines(mine, shown);
  return [mine, other];
}

/** The sections behind it. */
async function goOn(pages: readonly Page[], mine: Page): Promise<void> {
  for (const page of pages) {
    await expectStatus(page, 'live, 0 not saved yet');
    await expectLines(page, ['✓ Chad TD', '– France FR', '– Laos LA']);
  }
  await add(mine, 'Fake', 'FR');
  const told = /^Not created: {"name":"Fake","code":"FR"}. "code" has the value of "\w+", and must/;
  await expectProblem(mine, told);
  await expectLines(mine, ['✓ Chad TD', '– France FR', '– Laos LA']);
  await mine.reload();
  await expectProblem(mine, told);
  await mine.click('text=Discard');
  await eventually(async () => expect(await mine.innerText('#problems')).toBe(''));
}

/** Adds the country until the page has its new program. */
function expectAlert(page: Page): Promise<void> {
  const alerts: string[] = [];
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
  return eventually(async () => {
    await add(page, 'Fake', 'FR');
    await expectStatus(page, 'live, 0 not saved yet');
    expect(alerts).toContainEqual(expect.stringMatching(/^Not created: "code" has the value of/));
    expect(await page.inputValue('[name=name]')).toBe('Fake');
  });
}

async function signOut(page: Page): Promise<void> {
  await page.click('text=Sign out');
  await expectStatus(page, 'Sign in first.');
  await expectLines(page, []);
  expect(await page.evaluate('localStorage.length')).toBe(0);
}

/** In a context of its own, as a private window has it. */
async function openWindow(chromium: Browser, faults: Error[]): Promise<Page> {
  const page = await (await chromium.newContext()).newPage();
  page.on('pageerror', (error) => faults.push(error));
  await page.goto(runner.here(ORIGIN));
  await page.fill('[name=token]', (await runner.read('my-atlas/data/first-token')).trim());
  await page.click('text=Sign in');
  await expectStatus(page, 'live, 0 not saved yet');
  return page;
}

async function add(page: Page, name: string, code: string): Promise<void> {
  await page.fill('[name=name]', name);
  await page.fill('[name=code]', code);
  await page.click('text=Add');
}

function press(page: Page, name: string, button: string): Promise<void> {
  return page.locator('#countries li', { hasText: name }).getByText(button).click();
}

function expectStatus(page: Page, status: string): Promise<void> {
  return eventually(async () => expect(await page.innerText('#status')).toBe(status), 120_000);
}

function expectProblem(page: Page, told: RegExp): Promise<void> {
  return eventually(async () => expect(await page.innerText('#problems')).toMatch(told));
}

/** Waits for the texts of the lines; each ends with its buttons. */
function expectLines(page: Page, texts: readonly string[]): Promise<void> {
  return eventually(async () => {
    const lines = await page.locator('#countries li').allInnerTexts();
    expect(lines).toEqual(texts.map((text) => `${text} Visited Delete`));
  });
}
