import type { Account, Project } from '../call/account.js';
import type { TypeTable } from '../schema/tables.js';
import type { PatchObject } from '../store/patches.js';
import type { AccountCache, LiveArguments, Recipe } from './account-cache.js';
import type { CachedAccount, UpdateOptions } from './cached-types.js';

/** Returns an account with the cached forms of the types that the client keeps. */
export function bindCache<P extends Project>(
  account: Account<P>,
  cache: AccountCache,
  tables: readonly TypeTable[],
): CachedAccount<P> {
  const methods = account as unknown as Readonly<Record<string, object>>;
  const types = tables.map((table) => [
    table.name,
    { ...methods[table.name], ...makeForms(cache, table) },
  ]);
  return { ...account, ...Object.fromEntries(types) } as unknown as CachedAccount<P>;
}

function makeForms(cache: AccountCache, table: TypeTable): object {
  const { name, methods, isSingleton } = table;
  const live = (args: LiveArguments = {}) => cache.live(table, args);
  if (!methods.includes('set')) return { live };
  const update = (id: string, edit: PatchObject | Recipe, options?: UpdateOptions) =>
    cache.update(name, id, edit, options);
  if (isSingleton === true) return { live, update };
  return {
    ...{ live, update },
    create: (values: object) => cache.create(table, values),
    destroy: (id: string) => cache.destroy(name, id),
  };
}
