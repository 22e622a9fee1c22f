import type { MethodDefinition } from '../capability/capability-definition.js';
import type { RequestScope } from '../methods/context.js';

/** A call that the server makes by itself, for a hook that no client has called. */
export interface ServerCall {
  readonly accountId: string;
  /** In whose name it writes; "" for nobody's. */
  readonly userId: string;
  /** The hook, for messages. */
  readonly what: string;
  /** By `performance.now()`, with its waits. */
  readonly deadline: number;
}

/** Work that a hook does in transactions of an account, by itself. */
export interface OwnWork extends Pick<ServerCall, 'accountId' | 'userId'> {
  /** When the hook's time is over, by `performance.now()`. */
  readonly end: number;
  /** Aborted then. */
  readonly signal: AbortSignal;
}

/** The work ends so long after its hook, ms: the hook's own limit is told first. */
export const GRACE = 100;

/** The method of such a call, without its name. */
export const SERVER_METHOD: Omit<MethodDefinition, 'name'> = Object.freeze({
  capability: '',
  account: 'write',
  acceptSnakeCase: false,
  validateArguments: () => true,
  body: 'hookFile',
});

/** Its account, without the id. */
export const SERVER_ACCOUNT = Object.freeze({
  name: '',
  isPersonal: true,
  isReadOnly: false,
  capabilities: null,
});

/** A principal without a user: the server's own code comes by no credential. */
const NOBODY = Object.freeze({
  username: '',
  credential: Object.freeze({ id: '', owner: '', signIn: null }),
  expires: null,
  accounts: new Map(),
  roles: [],
  capabilities: null,
  types: null,
});

/** Returns its request: nobody waits for an answer. */
export function serverRequest(userId: string): RequestScope {
  const principal = { ...NOBODY, userId };
  return {
    principal,
    using: new Set(),
    isLong: false,
    isGone: () => false,
    createdIds: new Map(),
    remainingOctets: Number.POSITIVE_INFINITY,
    readAhead: null,
  };
}
