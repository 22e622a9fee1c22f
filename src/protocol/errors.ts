import type { JsonObject, JsonValue } from './json.js';

/**
 * The closed catalogue of everything that can go wrong on the wire. An error is a value of one of
 * three levels (RFC 8620 3.6): of the request, of a method call, of one object of a /set. Nothing
 * else leaves the server.
 */

/** Request-level problem types (RFC 8620 3.6.1), without their URN prefix. */
export type RequestErrorType = 'unknownCapability' | 'notJSON' | 'notRequest' | 'limit';

/** Method-level error types (RFC 8620 3.6.2, 5.1 to 5.6, 6.3; RFC 9404 for unknownDataType). */
export type MethodErrorType =
  | 'accountNotFound'
  | 'accountNotSupportedByMethod'
  | 'accountReadOnly'
  | 'anchorNotFound'
  | 'cannotCalculateChanges'
  | 'forbidden'
  | 'fromAccountNotFound'
  | 'fromAccountNotSupportedByMethod'
  | 'invalidArguments'
  | 'invalidResultReference'
  | 'requestTooLarge'
  | 'serverFail'
  | 'serverUnavailable'
  | 'stateMismatch'
  | 'tooManyChanges'
  | 'unknownDataType'
  | 'unknownMethod'
  | 'unsupportedFilter'
  | 'unsupportedSort';

/**
 * SetError types (RFC 8620 5.3, 5.4; RFC 9404 for blobNotFound; RFC 8621 for objectIsLinked's
 * like).
 */
export type SetErrorType = (typeof SET_ERROR_TYPES)[number];

export const SET_ERROR_TYPES = Object.freeze([
  'alreadyExists',
  'blobNotFound',
  'forbidden',
  'invalidPatch',
  'invalidProperties',
  'notFound',
  'objectIsLinked',
  'overQuota',
  'rateLimit',
  'singleton',
  'tooLarge',
  'willDestroy',
] as const);

/** Returns whether a type of SetErrors is one of the catalogue. */
export function isSetErrorType(type: string): type is SetErrorType {
  return (SET_ERROR_TYPES as readonly string[]).includes(type);
}

/** One object's failure in a /set-like method. `description` always names what was wrong. */
export interface SetError {
  /** The engine's own errors are of the catalogue; hooks may refuse by a type of their own. */
  readonly type: SetErrorType | (string & {});
  readonly description: string;
  readonly properties?: readonly string[];
  readonly existingId?: string;
  readonly objectIds?: readonly string[];
}

/**
 * A SetError of the RFCs: hooks of every type may refuse by one. `Own`: names that a data type
 * declares itself, with further members.
 */
export interface StandardSetError<Own = never> extends SetError {
  readonly type: Exclude<SetErrorType, Own>;
}

export function setError(
  type: SetError['type'],
  description: string,
  more: Omit<SetError, 'type' | 'description'> = {},
): SetError {
  return { type, description, ...more };
}

/** Rejects one method call (RFC 8620 3.6.2). Thrown inside a method, answered by dispatch. */
export class MethodError extends Error {
  override readonly name = 'MethodError';
  readonly type: MethodErrorType;
  /** Why exactly, for a request that asks to be explained. */
  readonly reason: JsonObject | undefined;

  constructor(type: MethodErrorType, description: string, reason?: JsonObject) {
    super(description);
    this.type = type;
    this.reason = reason;
  }

  /** Returns the arguments of the `error` response. */
  toResponse(): { readonly type: MethodErrorType; readonly description: string } {
    return { type: this.type, description: this.message };
  }
}

/** Rejects a whole request (RFC 8620 3.6.1). Thrown before any call is run. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly type: RequestErrorType;
  /** The name of the limit, for type `limit`. */
  readonly limit: string | undefined;
  readonly status: number;
  /** Seconds after which the request may come again, where they are known. */
  readonly retryAfter: number | undefined;
  /** The limit itself, where it is the hard one of a quota. */
  readonly hardLimit: number | undefined;

  constructor(
    type: RequestErrorType,
    detail: string,
    more: { limit?: string; status?: number; retryAfter?: number; hardLimit?: number } = {},
  ) {
    super(detail);
    this.type = type;
    this.limit = more.limit;
    this.hardLimit = more.hardLimit;
    this.status = more.status ?? 400;
    this.retryAfter = more.retryAfter;
  }

  /** Returns the problem details object (RFC 7807) for the body. */
  toProblem(): Readonly<Record<string, JsonValue>> {
    return {
      type: `urn:ietf:params:jmap:error:${this.type}`,
      status: this.status,
      detail: this.message,
      ...(this.limit === undefined ? {} : { limit: this.limit }),
      ...(this.hardLimit === undefined ? {} : { hardLimit: this.hardLimit }),
      ...(this.retryAfter === undefined ? {} : { retryAfter: this.retryAfter }),
    };
  }
}

/**
 * A failure that may pass: a busy or lost database, a full queue, a time-out. Dispatch answers
 * `serverUnavailable`; a transport that has no call to answer gives 503.
 */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** An identity provider doesn't say whether a token is good: it may be. */
export class ProviderAwayError extends UnavailableError {
  override readonly name = 'ProviderAwayError';
}

/** The database was lost between the commit and its answer: nobody knows whether it was made. */
export class UnknownOutcomeError extends UnavailableError {
  override readonly name = 'UnknownOutcomeError';
}
