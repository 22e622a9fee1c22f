import { LONGEST_URL } from '../../accounts/push-port.js';
import { dataType } from '../../capability/build-type.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { deriveOnce } from '../../runtime/derive-once.js';
import type { CallContext } from '../context.js';
import { quoted } from '../issues.js';
import { validatorOf } from '../validator-of.js';
import type { PushServices } from './services.js';

/** A PushSubscription on the wire (RFC 8620 7.2), with what our own capability adds. */
interface Wire {
  readonly id: string;
  readonly deviceClientId: string;
  readonly url: string;
  readonly keys: JsonObject | null;
  readonly verificationCode: string | null;
  readonly expires: string;
  readonly types: readonly string[] | null;
}

interface Shape {
  readonly object: Wire;
  readonly create: object;
  readonly patch: object;
  readonly filter: object;
}

/** Unicode code points of a deviceClientId. */
const MAX_DEVICE = 255;
/** Characters of a code that are looked at: ours are shorter. */
const MAX_CODE = 256;
/** Names in `types`, repeated ones included. */
const MAX_TYPES = 10_000;

/**
 * Returns the type that the shared parts of /get and /set know subscriptions by. It has no table
 * of data and no account: its rows are PushSubscriptions' (accounts/push-port.ts).
 */
const subscriptionTypeOf = deriveOnce(
  (push: PushServices): DataTypeDefinition =>
    dataType<Shape>({
      name: 'PushSubscription',
      capability: 'urn:ietf:params:jmap:core',
      table: 'JmapPushSubscription',
      acceptSnakeCase: false,
      properties: {
        id: { kind: 'string', role: 'id' },
        deviceClientId: { kind: 'string', required: true, access: 'immutable' },
        url: { kind: 'string', required: true, access: 'immutable' },
        keys: { kind: 'json', nullable: true, default: null, access: 'immutable' },
        verificationCode: { kind: 'string', nullable: true, default: null },
        expires: { kind: 'date', nullable: true, default: null },
        types: { kind: 'json', nullable: true, default: null },
      },
      filters: {},
      sorts: [],
      shadows: [],
      validate: {
        update: validatorOf({
          deviceClientId: judgeDevice,
          url: judgeUrlText,
          keys: (value) => judgeKeys(value, push),
          verificationCode: judgeCodeText,
          expires: (value) =>
            value === null || typeof value === 'string' ? null : 'must be a UTCDate or null',
          types: (value) => judgeTypes(value, push.typeNames),
        }),
        filter: () => true,
      },
    }),
);

/** Returns what the methods of push subscriptions need; they are served nowhere without it. */
export function pushOf({ services }: Pick<CallContext, 'services'>): {
  readonly push: PushServices;
  readonly type: DataTypeDefinition;
} {
  const { push } = services;
  if (push === undefined) throw new Error('Push subscriptions are not served.');
  return { push, type: subscriptionTypeOf(push) };
}

function judgeDevice(value: JsonValue): string | null {
  const isLegal =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= 2 * MAX_DEVICE &&
    [...value].length <= MAX_DEVICE &&
    !/\p{Cc}/u.test(value);
  return isLegal ? null : `must be a string of 1 to ${MAX_DEVICE} characters, none a control one`;
}

function judgeUrlText(value: JsonValue): string | null {
  if (typeof value !== 'string' || !value.startsWith('https://'))
    return 'must be a string that begins with "https://"';
  if (/[\s\p{Cc}]/u.test(value)) return 'has spaces or control characters';
  return value.length > LONGEST_URL ? `has more than ${LONGEST_URL} characters` : null;
}

function judgeKeys(value: JsonValue, { judgeKeys: judge }: PushServices): string | null {
  if (value === null) return null;
  if (!isJsonObject(value)) return 'must be an object with "p256dh" and "auth", or null';
  const judged = judge(value);
  return typeof judged === 'string' ? judged : null;
}

function judgeCodeText(value: JsonValue): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') return 'must be a string or null';
  return value.length > MAX_CODE ? 'is not the code that was sent' : null;
}

function judgeTypes(value: JsonValue, types: ReadonlySet<string>): string | null {
  if (value === null) return null;
  if (!Array.isArray(value)) return 'must be a list of names of types, or null';
  if (value.length > MAX_TYPES) return `has more than ${MAX_TYPES} names`;
  for (const name of value as readonly JsonValue[]) {
    if (typeof name !== 'string') return 'must be a list of names of types, or null';
    if (!types.has(name)) {
      const known = [...types].join(', ');
      return `names ${quoted(name)}, which is no type of this server; it has ${known}`;
    }
  }
  return null;
}
