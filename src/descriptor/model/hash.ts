import { createHash } from 'node:crypto';
import { canonicalJson, objectText } from '../../protocol/canonical-json.js';

/** Returns the SHA-256 of a text's UTF-8 octets, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * Hashes what a descriptor means, as the model has it: neither comments, white space, order nor
 * descriptions count, so that the session's state changes when behaviour does
 * (docs/reference/protocol.md#session-state).
 */
export function meaningHash(meaning: unknown): string {
  return `sha256-${sha256(meaningText(meaning))}`;
}

/** Returns a short hash of what a part of a descriptor means: 22 characters of base64url. */
export function meaningDigest(meaning: unknown): string {
  const digest = createHash('sha256').update(meaningText(meaning), 'utf8').digest('base64url');
  return digest.slice(0, DIGEST_LENGTH);
}

/** 132 bits. */
const DIGEST_LENGTH = 22;

/** Values that are the author's data: every member of them counts. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  ...['session', 'accountSession', 'oauthScopes', 'plans', 'default', 'enum', 'const'],
]);

/** The keys of a type or a property that concern the next migration alone. */
const EVOLUTION_KEYS: ReadonlySet<string> = new Set(['drops', 'renamedFrom']);

/** The parts of a property or a method that follow from its others. */
const DERIVED_KEYS: ReadonlySet<string> = new Set(['texts', 'idPlaces']);

/** The lists of a property that count only where something is in them. */
const FILLED_KEYS: ReadonlySet<string> = new Set(['references']);

/**
 * Returns canonical JSON without places, descriptions and what is for migrations alone. Lists of
 * named things are objects in it, so that their order doesn't count.
 */
function meaningText(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0 || !value.every(isNamed)) return `[${value.map(meaningText).join(',')}]`;
    return objectText([...new Map(value.map((item) => [item.name, meaningText(item)]))]);
  }
  if (typeof value !== 'object' || value === null) return canonicalJson(value);
  const members: [string, string][] = [];
  // Only what the descriptor declares has a place: a schema has members of any name.
  const declared = 'at' in value && isPlace('at', value.at);
  for (const [key, inner] of Object.entries(value)) {
    if (declared && (EVOLUTION_KEYS.has(key) || DERIVED_KEYS.has(key))) continue;
    if (declared && FILLED_KEYS.has(key) && isEmptyList(inner)) continue;
    if (inner === undefined || isPlace(key, inner) || (key === 'description' && isText(inner)))
      continue;
    members.push([key, DATA_KEYS.has(key) ? canonicalJson(inner) : meaningText(inner)]);
  }
  return objectText(members);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Returns whether a member is the place of its owner in a file, which has no meaning. */
function isPlace(key: string, value: unknown): boolean {
  return key === 'at' && typeof value === 'object' && value !== null && 'line' in value
    ? typeof value.line === 'number'
    : false;
}

/**
 * Returns whether a value has a text `name`, as types, properties and methods of the model have.
 */
function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && isText(value.name);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
