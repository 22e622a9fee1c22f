import type { PropertyDefinition } from '../../capability/definition.js';
import type { SetResponse } from '../../capability/standard.js';
import { equalSteps } from '../../protocol/equal.js';
import type { SetError } from '../../protocol/errors.js';
import {
  declaredObject,
  emptyObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { patchSteps } from '../../protocol/patch.js';
import type { Steps } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import { firstToken } from '../snake-case.js';
import type { TypeIndex } from '../type-index.js';

/** The members of the response that say what was not done. */
type Refused = 'notCreated' | 'notUpdated' | 'notDestroyed';

/** Gathers what a /set did and did not do, and makes its response (RFC 8620 5.3). */
export class SetReport {
  /** By creation id; null where nothing was created, as all these are. */
  #created: Record<string, JsonObject> | null = null;
  /** By real id. */
  #updated: Record<string, JsonObject | null> | null = null;
  /** Real ids, in order. */
  readonly destroyed: string[] = [];
  /** By creation id, or by key as sent. */
  readonly #refused: Record<Refused, Record<string, SetError> | null> = {
    notCreated: null,
    notUpdated: null,
    notDestroyed: null,
  };

  addCreate(key: string, report: JsonObject): void {
    this.#created ??= emptyObject<JsonObject>();
    this.#created[key] = report;
  }

  refuse(what: Refused, key: string, error: SetError): void {
    this.#refused[what] ??= emptyObject<SetError>();
    this.#refused[what][key] = error;
  }

  /** By creation id; null where there are none. */
  get notCreated(): Readonly<Record<string, SetError>> | null {
    return this.#refused.notCreated;
  }

  /**
   * By real id; two updates of one object (by its id and by its creation id) are reported together.
   */
  addUpdate(id: string, report: JsonObject | null): void {
    this.#updated ??= emptyObject<JsonObject | null>();
    const before = this.#updated[id] ?? null;
    this.#updated[id] = before === null ? report : { ...before, ...report };
  }

  toResponse(accountId: string, oldState: string, newState: string): SetResponse {
    const { notCreated, notUpdated, notDestroyed } = this.#refused;
    return {
      accountId,
      oldState,
      newState,
      created: this.#created,
      updated: this.#updated,
      destroyed: this.destroyed.length === 0 ? null : this.destroyed,
      notCreated,
      notUpdated,
      notDestroyed,
    };
  }
}

/** A map for the wire; null for an empty one (5.3). */
export function orNull<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> | null {
  if (entries.size === 0) return null;
  const object = emptyObject<T>();
  for (const [key, value] of entries) object[key] = value;
  return object;
}

/** What a client takes a property to be; undefined where it can't know. */
type Known = (property: PropertyDefinition) => JsonValue | undefined;

/** A report before lists and objects are compared: `unsure` has those that the client knows of. */
export interface Compared {
  readonly report: Record<string, JsonValue>;
  readonly unsure: Readonly<Record<string, JsonValue>> | null;
}

/** 5.3 and 5.4: the properties whose stored value isn't what the client takes it to be. */
function compare({ visible }: TypeIndex, object: StoredObject, known: Known): Compared {
  const report = declaredObject();
  let unsure: Record<string, JsonValue> | null = null;
  for (const property of visible) {
    const { name } = property;
    const stored = object[name] ?? null;
    const expected = known(property);
    if (expected === stored) continue;
    report[name] = stored;
    if (typeof expected !== 'object' || expected === null) continue;
    unsure ??= declaredObject();
    unsure[name] = expected;
  }
  return { report, unsure };
}

/** Takes out of a report what is equal after all. To compare may take long. */
export function* dropEqual({ report, unsure }: Compared): Steps<Record<string, JsonValue>> {
  for (const name in unsure) {
    if (yield* equalSteps(unsure[name] ?? null, report[name] ?? null)) delete report[name];
  }
  return report;
}

/** The client of a create knows what it sent. */
export function creationReport(index: TypeIndex, sent: JsonObject, object: StoredObject): Compared {
  return compare(index, object, ({ name }) => {
    const given = sent[name];
    return given !== undefined && Object.hasOwn(sent, name) ? given : undefined;
  });
}

/** What a client takes the properties that its updates named to be; undefined where it can't know. */
export type Expected = ReadonlyMap<string, JsonValue | undefined>;

/** What patches make of an object as the client sees it: what it gave, as it gave it. */
export function* expectedBy(before: JsonObject, patches: readonly JsonObject[]): Steps<Expected> {
  const expected = new Map<string, JsonValue | undefined>();
  let view = before;
  for (const [at, patch] of patches.entries()) {
    const result = yield* patchSteps(view, patch);
    const touched =
      result.kind === 'patched'
        ? result.touched
        : new Map(Object.keys(patch).map((pointer) => [firstToken(pointer), undefined] as const));
    const absent = result.kind === 'patched' ? null : undefined;
    for (const [name, value] of touched) expected.set(name, value ?? absent);
    if (at === patches.length - 1) break;
    view = Object.assign(emptyObject(), view, Object.fromEntries(expected));
  }
  return expected;
}

/**
 * 5.3: `updated` always, and each property whose stored value isn't what the client takes it to be,
 * whether the form of a value or what followed from the call made it so. Null where nothing changed
 * and the client takes it so: `isAsSent` where no hook has replaced its patch.
 */
export function* updateReport(
  index: TypeIndex,
  expected: Expected,
  { before, after }: { readonly before: StoredObject; readonly after: StoredObject },
  isAsSent = true,
): Steps<JsonObject | null> {
  if (before === after && isAsSent) return null;
  const report = yield* dropEqual(
    compare(index, after, ({ name }) =>
      expected.has(name) ? expected.get(name) : (before[name] ?? null),
    ),
  );
  if (before === after) return Object.keys(report).length === 0 ? null : report;
  const updated = index.roles.updated.name;
  report[updated] = after[updated] ?? null;
  return report;
}
