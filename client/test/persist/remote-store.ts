import { join } from 'node:path';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../../../test/support/server.js';
import type { OpenStore, Store } from '../../src/persist/port.js';
import { FencedError, QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import type { Remote, RemoteAnswer } from './remote-page.js';

/** The origin of all pages. Nothing listens there. */
export const ORIGIN = 'http://localhost';

declare const remote: Remote;

const ERRORS: Readonly<Record<string, () => Error>> = {
  FencedError: () => new FencedError(),
  QuotaError: () => new QuotaError('In the page.'),
  StoreLostError: () => new StoreLostError('In the page.'),
};

/** Opens a page of the origin that has the store in IndexedDB. */
export async function openPage(context: BrowserContext): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'client/test/persist/remote-page.ts')],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  const page = await context.newPage();
  await page.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto(ORIGIN);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  return page;
}

/** The store in the IndexedDB of a page. */
export function remoteStore(page: Page): Store {
  return {
    open: async (name) => makeHandle(page, await openRemote(page, name)),
  };
}

/** Resolves to the number of a handle in the page. */
export async function openRemote(page: Page, name: string): Promise<number> {
  return read(await page.evaluate((one) => remote.open(one), name)) as number;
}

function makeHandle(page: Page, handle: number): OpenStore {
  const call = async (method: keyof OpenStore, ...args: readonly unknown[]) =>
    read(
      await page.evaluate(([one, name, json]) => remote.call(one, name, json), [
        handle,
        method,
        // JSON would make null of it.
        JSON.stringify(args.filter((arg) => arg !== undefined)),
      ] as const),
    ) as never;
  return {
    load: (...args) => call('load', ...args),
    commit: (...args) => call('commit', ...args),
    fence: () => call('fence'),
    wipe: () => call('wipe'),
    close: () => call('close'),
  };
}

function read(json: string): unknown {
  const answer = JSON.parse(json) as RemoteAnswer;
  if (!('error' in answer)) return answer.value;
  throw ERRORS[answer.error]?.() ?? new Error(answer.error);
}
