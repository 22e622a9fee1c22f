import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { EVOLVED, type EvolutionDefinition } from '../capability/evolution.js';
import { HookBudget } from '../hooks/budget.js';
import { convertedValue, objectGiven } from '../hooks/judge.js';
import { type NamedHook, nameHook } from '../hooks/timed.js';
import { HookError, HookTimeoutError } from '../methods/hook-errors.js';
import { indexOf } from '../methods/type-index.js';
import { noteBlobs, noteReferences } from '../methods/work/links.js';
import { jsonEqual } from '../protocol/equal.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { finish } from '../runtime/paused-work.js';
import type { BlobReference, ReferenceRecord, StoredObject, Transaction } from '../store/port.js';
import { collisionsOf } from './form-texts.js';
import { existing, mendLinks, wrongLinks } from './recompute.js';
import { BATCH_TIME, type Change, type RecomputeServices, type Repairs } from './repairs.js';
import type { Batch } from './row-batches.js';

export interface ConversionServices extends RecomputeServices {
  readonly repairs: Repairs;
}

/** An object that stays as it is, and why. */
export interface Refused {
  readonly accountId: string;
  readonly id: string;
  readonly reason: string;
}

export interface Converted {
  /** Ids of objects that were converted. */
  readonly converted: readonly string[];
  readonly refused: readonly Refused[];
  /** Ids of the batch that are left, since the time was over. */
  readonly rest: readonly string[];
}

/**
 * How long one transaction begins calls of the function, ms: clients of the previous version wait
 * for it. It ends as soon as a call exceeds its own time.
 */
const SLICE = 2000;

/** A conversion, and what its table has. */
interface Scene {
  readonly type: DataTypeDefinition;
  readonly evolution: EvolutionDefinition;
  /** The type with the columns that are held for later conversions, and that this one writes. */
  readonly written: DataTypeDefinition;
  readonly hook: NamedHook<ConvertFunction>;
  /** HOOK_TIMEOUT, ms: of a function without a limit of its own. */
  readonly timeout: number;
}

type ConvertFunction = Extract<EvolutionDefinition['convert'], (...args: never[]) => unknown>;

/** Returns the function of a conversion, with its name for messages and its limit. */
export function convertHook({ name }: DataTypeDefinition, { file, convert }: EvolutionDefinition) {
  return nameHook<ConvertFunction>(`${name} of ${file}`, convert);
}

/**
 * Converts the objects of a batch that are not converted yet, in one transaction with what follows
 * from them: as many as its time allows, and at least one. `updated` stays. `record`: writes change
 * records of them where clients, or their filters and sorts, see a change.
 */
export async function convertBatch(
  services: ConversionServices,
  batch: Batch,
  evolution: EvolutionDefinition,
  record: boolean,
): Promise<Converted> {
  const { type, accountId, ids } = batch;
  const scene = {
    type,
    evolution,
    written: writtenType(services, type, evolution),
    hook: convertHook(type, evolution),
    timeout: services.hookServices.timeout,
  };
  const nothing: Converted = { converted: [], refused: [], rest: [] };
  // Most of what the previous version writes stays converted: no lock is taken for it.
  if (!(await hasPending(services, scene, accountId, ids))) return nothing;
  const how = { unrecorded: record ? null : type, waits: true };
  const result = await services.repairs.run(batch, how, async ({ unit }) => {
    const { transaction } = unit;
    const proposed = await propose(scene, accountId, ids, transaction);
    const { changes, refused, rest } = await judge(services, type, proposed, transaction);
    const rows = changes.map(({ after }) => services.hooks?.compute(type, after) ?? after);
    if (scene.written !== type) await transaction.writeRows('update', scene.written, rows);
    for (const [at, { before }] of changes.entries())
      unit.update(type, withoutHeld(scene, before), withoutHeld(scene, rows[at] ?? before));
    await unit.flush();
    await mendLinks(transaction, await wrongLinks(type, rows, transaction));
    return {
      converted: rows.map(({ id }) => id),
      refused: refused.map((one) => ({ accountId, ...one })),
      rest,
    };
  });
  return result ?? nothing;
}

