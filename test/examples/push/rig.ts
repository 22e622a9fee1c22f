import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type Network, startProxy } from '../../faults/proxy.js';
import { binOf } from '../../package/pack.js';
import { launchChromium } from '../../support/chromium.js';
import { Client, CORE } from '../../support/client.js';
import { within } from '../../support/poll.js';
import { freePort } from '../../support/postgresql-cluster.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { exampleProject } from '../example-project.js';

const LIST = 'urn:example:list';

/** The example as its README starts it: a JMAP server, a server of the page, and a browser. */
export class PushExample {
  server: RunningServer;
  readonly client: Client;
  readonly browser: Browser;
  /** Between the browser and the server. */
  readonly network: Network;
  /** The origin that `CORS_ORIGINS` names. */
  readonly page: string;
  /** The same page at an origin that it doesn't name. */
  readonly foreign: string;
  readonly #accountId: string;
  readonly #pages: readonly ChildProcess[];
  /** The output of servers that have ended. */
  #logs = '';

  private constructor(parts: {
    server: RunningServer;
    client: Client;
    browser: Browser;
    network: Network;
    ports: readonly number[];
    pages: readonly ChildProcess[];
    accountId: string;
  }) {
    const [page = '', foreign = ''] = parts.ports.map((port) => `http://localhost:${port}`);
    this.server = parts.server;
    this.client = parts.client;
    this.browser = parts.browser;
    this.network = parts.network;
    this.page = page;
    this.foreign = foreign;
    this.#accountId = parts.accountId;
    this.#pages = parts.pages;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<PushExample> {
    const project = await exampleProject('push', 'quick');
    const ports = [await freePort(), await freePort()];
    const server = await startServer({
      ...{ project, bin: binOf(project) },
      env: {
        ...{ BOOTSTRAP_TOKEN: 'on', LOG_LEVEL: 'debug' },
        CORS_ORIGINS: `http://localhost:${ports[0]}`,
        ...env,
      },
    });
    const token = readFileSync(join(server.dataDir, 'first-token'), 'utf8').trim();
    const client = new Client(server.url, token, [CORE, LIST]);
    const { accounts } = await client.session();
    const [accountId = ''] = Object.keys(accounts as object);
    const network = await startProxy(Number(new URL(server.url).port));
    const jmap = `http://127.0.0.1:${network.port}`;
    const pages = await Promise.all(ports.map((port) => servePage(project, jmap, port)));
    const browser = await launchChromium();
    return new PushExample({ server, client, browser, network, ports, pages, accountId });
  }

  /** The server as pages see it. */
  get url(): string {
    return `http://127.0.0.1:${this.network.port}`;
  }

  /** All that the servers have written. */
  get logs(): string {
    return this.#logs + this.server.stdout() + this.server.stderr();
  }

  /** Adds so many items, as another client does. */
  async write(count = 1): Promise<void> {
    const { client } = this;
    for (let n = 0; n < count; n += 1)
      await client.ok('Item/set', {
        accountId: this.#accountId,
        create: { k: { text: `item ${n}` } },
      });
  }

  async count(): Promise<number> {
    return (await this.#readItems()).list.length;
  }

  async stateOfItems(): Promise<string> {
    return (await this.#readItems()).state;
  }

  async #readItems(): Promise<{ readonly list: readonly unknown[]; readonly state: string }> {
    const args = { accountId: this.#accountId, ids: null, properties: ['id'] };
    return (await this.client.ok('Item/get', args)) as never;
  }

  /** SIGTERM, and a start on the same port. */
  async restart(): Promise<void> {
    const before = this.server;
    this.server = await before.restart();
    this.#logs += before.stdout() + before.stderr();
  }

  async open(context: BrowserContext, origin = this.page): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin);
    return page;
  }

  async signIn(page: Page): Promise<void> {
    await page.fill('[name=token]', this.client.token);
    await page.click('#sign-in button');
    await page.waitForSelector('main', { state: 'visible' });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.network.close();
    for (const child of this.#pages) child.kill();
    await this.server.remove();
  }
}

/** Keeps one example for the tests of a file. */
export function usePushExample(
  env: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): () => PushExample {
  let example: PushExample | undefined;
  beforeAll(async () => {
    example = await PushExample.start(await env());
  }, 600_000);
  afterAll(() => example?.close());
  return () => {
    if (example === undefined) throw new Error('The example is served inside tests only.');
    return example;
  };
}

/** Gathers the requests of a page for event sources. */
export function watchStreams(page: Page): Request[] {
  const streams: Request[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/jmap/eventsource') streams.push(request);
  });
  return streams;
}

/** Returns the number of lines of the list that a page shows. */
export function shown(page: Page): Promise<number> {
  return page.locator('li').count();
}

async function servePage(project: string, jmap: string, port: number): Promise<ChildProcess> {
  const env = { ...process.env, JMAP_URL: jmap, PAGE_PORT: String(port) };
  const child = spawn(process.execPath, ['serve.mjs'], { cwd: project, env });
  const listening = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`serve.mjs ended with ${code}.`)));
  });
  await within('The line of serve.mjs', listening);
  return child;
}
