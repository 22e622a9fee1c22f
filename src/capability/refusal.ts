import type { MethodErrorType, SetError } from '../protocol/errors.js';

/**
 * A hook throws it to refuse its whole method call with an error of the wire (RFC 8620 3.6.2):
 * `throw new HookRefusal('forbidden', 'Only the owner may rebuild.')`. The client reads the
 * description. Anything else that a hook throws is a `serverFail` whose cause stays in the log.
 */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal';
  readonly type: MethodErrorType;

  constructor(type: MethodErrorType, description: string) {
    super(description);
    this.type = type;
  }
}

/** Objects that a `tx.set` refused, by creation id or id. */
export interface RefusedObjects {
  readonly notCreated: Readonly<Record<string, SetError>> | null;
  readonly notUpdated: Readonly<Record<string, SetError>> | null;
  readonly notDestroyed: Readonly<Record<string, SetError>> | null;
}

/**
 * The error of a `tx.set` that refused objects. The call is undone, even if the hook catches it.
 */
export class RefusedObjectsError extends Error {
  override readonly name = 'RefusedObjectsError';
  readonly refused: RefusedObjects;

  constructor(typeName: string, refused: RefusedObjects) {
    super(`tx.set of ${typeName} refused ${wordsOf(refused)}`);
    this.refused = refused;
  }
}

/** Refusals that a message names; the error has all of them. */
const NAMED = 3;

function wordsOf({ notCreated, notUpdated, notDestroyed }: RefusedObjects): string {
  const all = [
    ...Object.entries(notCreated ?? {}).map((entry) => ['create', ...entry] as const),
    ...Object.entries(notUpdated ?? {}).map((entry) => ['update', ...entry] as const),
    ...Object.entries(notDestroyed ?? {}).map((entry) => ['destroy', ...entry] as const),
  ];
  const texts = all
    .slice(0, NAMED)
    .map(([what, key, { type, description }]) => `${what} "${key}": ${type}: ${description}`);
  const more = all.length > NAMED ? [`and ${all.length - NAMED} more`] : [];
  return [...texts, ...more].join('; ');
}
