import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, NO_CHROMIUM } from '../../../test/support/chromium.js';
import { makeFixtures } from '../../../test/support/fixtures.js';
import { eventually, within } from '../../../test/support/poll.js';
import { freePort } from '../../../test/support/postgresql-cluster.js';
import { ROOT, type RunningServer, startServer } from '../../../test/support/server.js';
import { type Client, connect } from '../../src/index.js';
import { type TodosProject, todos } from '../support/schema.js';

// The applications of examples/clients, as their README starts them: the same steps in each.

const APPS = ['react', 'vue', 'svelte', 'solid'] as const;

if (NO_CHROMIUM !== null) it.skip(`applications in a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)('the application of', () => {
  let server: RunningServer;
  let pages: ChildProcess;
  let origin: string;
  let token: string;
  let browser: Browser;
  /** Another client of the same user. */
  let other: Client<TodosProject>;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    server = await startServer({ env: { CORS_ORIGINS: origin } });
    ({ token } = (await makeFixtures(server, [])).u1);
    other = await connect(todos, { url: server.url, token });
    pages = await servePages(server.url, port);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    pages?.kill();
    await other?.close();
    await server?.remove();
  });

  async function signIn(app: string): Promise<{ page: Page; faults: Error[] }> {
    const page = await browser.newPage();
    const faults: Error[] = [];
    page.on('pageerror', (error) => faults.push(error));
    await page.goto(`${origin}/${app}/`);
    await page.fill('[name=token]', token);
    await page.click('text=Sign in');
    await expectStatus(page, 'live', 0);
    return { page, faults };
  }

  async function clear(): Promise<void> {
    const { Todo } = other.account();
    const { list } = await Todo.get();
    await Todo.set({ destroy: list.map(({ id }) => id) });
  }

  /** Resolves to the texts that the server has, with a mark where they are done. */
  async function readTexts(): Promise<readonly string[]> {
    const { list } = await other.account().Todo.get();
    return list.map(({ text, done }) => `${text}${done ? ' ✓' : ''}`).sort();
  }

  it.each(APPS)(
    '%s shows, writes, goes on offline, and takes back what is refused',
    async (app) => {
      await clear();
      const { page, faults } = await signIn(app);
      await add(page, 'Tea');
      await add(page, 'Bread');
      await expectTexts(page, ['Bread', 'Tea']);
      await expectStatus(page, 'live', 0);
      expect(await readTexts()).toEqual(['Bread', 'Tea']);

      // The element of a row stays when the row changes and moves.
      await textInput(page, 1).evaluate((element) => element.setAttribute('data-mark', 'Tea'));
      await rename(page, 1, 'An orange');
      await expectTexts(page, ['An orange', 'Bread']);
      expect(await textInput(page, 0).getAttribute('data-mark')).toBe('Tea');
      await page.locator('.todos [type=checkbox]').nth(1).click();
      await expectTexts(page, ['An orange']);
      await eventually(async () => expect(await readTexts()).toEqual(['An orange', 'Bread ✓']));

      await other.account().Todo.set({ create: { k: { text: 'Milk' } } });
      await wake(page);
      await expectTexts(page, ['An orange', 'Milk']);

      await server.stop();
      await add(page, 'Offline');
      await expectTexts(page, ['An orange', 'Milk', 'Offline']);
      await expectStatus(page, 'offline', 1);
      server = await server.restart();
      await wake(page);
      await expectStatus(page, 'live', 0);
      expect(await page.locator('.todos .pending').count()).toBe(0);
      expect(await readTexts()).toEqual(['An orange', 'Bread ✓', 'Milk', 'Offline']);

      await rename(page, 0, 'x'.repeat(600));
      await eventually(async () =>
        expect(await page.locator('.problems li').innerText()).toContain('Not updated: xxxx'),
      );
      await expectTexts(page, ['An orange', 'Milk', 'Offline']);
      await page.click('text=Discard');
      await eventually(async () => expect(await page.locator('.problems li').count()).toBe(0));

      await page.locator('.todos button').nth(1).click();
      await expectTexts(page, ['An orange', 'Offline']);
      await eventually(async () =>
        expect(await readTexts()).toEqual(['An orange', 'Bread ✓', 'Offline']),
      );
      expect(faults).toEqual([]);
      await page.close();
    },
  );
});

async function servePages(url: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(ROOT, 'examples/clients/serve.mjs')], {
    env: { ...process.env, JMAP_URL: url, PAGE_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const listening = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`serve.mjs ended with ${code}.`)));
  });
  await within('The line of serve.mjs', listening);
  return child;
}

const textInput = (page: Page, at: number) => page.locator('.todos [aria-label=Text]').nth(at);

async function add(page: Page, text: string): Promise<void> {
  await page.fill('[aria-label="New todo"]', text);
  await page.click('text=Add');
  await eventually(async () =>
    expect(await page.locator('[aria-label="New todo"]').inputValue()).toBe(''),
  );
}

async function rename(page: Page, at: number, text: string): Promise<void> {
  await textInput(page, at).fill(text);
  await textInput(page, at).press('Enter');
}

/** Has the page look for the server, as it does when the network is there again. */
function wake(page: Page): Promise<boolean> {
  return page.evaluate(() => dispatchEvent(new Event('online')));
}

function expectTexts(page: Page, texts: readonly string[]): Promise<void> {
  return eventually(async () => {
    const inputs = page.locator('.todos [aria-label=Text]');
    const values = await inputs.evaluateAll((all) =>
      all.map((one) => (one as HTMLInputElement).value),
    );
    expect(values).toEqual(texts);
  });
}

/** Waits for the line of the state, and for as many rows with a mark as writes are pending. */
function expectStatus(page: Page, status: string, pending: number): Promise<void> {
  return eventually(async () => {
    const line = await page.innerText('[role=status]');
    expect(line).toBe(`${status}, ${pending} not saved yet`);
    const marks = await page.locator('.todos .pending small').allInnerTexts();
    expect(marks).toEqual(Array.from({ length: pending }, () => 'not saved yet'));
  });
}
