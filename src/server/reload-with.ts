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
  /** By version: the reloading that all who see it wait for. */
  const running = new Map<string, Promise<string>>();
  const reload = async (version: string): Promise<string> => {
    try {
      await Promise.all(parts.map((part) => part.reload()));
      seen = version;
      return version;
    } finally {
      running.delete(version);
    }
  };
  const settle = (version: string): string | Promise<string> => {
    if (version === seen) return version;
    const reloading = running.get(version) ?? reload(version);
    running.set(version, reloading);
    return reloading;
  };
  return () => {
    const version = read();
    return typeof version === 'string' ? settle(version) : version.then(settle);
  };
}
