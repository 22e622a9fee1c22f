import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';

/**
 * Secrets that are stored encrypted: `FORM$nonce$text and tag`, the last two in base64url,
 * AES-256-GCM. The place where the text is stored is authenticated with it, so a text that is
 * copied to another place can't be decrypted there.
 */

const CIPHER = 'aes-256-gcm';
const NONCE_OCTETS = 12;
const TAG_OCTETS = 16;

const BOUND = 'aes256gcm-bound';
/** As older versions stored them: for any place. */
const UNBOUND = 'aes256gcm';

/** How the texts of older versions begin. */
export const UNBOUND_PREFIX = `${UNBOUND}$`;

export function isUnbound(stored: string): boolean {
  return stored.startsWith(UNBOUND_PREFIX);
}

/** Returns whether a text is stored encrypted, in whatever form. */
export function isEncrypted(stored: string): boolean {
  return stored.startsWith(`${BOUND}$`) || isUnbound(stored);
}

/**
 * The place of a stored secret. A rename of a type or property keeps the names of table and column.
 */
export interface SecretPlace {
  readonly accountId: string;
  readonly type: Pick<DataTypeDefinition, 'table'>;
  readonly id: string;
  readonly property: Pick<PropertyDefinition, 'column'>;
}

export function encrypt(text: string, key: Uint8Array, place: SecretPlace): string {
  const nonce = randomBytes(NONCE_OCTETS);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(placeOctets(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return [BOUND, nonce.toString('base64url'), sealed.toString('base64url')].join('$');
}

/**
 * Returns null where the text was encrypted with another key or for another place, or was changed.
 */
export function decrypt(stored: string, key: Uint8Array, place: SecretPlace): string | null {
  const [form, nonce = '', rest = ''] = stored.split('$');
  if (form !== BOUND && form !== UNBOUND) return null;
  const sealed = Buffer.from(rest, 'base64url');
  if (sealed.length < TAG_OCTETS) return null;
  const [text, tag] = [sealed.subarray(0, -TAG_OCTETS), sealed.subarray(-TAG_OCTETS)];
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), {
      authTagLength: TAG_OCTETS,
    }).setAuthTag(tag);
    if (form === BOUND) decipher.setAAD(placeOctets(place));
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function placeOctets({ accountId, type, id, property }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([accountId, type.table, id, property.column]));
}
