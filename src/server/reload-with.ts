import type { Storage } from './storage.js';

/** A part that remembers rows which other processes change together with the access version. */
interface Remembering {
  reload(): Promise<void>;
}

/**
 * Returns how to read the access version so that what others have changed with it counts from then
 * on: whoever gets another version finds the parts reloaded.
 */
export function reloadWith(
  read: Storage['accessVersion'],
  parts: readonly Remembering[],
): Storage['accessVersion'] {
  let seen: string | null = null;
  const settle = (version: string): string | Promise<string> => {
    if (version === seen) return version;
    return Promise.all(parts.map((part) => part.reload())).then(() => {
      seen = version;
      return version;
    });
  };
  return () => {
    const version = read();
    return typeof version === 'string' ? settle(version) : version.then(settle);
  };
}