/** Returns whether some of the objects are not converted yet. */
async function hasPending(
  { store }: RecomputeServices,
  { type, evolution }: Scene,
  accountId: string,
  ids: readonly string[],
): Promise<boolean> {
  const marks = type.properties.filter(({ name }) => name === EVOLVED);
  const deadline = performance.now() + BATCH_TIME;
  const rows = await store.read(accountId, { deadline }, (snapshot) =>
    snapshot.get(type, ids, marks),
  );
  return rows.some((row) => isPending(row, evolution));
}

function isPending(row: StoredObject, { migration }: EvolutionDefinition): boolean {
  return Math.abs(Number(row[EVOLVED])) < migration;
}

type Refusal = Omit<Refused, 'accountId'>;

interface Proposed {
  readonly changes: readonly Change[];
  readonly refused: readonly Refusal[];
  readonly rest: readonly string[];
}

/** Calls the function for objects that are not converted yet, until the time is over. */
async function propose(
  scene: Scene,
  accountId: string,
  ids: readonly string[],
  transaction: Transaction,
): Promise<Proposed> {
  const { type, evolution, written, hook, timeout } = scene;
  const { migration, before } = evolution;
  const rows = await transaction.get(written, ids, written.properties);
  const pending = rows.filter((row) => isPending(row, evolution));
  const old = await transaction.get(
    { ...type, properties: before },
    pending.map(({ id }) => id),
    before,
  );
  const objects = new Map(old.map((object) => [object.id, object]));
  const changes: Change[] = [];
  const refused: Refusal[] = [];
  let end = performance.now() + SLICE;
  for (const [at, row] of pending.entries()) {
    if (at > 0 && performance.now() > end)
      return { changes, refused, rest: pending.slice(at).map(({ id }) => id) };
    const { id } = row;
    try {
      const budget = new HookBudget(timeout, Number.POSITIVE_INFINITY);
      const { signal } = budget;
      const object = (objects.get(id) ?? row) as never;
      const said = await budget.run(hook, async () => hook.run(object, { accountId, signal }));
      const values = judgeValues(scene, row, said);
      const after = Object.assign(emptyObject(), row, values, { [EVOLVED]: migration });
      changes.push({ before: row, after: after as StoredObject });
    } catch (error) {
      refused.push({ id, reason: error instanceof Error ? error.message : String(error) });
      if (error instanceof HookTimeoutError) end = 0;
    }
  }
  return { changes, refused, rest: [] };
}

/** Returns the values that a conversion gave, in stored form. Throws HookError. */
function judgeValues(
  { type, evolution, written, hook: { what } }: Scene,
  row: StoredObject,
  said: object | undefined,
): JsonObject {
  const values = emptyObject();
  for (const [name, value] of Object.entries(objectGiven(what, 'the object', said ?? {}))) {
    const target = Object.hasOwn(evolution.after, name) ? evolution.after[name] : undefined;
    if (target === undefined) {
      const legal = Object.keys(evolution.after).join(', ');
      throw new HookError(what, `gave "${name}", and may give ${legal}`);
    }
    const isIt = ({ column }: PropertyDefinition) => column === target.column;
    const property = written.properties.find(isIt);
    // A later migration has given it up.
    if (property === undefined) continue;
    const isFirst = 'initial' in target && Number(row[EVOLVED]) >= 0;
    const present = row[property.name] ?? null;
    // A client of this version has given it another value meanwhile.
    if (isFirst && !jsonEqual(present, target.initial ?? null)) continue;
    values[property.name] = type.properties.includes(property)
      ? convertedValue(what, type, property, value)
      : value;
  }
  return values;
}

