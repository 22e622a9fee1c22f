import type { OpenStore } from '../persist/port.js';
import { makeClosedError } from '../persist/store-errors.js';

const METHODS = [
  ...(['load', 'loadPage', 'read', 'loadBlob'] as const),
  ...(['commit', 'fence', 'wipe', 'close'] as const),
];

/** The data of a name, by whatever handle they are open at present. */
export interface StoreHandle extends OpenStore {
  /** Goes on with another handle; null: the data can't be reached. */
  replace(open: OpenStore | null): void;
}

export function makeHandle(open: OpenStore | null): StoreHandle {
  let current = open;
  const methods = METHODS.map((name) => {
    const call = async (...args: readonly unknown[]): Promise<unknown> => {
      if (current === null) throw makeClosedError();
      return (current[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    };
    return [name, call] as const;
  });
  return {
    ...(Object.fromEntries(methods) as unknown as OpenStore),
    replace(next) {
      current = next;
    },
  };
}
