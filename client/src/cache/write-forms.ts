import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import { findTouched } from '../store/checks.js';
import { findPatch, type PatchObject } from '../store/patches.js';
import type { Row } from '../store/replica.js';
import { type Key, makeKey, type PendingWrite } from '../store/write.js';
import { NOT_FOUND } from '../sync/orphans.js';
import type { Refusal } from '../sync/outcomes.js';
import type { UpdateOptions } from './cached-types.js';
import type { EndOfWrite } from './waiters.js';

/** Changes a copy of an object. */
export type Recipe = (draft: object) => void;

/** A write as its program sees it. */
export interface ShownWrite {
  readonly object: Row | undefined;
  readonly saved: Promise<boolean>;
  readonly result: Promise<EndOfWrite>;
}

/** Takes writes: an account, or writes of it that are made together. */
export interface WriteTarget {
  /** Returns the key of an id or of a key, and its row as the next write sees it. */
  find(type: string, id: string): { readonly key: Key; readonly row: Row | undefined };
  /** Takes a write; `before` is the object that it destroys. */
  take(write: PendingWrite, before?: Row): ShownWrite;
  /** Why nothing can be written at present; null where it can. */
  readonly refusal: Refusal | null;
  /** An object that isn't here may still be in the store. */
  readonly isLoading: boolean;
  /** Makes a write once all objects are here. */
  defer(make: (target: WriteTarget) => ShownWrite): ShownWrite;
  /** Takes a write that the client itself refuses. */
  refuse(write: PendingWrite, error: Refusal): ShownWrite;
}

export function writeCreate(target: WriteTarget, table: TypeTable, values: object): ShownWrite {
  const provisional = guessTimes(table);
  const common = { ...startWrite(table.name, makeKey()), provisional };
  return target.take({ ...common, kind: 'create', values: copyJson(values) });
}

export function writeUpdate(
  target: WriteTarget,
  [type, id]: readonly [type: string, id: string],
  edit: PatchObject | Recipe,
  { ifUnchanged = false }: UpdateOptions = {},
): ShownWrite {
  const { key, row } = target.find(type, id);
  const make = (patch: PatchObject, unchanged: JsonObject | null = null): PendingWrite => ({
    ...startWrite(type, key),
    ...{ kind: 'update', patch, unchanged },
  });
  if (row === undefined && (typeof edit === 'function' || ifUnchanged)) {
    const kept = typeof edit === 'function' ? edit : copyJson(edit);
    const unmade = make(typeof kept === 'function' ? {} : kept);
    if (!target.isLoading) return target.refuse(unmade, target.refusal ?? NOT_FOUND);
    return target.defer((later) => {
      try {
        return writeUpdate(later, [type, id], kept, { ifUnchanged });
      } catch (error) {
        return later.refuse(unmade, { type: RECIPE_FAILED, description: String(error) });
      }
    });
  }
  const patch = typeof edit === 'function' ? findEdit(row as Row, edit) : copyJson(edit);
  if (Object.keys(patch).length === 0) return keep(row);
  return target.take(make(patch, ifUnchanged ? findTouched(row as Row, patch) : null));
}

export function writeDestroy(target: WriteTarget, type: string, id: string): ShownWrite {
  const { key, row } = target.find(type, id);
  return target.take({ ...startWrite(type, key), kind: 'destroy' }, row);
}

/** The function of an update threw, when nobody was there any more to whom it could throw. */
export const RECIPE_FAILED = 'recipeFailed';

/** Returns the end of a write, or of an upload, that is refused without the server. */
export function refuse(error: Refusal) {
  return { saved: Promise.resolve(false), result: Promise.resolve({ ok: false, error } as const) };
}

/** Returns a write that ends as another one does. */
export function showLater(ended: Promise<ShownWrite>, object: Row | undefined): ShownWrite {
  return {
    object,
    get saved() {
      return ended.then(({ saved }) => saved);
    },
    get result() {
      return ended.then(({ result }) => result);
    },
  };
}

/** Returns a copy as JSON has it: nothing of it is shared, and members without a value are gone. */
export function copyJson<Value extends object>(value: Value): Value & JsonObject {
  return JSON.parse(JSON.stringify(value)) as Value & JsonObject;
}

function startWrite(type: string, key: string) {
  return { ids: [crypto.randomUUID()], type, key, sentAs: null };
}

/** The characters that a local time has of the present time in UTC. */
const LENGTHS: Readonly<Record<string, number>> = { 'local-date': 10, 'local-date-time': 19 };

/** Returns the times that the server sets on a create, about as it will. */
function guessTimes({ properties }: TypeTable): JsonObject {
  const now = new Date().toISOString();
  const times = Object.entries(properties).filter(
    ([, { kind, access, isNullable, isNow, default: value }]) =>
      isNow || (kind === 'date' && access === 'serverSet' && !isNullable && value === undefined),
  );
  return Object.fromEntries(
    times.map(([name, { format = '' }]) => [name, now.slice(0, LENGTHS[format])]),
  );
}

/** Returns the patch that a recipe makes. */
function findEdit(row: Row, edit: Recipe): PatchObject {
  const { $key, $pending, ...object } = row;
  const draft: JsonObject = { ...copyJson(object), $key, $pending };
  edit(draft);
  const { $key: _key, $pending: _pending, ...after } = copyJson(draft);
  return findPatch(object, after);
}

/** Returns a write that changes nothing. */
function keep(object: Row | undefined): ShownWrite {
  const saved = Promise.resolve(true);
  return { object, saved, result: Promise.resolve({ ok: true, object }) };
}
