import { randomBytes, scrypt } from 'node:crypto';
import type { PropertyDefinition } from '../../capability/definition.js';
import { MethodError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { requireTime } from '../../runtime/deadlines.js';
import { accountOf } from '../accounts.js';
import type { CallContext, Services } from '../context.js';
import { encrypt, type SecretPlace } from '../encryption.js';
import type { TypeIndex } from '../type-index.js';
import { refusal } from './draft.js';
import type { SetPlan } from './plan-set.js';

const SALT_OCTETS = 16;
const HASH_OCTETS = 32;

/** A secret to seal, and where it goes. */
interface Task {
  readonly property: PropertyDefinition;
  readonly value: string;
  readonly place: SecretPlace;
  /** By property name. */
  readonly target: Record<string, JsonValue>;
}

/** The parts of a call that sealing needs. */
type SealScene = Pick<
  CallContext,
  'services' | 'request' | 'deadline' | 'account' | 'method' | 'isInternal'
>;

/**
 * Returns the plan with sealed secrets. Seals before the transaction: hashing is slow on purpose,
 * and others wait for the writer. A `tx.set` is already inside, so its hashes don't wait behind
 * others. Throws UnavailableError at the call's deadline, `serverUnavailable` if its client left.
 */
export async function sealSecrets(plan: SetPlan, context: SealScene): Promise<SetPlan> {
  const { index } = plan;
  if (index.secrets.length === 0) return plan;
  const { services, request, deadline, isInternal } = context;
  const accountId = accountOf(context).id;
  const tasks: Task[] = [];
  const creates = plan.creates.map((create) => {
    const { draft, birth } = create;
    if (refusal(draft) !== null) return create;
    const values = Object.assign(emptyObject(), draft.values);
    tasks.push(...tasksOf(index, { accountId, id: birth.id }, draft.values, values));
    return { ...create, draft: { ...draft, values } };
  });
  const updates = plan.updates.map((update) => {
    const { id, patch, refused, doubled } = update;
    if (refused !== null || doubled !== undefined) return update;
    const sealed = emptyObject();
    tasks.push(...tasksOf(index, { accountId, id }, patch, sealed));
    return { ...update, sealed };
  });
  const waiting = tasks.values();
  const { hashing } = services;
  const { userId } = request.principal;
  const lane = async (): Promise<void> => {
    for (const { property, value, place, target } of waiting) {
      requireTime(deadline);
      if (request.isGone()) throw new MethodError('serverUnavailable', 'The client has gone.');
      target[property.name] =
        property.secret === 'encrypt'
          ? encrypted(value, place, services)
          : await hashing.run(userId, deadline, () => hashed(value), isInternal);
    }
  };
  await Promise.all(Array.from({ length: hashing.maximumOfUser }, lane));
  return { ...plan, creates, updates };
}

function tasksOf(
  { type, secrets }: TypeIndex,
  object: Pick<SecretPlace, 'accountId' | 'id'>,
  values: JsonObject,
  target: Record<string, JsonValue>,
): readonly Task[] {
  return secrets.flatMap((property) => {
    const value = values[property.name];
    const place = { ...object, type, property };
    return typeof value === 'string' ? [{ property, value, place, target }] : [];
  });
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
