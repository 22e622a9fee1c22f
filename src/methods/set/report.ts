import { type Rights, withRights } from '../../access/rights.js';
import { propertiesOfRules } from '../../capability/access-rules.js';
import type { PropertyDefinition } from '../../capability/definition.js';
import type { SetResponse } from '../../capability/standard.js';
import { equalSteps, jsonEqual } from '../../protocol/equal.js';
import type { SetError } from '../../protocol/errors.js';
import {
  declaredObject,
  emptyObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { parsePointer } from '../../protocol/json-pointer.js';
import { patchSteps } from '../../protocol/patch.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import type { StoredObject } from '../../store/port.js';
import { firstToken, type TypeIndex } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import type { OwnValues } from './own-values.js';
import type { CreateOperation, DestroyOperation, ProposedChanges } from './proposed-changes.js';
import { MEMBER, unknownNames } from './unknown-members.js';

/** The outcome of a /set: the members of its response (RFC 8620 5.3); null for none. */
class Outcome {
  created: Record<string, JsonObject> | null = null;
  updated: Record<string, JsonObject | null> | null = null;
  destroyed: readonly string[] | null = null;
  notCreated: Record<string, SetError> | null = null;
  notUpdated: Record<string, SetError> | null = null;
  notDestroyed: Record<string, SetError> | null = null;
}

/** To compare a property takes as long as to look at so many values. */
const COMPARED = 16;

/**
 * Tells a client what it can't know of the outcome for its objects (RFC 8620 5.3 and 5.4). If a
 * hook has replaced the arguments, it tells all that differs from what the client sent.
 */
export class SetReport {
  readonly #index: TypeIndex;
  readonly #unit: UnitOfWork;
  readonly #outcome = new Outcome();
  readonly #rights: ReadonlyMap<string, Rights> | null;
  readonly #own: OwnValues | undefined;

  /**
   * `unit`: all that the call has written. `rights`: of the user at the objects of a shared type;
   * null for any other one. `own`: the values that the user has of its own, if the type has some.
   */
  constructor(
    index: TypeIndex,
    unit: UnitOfWork,
    rights: ReadonlyMap<string, Rights> | null = null,
    own?: OwnValues,
  ) {
    this.#index = index;
    this.#unit = unit;
    this.#rights = rights;
    this.#own = own;
  }

  /** Returns an object as the user reads it after the call. */
  #shown(object: StoredObject, values = this.#own?.after(object.id)): StoredObject {
    const rights = this.#rights?.get(object.id);
    const shared = rights === undefined ? object : withRights(this.#index.type, object, rights);
    if (this.#own === undefined || values === undefined) return shared;
    return this.#own.shown(shared, values);
  }

  /** Returns an object as the user knows it, without rights that may be others now. */
  #known(before: StoredObject, after: StoredObject): StoredObject {
    const { myRights } = this.#index.roles;
    const shown = this.#shown(before, this.#own?.before(before.id));
    if (myRights === undefined || shown === before) return shown;
    const names = propertiesOfRules(this.#index.type.access ?? []);
    const isSame = [...names].every((name) => jsonEqual(before[name] ?? null, after[name] ?? null));
    if (isSame && !this.#unit.hasChangedRights) return shown;
    const { [myRights.name]: _, ...rest } = shown;
    return rest as StoredObject;
  }

  *tellCreates(creates: readonly CreateOperation[]): Steps<void> {
    const index = this.#index;
    const strides = new Strides();
    for (const { key, id, error, object, sent } of creates) {
      if (error !== null) {
        this.#refuse('notCreated', key, error);
        continue;
      }
      if (strides.isOver(index.visible.length * COMPARED)) yield;
      const created = this.#shown(this.#unit.current(index.type, id) ?? object);
      const compared = creationReport(index, sent, created);
      this.#outcome.created ??= emptyObject<JsonObject>();
      this.#outcome.created[key] =
        compared.unsure === null ? compared.report : yield* dropEqual(compared);
    }
  }

  /**
   * Tells the outcome for objects that updates named, or that changed as a consequence. Tells two
   * updates of one object (by its id and by its creation id) together.
   */
  *tellUpdates(
    { updates, rows }: ProposedChanges,
    stored: ReadonlyMap<string, StoredObject>,
    sideEffects: ReadonlyMap<string, StoredObject>,
  ): Steps<void> {
    const index = this.#index;
    const moves = new Map<string, ReportedMove>();
    for (const { key, id, patch, sent, error } of updates) {
      const before = rows.get(id)?.create?.object ?? stored.get(id);
      if (error !== null) this.#refuse('notUpdated', key, error);
      else if (before !== undefined) {
        const move = moves.get(id) ?? { before, patches: [], isNoOp: true };
        moves.set(id, move);
        move.patches.push(sent);
        move.isNoOp &&= sent === patch && (rows.get(id)?.updates.length ?? 0) === 0;
      }
    }
    for (const [id, before] of sideEffects) {
      const isOwn = (rows.get(id)?.create ?? null) !== null;
      if (!isOwn && !moves.has(id)) moves.set(id, { before, patches: [], isNoOp: true });
    }
    for (const [id, { before, patches, isNoOp }] of moves) {
      const now = this.#unit.current(index.type, id);
      if (now === null && patches.length === 0) continue;
      yield;
      const after = now ?? before;
      const shown = this.#shown(after);
      const isSame = after === before && this.#own?.isChanged(id) !== true;
      const known = isSame ? shown : this.#known(before, after);
      const expected = yield* expectedBy(known, patches);
      yield;
      const move = { before: known, after: shown, isStamped: after !== before };
      this.#outcome.updated ??= emptyObject<JsonObject | null>();
      this.#outcome.updated[id] = yield* updateReport(index, expected, move, isNoOp);
    }
  }

  tellDestroys(destroys: readonly DestroyOperation[], destroyed: readonly string[]): void {
    for (const { key, error } of destroys) {
      if (error !== null) this.#refuse('notDestroyed', key, error);
    }
    if (destroyed.length > 0) this.#outcome.destroyed = destroyed;
  }

  toResponse(accountId: string, oldState: string, newState: string): SetResponse {
    return { accountId, oldState, newState, ...this.#outcome };
  }

  #refuse(what: 'notCreated' | 'notUpdated' | 'notDestroyed', key: string, error: SetError): void {
    this.#outcome[what] ??= emptyObject<SetError>();
    this.#outcome[what][key] = error;
  }
}

/** An object that an update named, or that changed as a consequence. */
interface ReportedMove {
  readonly before: StoredObject;
  readonly patches: JsonObject[];
  /** No hook has replaced a patch, and the patches by themselves change nothing. */
  isNoOp: boolean;
}

/** Returns a client's idea of a property's value; undefined where it can't know. */
type Known = (property: PropertyDefinition) => JsonValue | undefined;

/** A report before lists and objects are compared: `unsure` has those that the client knows of. */
export interface Compared {
  readonly report: Record<string, JsonValue>;
  readonly unsure: Readonly<Record<string, JsonValue>> | null;
}

/** 5.3 and 5.4: the properties whose stored value isn't what the client takes it to be. */
function compare(
  properties: readonly PropertyDefinition[],
  object: StoredObject,
  known: Known,
): Compared {
  const report = declaredObject();
  let unsure: Record<string, JsonValue> | null = null;
  for (const property of properties) {
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

/**
 * Returns the properties that a client can know of: the visible ones, and the undeclared ones that
 * an object has, or that the client takes it to have.
 */
function comparedProperties(
  index: TypeIndex,
  objects: readonly object[],
): readonly PropertyDefinition[] {
  const names = new Set(objects.flatMap((object) => unknownNames(index, object)));
  return [...index.visible, ...Array.from(names, (name) => ({ ...MEMBER, name }))];
}

/** The client of a create knows what it sent. */
export function creationReport(index: TypeIndex, sent: JsonObject, object: StoredObject): Compared {
  const properties =
    index.unknown === null ? index.visible : comparedProperties(index, [object, sent]);
  return compare(properties, object, ({ name, optional }) => {
    const value = sent[name];
    if (value !== undefined && Object.hasOwn(sent, name)) return value;
    // A client takes a property that it left out to be absent, if it may be.
    return optional === true ? null : undefined;
  });
}

/** A client's idea of the properties that its updates named; undefined where it can't know. */
export type Expected = ReadonlyMap<string, JsonValue | undefined>;

/** Returns the name of the property that a PatchObject's key leads to. */
function propertyOf(pointer: string): string {
  const token = firstToken(pointer);
  return parsePointer(`/${token}`)?.[0] ?? token;
}

/** Returns the values that a client expects after its patches, in the form that it gave. */
export function* expectedBy(before: JsonObject, patches: readonly JsonObject[]): Steps<Expected> {
  const expected = new Map<string, JsonValue | undefined>();
  let view = before;
  for (const [at, patch] of patches.entries()) {
    const result = yield* patchSteps(view, patch);
    const touched =
      result.kind === 'patched'
        ? result.touched
        : new Map(Object.keys(patch).map((pointer) => [propertyOf(pointer), undefined] as const));
    const absent = result.kind === 'patched' ? null : undefined;
    for (const [name, value] of touched) expected.set(name, value ?? absent);
    if (at === patches.length - 1) break;
    view = Object.assign(emptyObject(), view, Object.fromEntries(expected));
  }
  return expected;
}

/** An object before and after an update, as a client reads it. */
interface Reported {
  readonly before: StoredObject;
  readonly after: StoredObject;
  /** It has the time of an update. */
  readonly isStamped?: boolean;
}

/**
 * Returns the report of an update (RFC 8620 5.3): `updated` always, and each property whose stored
 * value isn't what the client takes it to be. The form of a value, or a consequence of the call,
 * may have made it so. Null where nothing changed and the client takes it so, or where its patches
 * were equal to what is stored (`isNoOp`).
 */
export function* updateReport(
  index: TypeIndex,
  expected: Expected,
  { before, after, isStamped = before !== after }: Reported,
  isNoOp = true,
): Steps<JsonObject | null> {
  // A text may differ from what is stored although its stored form is equal.
  if (before === after && isNoOp && !index.forms) return null;
  const properties =
    index.unknown === null
      ? index.visible
      : comparedProperties(index, [after, before, Object.fromEntries(expected)]);
  const report = yield* dropEqual(
    compare(properties, after, ({ name }) =>
      expected.has(name) ? expected.get(name) : (before[name] ?? null),
    ),
  );
  const { updated } = index.roles;
  if (isStamped && updated !== undefined) report[updated.name] = after[updated.name] ?? null;
  return Object.keys(report).length === 0 ? null : report;
}
