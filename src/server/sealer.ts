import type { Sealer } from '../accounts/push-port.js';
import { decrypt, encrypt, isEncrypted } from '../methods/encryption.js';

/** Returns what encrypts the secrets of push subscriptions; without a key it leaves them plain. */
export function createSealer(key: Uint8Array | null): Sealer {
  return {
    seal: (text, place) => (key === null ? text : encrypt(text, key, placeOf(place))),
    open: (stored, place) => {
      if (!isEncrypted(stored)) return stored;
      return key === null ? null : decrypt(stored, key, placeOf(place));
    },
    isCurrent: (stored) => key === null || isEncrypted(stored),
  };
}

/** They are of no account. */
function placeOf({ table, id, column }: Parameters<Sealer['seal']>[1]) {
  return { accountId: '', type: { table }, id, property: { column } };
}
