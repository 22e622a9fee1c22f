import type { JsonValue } from '../../../src/protocol/json.js';
import type { Account, CallOptions, Project } from '../call/account.js';
import type { BlobId, Blobs, DownloadOptions, UploadOptions } from '../call/blobs.js';
import type { TypeTable } from '../schema/tables.js';
import type { PatchObject } from '../store/patches.js';
import { mapTexts } from '../store/values.js';
import type { AccountCache } from './account-cache.js';
import type { LiveArguments } from './account-lists.js';
import type { CachedAccount, UpdateOptions } from './cached-types.js';
import {
  type Recipe,
  type WriteTarget,
  writeCreate,
  writeDestroy,
  writeUpdate,
} from './write-forms.js';

/** Returns an account with the cached forms of the types that the client keeps. */
export function bindCache<P extends Project>(
  account: Account<P>,
  cache: AccountCache,
  tables: readonly TypeTable[],
): CachedAccount<P> {
  const methods = bindMethods(account, cache) as Readonly<Record<string, object>>;
  const bind = (target: WriteTarget, make: (table: TypeTable) => object): object =>
    Object.fromEntries(
      tables.map((table) => [table.name, { ...make(table), ...makeForms(target, table) }]),
    );
  const types = bind(cache.writes, (table) => ({
    ...methods[table.name],
    live: (args: LiveArguments = {}) => cache.lists.live(table, args),
  }));
  const write = (make: (tx: object) => void) =>
    cache.writes.write((target) => make(bind(target, () => ({}))));
  return {
    ...methods,
    ...types,
    ...bindBlobs(account, cache),
    write,
  } as unknown as CachedAccount<P>;
}

const READING: readonly string[] = ['get', 'changes', 'query', 'queryChanges'];

type Call = (args?: object) => unknown;
type Groups = Readonly<Record<string, object>>;
type Send = (build: (types: Groups) => object, options?: CallOptions) => Promise<unknown>;

/**
 * Returns an account whose methods send ids in the place of keys. Behind one that may write, the
 * client reads what has changed.
 */
function bindMethods<P extends Project>(account: Account<P>, cache: AccountCache): object {
  const bind = (groups: object, wrap: (verb: string, call: () => unknown) => unknown): Groups =>
    mapMembers(groups as Groups, (group) =>
      typeof group !== 'object'
        ? group
        : mapMembers(group as Readonly<Record<string, Call>>, (method, verb) => (args = {}) => {
            const resolve = (text: string): string => cache.resolve(text);
            return wrap(verb, () => method(mapTexts(args as JsonValue, resolve) as object));
          }),
    );
  const sendAll =
    (send: Send): Send =>
    async (build, options) => {
      let isWriting = false;
      const note = (verb: string, call: () => unknown): unknown => {
        isWriting ||= !READING.includes(verb);
        return call();
      };
      try {
        return await send((types) => build(bind(types, note)), options);
      } finally {
        if (isWriting) cache.hint();
      }
    };
  const alone = async (verb: string, call: () => unknown): Promise<unknown> => {
    try {
      return await call();
    } finally {
      if (!READING.includes(verb)) cache.hint();
    }
  };
  const { batch, settled } = account as unknown as Readonly<Record<'batch' | 'settled', Send>>;
  return { ...bind(account, alone), batch: sendAll(batch), settled: sendAll(settled) };
}

function mapMembers<Value, Other>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Other,
): Readonly<Record<string, Other>> {
  return Object.fromEntries(Object.entries(object).map(([name, one]) => [name, map(one, name)]));
}

/** Returns the files of an account. Files on their way to the server are here, under their keys. */
function bindBlobs({ download, blobUrl }: Blobs, cache: AccountCache): object {
  const { uploads } = cache;
  return {
    upload: (data: BlobPart, options?: UploadOptions) => uploads.upload(data, options),
    download: async (key: BlobId, options?: DownloadOptions) => {
      const file = await uploads.read(key);
      return file ? new Response(file) : download(cache.blobIdOf(key), options);
    },
    blobUrl: async (key: BlobId, options?: DownloadOptions) => {
      const file = await uploads.read(key);
      if (file === null) return blobUrl(cache.blobIdOf(key), options);
      const url = URL.createObjectURL(file);
      return { url, revoke: () => URL.revokeObjectURL(url) };
    },
  };
}

function makeForms(target: WriteTarget, table: TypeTable): object {
  const { name, methods, isSingleton } = table;
  if (!methods.includes('set')) return {};
  const update = (id: string, edit: PatchObject | Recipe, options?: UpdateOptions) =>
    writeUpdate(target, [name, id], edit, options);
  if (isSingleton === true) return { update };
  return {
    update,
    create: (values: object) => writeCreate(target, table, values),
    destroy: (id: string) => writeDestroy(target, name, id),
  };
}
