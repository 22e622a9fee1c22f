import type { PropertyDefinition } from '../../capability/definition.js';
import type { SetArguments, SetResponse } from '../../capability/standard.js';
import { equalSteps } from '../../protocol/equal.js';
import type { SetError } from '../../protocol/errors.js';
import {
  declaredObject,
  emptyObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { patchSteps } from '../../protocol/patch.js';
import { type Steps, Strides } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import { declaredMembers, firstToken, type TypeIndex } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import type { CreateOperation, DestroyOperation, Proposal } from './proposal.js';

/** What a /set did and did not do: the members of its response (RFC 8620 5.3); null where there are none. */
class Outcome {
  /** By creation id. */
  created: Record<string, JsonObject> | null = null;
  /** By real id. */
  updated: Record<string, JsonObject | null> | null = null;
  /** Real ids, in order. */
  destroyed: readonly string[] | null = null;
  /** By creation id, or by key as sent. */
  notCreated: Record<string, SetError> | null = null;
  notUpdated: Record<string, SetError> | null = null;
  notDestroyed: Record<string, SetError> | null = null;
}

interface ReportScene {
  readonly index: TypeIndex;
  /** What it holds is told of: all that the call has written. */
  readonly unit: UnitOfWork;
  /** The client's arguments, if a hook has replaced them. */
  readonly sent: SetArguments | undefined;
}

/** To compare a property takes as long as to look at so many values. */
const COMPARED = 16;

/** Tells a client what it can't know of what became of its objects. */
export class SetReport {
  readonly #scene: ReportScene;
  readonly #outcome = new Outcome();
  /** Creation id to id, of what has been created. */
  readonly createdIds: [creationId: string, id: string][] = [];

  constructor(scene: ReportScene) {
    this.#scene = scene;
  }

  *tellCreates(creates: readonly CreateOperation[]): Steps<void> {
    const { index, unit, sent } = this.#scene;
    const strides = new Strides();
    for (const { key, id, error, object, sent: own } of creates) {
      if (error !== null) {
        this.#refuse('notCreated', key, error);
        continue;
      }
      if (strides.isOver(index.visible.length * COMPARED)) yield;
      this.createdIds.push([key, id]);
      const given = sent === undefined ? own : sentObject(index, sent.create, key);
      const compared = creationReport(index, given, unit.current(index.type, id) ?? object);
      this.#outcome.created ??= emptyObject<JsonObject>();
      this.#outcome.created[key] =
        compared.unsure === null ? compared.report : yield* dropEqual(compared);
    }
  }

  /**
   * Tells what became of objects that updates named, or that changed as a consequence. Two updates of one object (by
   * its id and by its creation id) are told together.
   */
  *tellUpdates(
    { updates, rows }: Proposal,
    stored: ReadonlyMap<string, StoredObject>,
    sideEffects: ReadonlyMap<string, StoredObject>,
  ): Steps<void> {
    const { index, unit, sent } = this.#scene;
    const moves = new Map<string, { before: StoredObject; patches: JsonObject[] }>();
    for (const { key, id, patch, error } of updates) {
      const before = rows.get(id)?.create?.object ?? stored.get(id);
      if (error !== null) this.#refuse('notUpdated', key, error);
      else if (before !== undefined) {
        const move = moves.get(id) ?? { before, patches: [] };
        moves.set(id, move);
        move.patches.push(sent === undefined ? patch : sentPatch(index, sent.update, key));
      }
    }
    for (const [id, before] of sideEffects) {
      const isOwn = (rows.get(id)?.create ?? null) !== null;
      if (!isOwn && !moves.has(id)) moves.set(id, { before, patches: [] });
    }
    for (const [id, { before, patches }] of moves) {
      const now = unit.current(index.type, id);
      if (now === null && patches.length === 0) continue;
      yield;
      const expected = yield* expectedBy(before, patches);
      yield;
      const move = { before, after: now ?? before };
      this.#outcome.updated ??= emptyObject<JsonObject | null>();
      this.#outcome.updated[id] = yield* updateReport(index, expected, move, sent === undefined);
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

/*
 * RFC 8620 5.3 and 5.4: a response reports the values that its client can't know. If a hook has
 * replaced the arguments, it reports all values that differ from the client's own.
 */

type Entries = Readonly<Record<string, JsonValue>> | null | undefined;

/**
 * Returns the object that a client sent to create, names as declared; no members if it sent none.
 */
export function sentObject(index: TypeIndex, creates: Entries, key: string): JsonObject {
  return sentEntry(index, creates, key);
}

/** The PatchObject that a client sent, its pointers' first tokens as declared. */
function sentPatch(index: TypeIndex, updates: Entries, key: string): JsonObject {
  return sentEntry(index, updates, key, firstToken);
}

const NOTHING: JsonObject = Object.freeze({});

function sentEntry(
  index: TypeIndex,
  entries: Entries,
  key: string,
  prefix?: (member: string) => string,
): JsonObject {
  const value = entries && Object.hasOwn(entries, key) ? entries[key] : null;
  if (!isJsonObject(value)) return NOTHING;
  return declaredMembers(value, index.properties, index.type.acceptSnakeCase, prefix).object;
}
