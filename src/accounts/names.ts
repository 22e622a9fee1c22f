import { DirectoryError } from './change.js';

/** Control characters, lone surrogates and line ends would break a list's lines, and U+0000 some databases. */
const NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Gives back a name of a user or account that may be kept. Throws DirectoryError. */
export function legalName(what: 'account' | 'user', name: string): string {
  if (NAME.test(name) && name.trim() === name) return name;
  throw new DirectoryError(
    `${JSON.stringify(name)} can't be the name of ${what === 'user' ? 'a user' : 'an account'}: it takes 1 to ` +
      '255 characters without control characters, and no space at either end.',
  );
}
