import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import { decrypt, encrypt } from '../encryption.js';
import type { Problems } from '../issues.js';
import type { PlannedCreate } from '../set/draft.js';
import type { CopyScene } from './copy-plan.js';

/**
 * Returns the secrets of a copy that doesn't override its original's. A user who may not write to
 * the source account gets none of them: they are null. An encrypted secret is encrypted anew for
 * the copy. Notes the properties for which this is impossible.
 */
export function inheritedSecrets(
  { index, from, context }: CopyScene,
  original: StoredObject,
  { draft, birth }: PlannedCreate,
  problems: Problems,
): JsonObject {
  const { secretKey } = context.services;
  const values = emptyObject();
  for (const property of index.secrets) {
    const { name } = property;
    const stored = original[name];
    if (typeof stored !== 'string' || Object.hasOwn(draft.values, name)) continue;
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
        values[name] = encrypt(text, secretKey, {
          accountId: accountOf(context).id,
          id: birth.id,
          ...place,
        });
      else problems.add(name, "can't be decrypted: give the copy its own");
    }
  }
  return values;
}
