import type { TypeView } from '../view.js';

/**
 * Returns whether a rule lets other users than the owner of the account see objects. A user who
 * creates an object must see it then, and shares come later.
 */
export function isReadByOthers({ access }: TypeView): boolean {
  return access.some(
    ({ who, allowed }) =>
      who?.name !== 'owner' && allowed.some(({ operation }) => operation === 'read'),
  );
}

/** Returns why "everyone" creates nothing, and one way out; a sentence without its end. */
export function whyInvisible({ name }: TypeView): string {
  const why = `"everyone" can create no ${name}: no rule lets others than the owner see any`;
  return `${why}. Give "access" a rule { who: creator, read: true, update: true, destroy: true }`;
}
