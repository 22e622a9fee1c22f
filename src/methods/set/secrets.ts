import { randomBytes, scrypt } from 'node:crypto';
import type { PropertyDefinition } from '../../capability/definition.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonValue } from '../../protocol/json.js';
import { requireTime } from '../../runtime/deadlines.js';
import { accountOf } from '../accounts.js';
import type { CallContext, Services } from '../context.js';
import { encrypt, type SecretPlace } from '../encryption.js';
import type { TypeIndex } from '../type-index.js';
import type { PlannedCreate } from './draft.js';
import type { SetPlan } from './plan.js';

/** What is stored of secrets: for each entry, by property name. */
export interface Seals {
  /** By creation id. */
  readonly creates: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By key as sent. */
  readonly updates: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Of a type that has no secrets. */
export const UNSEALED: Seals = { creates: new Map(), updates: new Map() };

const SALT_OCTETS = 16;
const HASH_OCTETS = 32;

/** What is to be sealed, and where it goes. */
interface Task {
  readonly property: PropertyDefinition;
  readonly value: string;
  readonly place: SecretPlace;
  readonly into: Map<string, string>;
}

/** The parts of a call that sealing needs. */
type SealScene = Pick<
  CallContext,
  'services' | 'request' | 'deadline' | 'account' | 'method' | 'isInternal'
>;

/**
 * Hashes and encrypts before the transaction: hashing is slow on purpose, and others wait for the
 * writer. Secrets of a `tx.set` can't be known before; their hashes don't wait behind others. Throws UnavailableError at the call's deadline and `serverUnavailable` where its client
 * has gone.
 */
export async function sealSecrets(
  index: TypeIndex,
  plan: Pick<SetPlan, 'creates' | 'updates'>,
  context: SealScene,
): Promise<Seals> {
  if (index.secrets.length === 0) return UNSEALED;
  const { services, request, deadline, isInternal } = context;
  const accountId = accountOf(context).id;
  const tasks: Task[] = [];
  const creates = new Map<string, ReadonlyMap<string, string>>();
  const updates = new Map<string, ReadonlyMap<string, string>>();
  for (const { key, draft, birth } of plan.creates) {
    const object = { accountId, id: birth.id };
    if (isFit(draft)) creates.set(key, planned(index, object, draft.values, tasks));
  }
  for (const { key, id, patch, refused } of plan.updates) {
    if (refused === null) updates.set(key, planned(index, { accountId, id }, patch, tasks));
  }
  const waiting = tasks.values();
  const { hashing } = services;
  const { userId } = request.principal;
  const lane = async (): Promise<void> => {
    for (const { property, value, place, into } of waiting) {
      requireTime(deadline);
      if (request.isGone()) throw new MethodError('serverUnavailable', 'The client has gone.');
      into.set(
        property.name,
        property.secret === 'encrypt'
          ? encrypted(value, place, services)
          : await hashing.run(userId, deadline, () => hashed(value), isInternal),
      );
    }
  };
  await Promise.all(Array.from({ length: hashing.maximumOfUser }, lane));
  return { creates, updates };
}

function isFit(draft: PlannedCreate['draft']): boolean {
  return draft.refused === null && !draft.problems.any;
}

/** The map that an entry's secrets will be in. */
function planned(
  index: TypeIndex,
  object: Pick<SecretPlace, 'accountId' | 'id'>,
  values: Readonly<Record<string, JsonValue>>,
  tasks: Task[],
): ReadonlyMap<string, string> {
  const into = new Map<string, string>();
  for (const property of index.secrets) {
    const value = values[property.name];
    const place = { ...object, type: index.type, property };
    if (typeof value === 'string') tasks.push({ property, value, place, into });
  }
  return into;
}

/** `scrypt$salt$hash`, both in base64url. */
function hashed(value: string): Promise<string> {
  const salt = randomBytes(SALT_OCTETS);
  return new Promise((resolve, reject) => {
    scrypt(value, salt, HASH_OCTETS, (error, hash) => {
      if (error !== null) reject(error);
      else resolve(`scrypt$${salt.toString('base64url')}$${hash.toString('base64url')}`);
    });
  });
}

function encrypted(value: string, place: SecretPlace, { secretKey }: Services): string {
  if (secretKey === undefined) {
    throw new MethodError('serverFail', 'This server has no key to encrypt secrets with.');
  }
  return encrypt(value, secretKey, place);
}
