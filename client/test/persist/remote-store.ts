import type { BrowserContext, Page } from 'playwright-core';
import type { BlobChange, Change, OpenStore, Store } from '../../src/persist/port.js';
import { FencedError, QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import { openPage } from '../support/pages.js';
import type { Remote, RemoteAnswer } from './remote-page.js';

declare const remote: Remote;

const ERRORS: Readonly<Record<string, () => Error>> = {
  FencedError: () => new FencedError(),
  QuotaError: () => new QuotaError('In the page.'),
  StoreLostError: () => new StoreLostError('In the page.'),
};

/** A page of any browser. */
export type StorePage = Pick<Page, 'evaluate'>;

/** Opens a page that has the store in IndexedDB. */
export function openStorePage(context: BrowserContext): Promise<Page> {
  return openPage(context, 'persist/remote-page.ts');
}

/** The store in the IndexedDB of a page. */
export function remoteStore(page: StorePage): Store {
  return {
    open: async (name) => makeHandle(page, await openRemote(page, name)),
  };
}

/** Resolves to the number of a handle in the page. */
export async function openRemote(page: StorePage, name: string): Promise<number> {
  return read(await page.evaluate((one) => remote.open(one), name)) as number;
}

function makeHandle(page: StorePage, handle: number): OpenStore {
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
    loadPage: (...args) => call('loadPage', ...args),
    read: (table, keys) => call('read', table, [...keys]),
    // JSON has no octets: they go as numbers.
    loadBlob: async (key) => {
      const octets: readonly number[] | null = await call('loadBlob', key);
      return octets === null ? null : Uint8Array.from(octets);
    },
    commit: (changes, options) => call('commit', changes.map(writeOctets), options),
    fence: () => call('fence'),
    wipe: (rest = []) => call('wipe', rest),
    close: () => call('close'),
  };
}

function writeOctets(change: Change | BlobChange): object {
  return change.table === 'blobs' && change.value !== undefined
    ? { ...change, value: [...change.value] }
    : change;
}

function read(json: string): unknown {
  const answer = JSON.parse(json) as RemoteAnswer;
  if (!('error' in answer)) return answer.value;
  throw ERRORS[answer.error]?.() ?? new Error(answer.error);
}
