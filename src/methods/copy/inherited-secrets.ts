import type { AccountAccess } from '../../accounts/principal.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { decrypt, encrypt } from '../encryption.js';
import type { Problems } from '../issues.js';
import type { TypeIndex } from '../type-index.js';
import type { PlannedCopy } from './copy-plan.js';

interface Accounts {
  readonly from: AccountAccess;
  readonly to: AccountAccess;
  readonly secretKey: Uint8Array | undefined;
}

/**
 * Returns the secrets of a copy that doesn't override its original's. A user who may not write to
 * the source account gets none of them: they are null. An encrypted secret is encrypted anew for
 * the copy. Notes the properties for which this is impossible.
 */
export function inheritedSecrets(
  index: TypeIndex,
  original: StoredObject,
  { overrides, birth }: PlannedCopy & { readonly kind: 'copy' },
  { from, to, secretKey }: Accounts,
  problems: Problems,
): JsonObject {
  const values = emptyObject();
  for (const property of index.secrets) {
    const { name } = property;
    const stored = original[name];
    if (typeof stored !== 'string' || Object.hasOwn(overrides.values, name)) continue;
    if (from.isReadOnly) {
      values[name] = null;
      if (property.required)
        problems.add(
          name,
          'is a secret of an account that you may only read: give the copy its own',
        );
    } else if (property.secret === 'encrypt') {
      const { type } = index;
      const place = { type, property };
      const text =
        secretKey && decrypt(stored, secretKey, { accountId: from.id, id: original.id, ...place });
      if (typeof text === 'string' && secretKey !== undefined)
        values[name] = encrypt(text, secretKey, { accountId: to.id, id: birth.id, ...place });
      else problems.add(name, "can't be decrypted: give the copy its own");
    }
  }
  return values;
}