/** Refuses objects whose values must be unique and are not, and that name what is not there. */
async function judge(
  services: RecomputeServices,
  type: DataTypeDefinition,
  { changes, refused, rest }: Proposed,
  transaction: Transaction,
): Promise<Proposed> {
  const reasons = new Map<string, string>();
  for (const unique of type.uniques ?? []) {
    const names = unique.properties.map(({ name }) => name);
    const moved = changes.filter(({ before, after }) => differs(names, before, after));
    const objects = moved.map(({ after }) => after);
    for (const id of await collisionsOf(type, unique, objects, transaction))
      reasons.set(id, `${names.join(', ')} must be unique, and another object has the same.`);
  }
  for (const { fromId, toType, toId } of await strays(services, type, changes, transaction))
    reasons.set(fromId, `there is no ${toType} ${toId}.`);
  for (const { objectId, blobId } of await strayBlobs(type, changes, transaction))
    reasons.set(objectId, `there is no blob ${blobId}.`);
  return {
    changes: changes.filter(({ after }) => !reasons.has(after.id)),
    refused: [...refused, ...[...reasons].map(([id, reason]) => ({ id, reason }))],
    rest,
  };
}

function differs(names: readonly string[], before: StoredObject, after: StoredObject): boolean {
  const valueIn = (object: StoredObject, name: string): JsonValue => object[name] ?? null;
  return names.some((name) => !jsonEqual(valueIn(before, name), valueIn(after, name)));
}

/** Returns new references to objects that don't exist. */
async function strays(
  { registry }: RecomputeServices,
  type: DataTypeDefinition,
  changes: readonly Change[],
  transaction: Transaction,
): Promise<readonly ReferenceRecord[]> {
  const index = indexOf(type);
  if (index.links.length === 0) return [];
  const noted = { removed: [] as ReferenceRecord[], added: [] as ReferenceRecord[] };
  finish(noteReferences(index, movesOf(changes), noted));
  const strays: ReferenceRecord[] = [];
  for (const name of new Set(noted.added.map(({ toType }) => toType))) {
    const target = registry.dataTypes.get(name);
    const records = noted.added.filter(({ toType }) => toType === name);
    const ids = [...new Set(records.map(({ toId }) => toId))];
    const there = target === undefined ? null : await transaction.existing(target, ids);
    strays.push(...records.filter(({ toId }) => there?.has(toId) !== true));
  }
  return strays;
}

/** Returns new ids of blobs that are not there. */
async function strayBlobs(
  type: DataTypeDefinition,
  changes: readonly Change[],
  transaction: Transaction,
): Promise<readonly BlobReference[]> {
  const noted = { removed: [] as BlobReference[], added: [] as BlobReference[] };
  finish(noteBlobs(indexOf(type), movesOf(changes), noted));
  const there = new Set(await existing(noted.added, transaction));
  return noted.added.filter((record) => !there.has(record));
}

function movesOf(changes: readonly Change[]) {
  return changes.map(({ before, after }) => ({ objectId: after.id, before, after }));
}

/** Returns an object without the values that are held for later conversions. */
function withoutHeld({ type, written }: Scene, object: StoredObject): StoredObject {
  if (written === type) return object;
  const own = Object.assign(emptyObject(), object);
  for (const { name } of written.properties.slice(type.properties.length))
    Reflect.deleteProperty(own, name);
  return own as StoredObject;
}

/** Returns the type with the columns of properties that are gone and that are still converted. */
function writtenType(
  { registry }: RecomputeServices,
  type: DataTypeDefinition,
  { migration, table, after }: EvolutionDefinition,
): DataTypeDefinition {
  const own = new Set(type.properties.map(({ column }) => column));
  const targets = new Set(Object.values(after).map(({ column }) => column));
  const later = registry.evolutions.filter(
    (one) => one.table === table && one.migration > migration,
  );
  const held = new Map(
    later
      .flatMap(({ before }) => before)
      .filter(({ column }) => targets.has(column) && !own.has(column))
      .map((property) => [property.column, { ...property, name: `held ${property.column}` }]),
  );
  if (held.size === 0) return type;
  return { ...type, properties: [...type.properties, ...held.values()] };
}
