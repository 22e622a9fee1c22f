import type { DataTypeDefinition } from '../capability/definition.js';
import { type BackfillDatabase, beginningRows } from '../database/backfill-database.js';
import { decrypt, encrypt, isUnbound, UNBOUND_PREFIX } from '../methods/encryption.js';
import { emptyObject } from '../protocol/json.js';
import type { Log } from '../runtime/log.js';
import type { StoredObject } from '../store/port.js';
import { Recompute } from './recompute.js';
import { type RecomputeServices, Repairs } from './repairs.js';
import { batches } from './row-batches.js';

export interface BindingOptions extends RecomputeServices {
  readonly database: BackfillDatabase;
  readonly secretKey: Uint8Array;
  readonly log: Log;
}

/**
 * Encrypts secrets anew that an earlier version stored, which didn't bind them to their place
 * (methods/encryption.ts). Each start looks for them: the previous version may have written beside
 * this one, or a backup of it was restored. Clients see no change. A secret that the key doesn't
 * fit stays as it is, and the log tells of it.
 */
export async function bindSecrets(options: BindingOptions): Promise<void> {
  const { database, log, registry } = options;
  const recompute = new Recompute(options, new Repairs(options));
  for (const type of registry.dataTypes.values()) {
    const columns = encryptedOf(type).map(({ column }) => column);
    if (columns.length === 0) continue;
    const count = { bound: 0, left: 0 };
    const rows = beginningRows(UNBOUND_PREFIX, { table: type.table, columns });
    for await (const batch of batches(database, { type, rows })) {
      // By its objects: the transaction may be run again, and another server may have bound some
      // meanwhile.
      const left = new Set<string>();
      count.bound += await recompute.rewrite(batch, (object) => {
        const { accountId } = batch;
        const { bound, isWhole } = boundObject(type, object, accountId, options.secretKey);
        if (!isWhole) left.add(object.id);
        return bound;
      });
      count.left += left.size;
    }
    if (count.bound > 0)
      log.info({ type: type.name, objects: count.bound }, 'secrets bound to their objects');
    if (count.left > 0) {
      log.warn(
        { type: type.name, objects: count.left },
        'secrets are left as an older version stored them: SECRETS_KEY does not decrypt them',
      );
    }
  }
}

function encryptedOf(type: DataTypeDefinition) {
  return type.properties.filter(({ secret }) => secret === 'encrypt');
}

/**
 * Returns the object with all secrets bound that the key decrypts, itself where there is none;
 * `isWhole` where it decrypts all of them.
 */
function boundObject(
  type: DataTypeDefinition,
  object: StoredObject,
  accountId: string,
  key: Uint8Array,
): { readonly bound: StoredObject; readonly isWhole: boolean } {
  const values = emptyObject();
  let isWhole = true;
  for (const property of encryptedOf(type)) {
    const stored = object[property.name];
    if (typeof stored !== 'string' || !isUnbound(stored)) continue;
    const place = { accountId, type, id: object.id, property };
    const text = decrypt(stored, key, place);
    if (text === null) isWhole = false;
    else values[property.name] = encrypt(text, key, place);
  }
  if (Object.keys(values).length === 0) return { bound: object, isWhole };
  return { bound: Object.assign(emptyObject(), object, values) as StoredObject, isWhole };
}
