import type { DataTypeDefinition } from '../../capability/definition.js';
import { MAX_ACCESS_CHARACTERS, sharedObject, shareScope } from '../../capability/scopes.js';
import { MethodError } from '../../protocol/errors.js';
import { isJsonObject, type JsonValue } from '../../protocol/json.js';
import type { AccessChange, Grant, Transaction } from '../../store/port.js';
import { rightsIn } from '../set/share-values.js';
import { indexOf } from '../type-index.js';
import type { Move, Moved } from './links.js';
import type { AccessRelations } from './scope-upkeep.js';

/** Grants that one call may change, for each object whose access it may change. */
const GRANTS_OF_OBJECT = 10;

/** Objects whose grants are read at once, where they are destroyed. */
const OBJECTS_AT_ONCE = 100;
/** Grants whose access records wait for the end of a unit of work. */
const MAX_WAITING = 100_000;

/** Characters around a scope and its principal there. */
const PUNCTUATION = 8;

/** A grant that a unit of work has given (1), taken (-1), or given and taken (0). */
interface Net {
  readonly grant: Grant;
  step: number;
}

/** Grants that have gone with objects of a type. */
export interface EndedGrants {
  readonly type: DataTypeDefinition;
  readonly grants: readonly Grant[];
}

/** The grants that follow from the `shareWith` of objects, as a unit of work changes them. */
export class GrantUpkeep {
  readonly #relations: AccessRelations;
  /** By the table of the shared objects. */
  readonly #nets = new Map<string, Map<string, Net>>();
  /** Grants given and taken by shares that objects keep. */
  #count = 0;
  #isBusy = false;
  /** The grants of objects that were destroyed. */
  readonly ended: EndedGrants[] = [];
  /** By type: the access records that were written. */
  readonly #written = new Map<string, number>();

  constructor(relations: AccessRelations) {
    this.#relations = relations;
  }

  /**
   * Notes rows of a shared type that are there. Returns the grants to change. Throws
   * `requestTooLarge`.
   */
  note(type: DataTypeDefinition, moves: readonly Move[]): Moved<Grant> {
    const rows: Moved<Grant> = { removed: [], added: [] };
    const { shareWith } = indexOf(type).roles;
    if (shareWith === undefined) return rows;
    const { name } = shareWith;
    for (const { objectId, before, after } of moves) {
      if (after === null) continue;
      const [old, now] = [before?.[name] ?? null, after[name] ?? null];
      if (old === now) continue;
      const held = grantsOf(type, objectId, old);
      const kept = grantsOf(type, objectId, now);
      for (const [key, grant] of held) if (!kept.has(key)) rows.removed.push(grant);
      for (const [key, grant] of kept) if (!held.has(key)) rows.added.push(grant);
    }
    this.#requireFew(rows.removed.length + rows.added.length);
    this.take(type, rows);
    return rows;
  }

  /**
   * Takes the grants of objects that are destroyed, some objects at a time: however many there are,
   * a destroy is not refused for them. Writes access records once too many wait.
   */
  async takeDestroyed(
    transaction: Transaction,
    type: DataTypeDefinition,
    ids: readonly string[],
  ): Promise<void> {
    for (let at = 0; at < ids.length; at += OBJECTS_AT_ONCE) {
      const removed = await transaction.grantsAt(type, ids.slice(at, at + OBJECTS_AT_ONCE));
      if (removed.length === 0) continue;
      await transaction.changeGrants(removed, []);
      this.take(type, { removed, added: [] });
      this.ended.push({ type, grants: removed });
      if ((this.#nets.get(type.table)?.size ?? 0) > MAX_WAITING) await this.record(transaction);
    }
  }

  /** Writes access records of all that has changed since the last time. */
  async record(transaction: Transaction): Promise<void> {
    for (const type of this.#types) {
      for (const changes of this.#changesFor(type)) {
        await transaction.recordAccess(type, changes);
        this.#written.set(type.name, this.countWritten(type) + 1);
      }
    }
    this.#nets.clear();
  }

  /** Returns how many access records of a type have been written. */
  countWritten({ name }: DataTypeDefinition): number {
    return this.#written.get(name) ?? 0;
  }

  /** Takes grants that objects of a type have given and taken. */
  take(
    { table }: DataTypeDefinition,
    { removed, added }: Readonly<Record<keyof Moved<Grant>, readonly Grant[]>>,
  ): void {
    this.#isBusy ||= removed.length + added.length > 0;
    for (const grant of removed) this.#add(table, grant, -1);
    for (const grant of added) this.#add(table, grant, 1);
  }

  #requireFew(count: number): void {
    const maximum = this.#relations.maximum * GRANTS_OF_OBJECT;
    this.#count += count;
    if (this.#count <= maximum) return;
    const why = `The call would give or take more than ${maximum} rights.`;
    throw new MethodError('requestTooLarge', why);
  }

  #add(table: string, grant: Grant, step: number): void {
    const nets = this.#nets.get(table) ?? new Map<string, Net>();
    this.#nets.set(table, nets);
    const net = nets.get(keyOf(grant)) ?? { grant, step: 0 };
    net.step += step;
    nets.set(keyOf(grant), net);
  }

  /** Whether it has changed any. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The types whose users have other rights now. */
  get #types(): readonly DataTypeDefinition[] {
    if (this.#nets.size === 0) return [];
    const { types, sharedTables } = this.#relations;
    return [...sharedTables.keys()].flatMap((name) => {
      const type = types.get(name);
      return type !== undefined && this.#concerns(type) ? type : [];
    });
  }

  /** Returns whether users have other rights now that count for the type. */
  #concerns(type: DataTypeDefinition): boolean {
    return this.#netsOf(type).next().done === false;
  }

  /** Returns what principals have got and lost that counts for the type, for a record each. */
  *#changesFor(type: DataTypeDefinition): Generator<readonly AccessChange[]> {
    for (const nets of this.#partsOf(type)) yield changesIn(nets);
  }

  /** Returns how many records the changes for the type make. */
  countRecords(type: DataTypeDefinition): number {
    let count = 0;
    for (const _ of this.#partsOf(type)) count += 1;
    return count;
  }

  *#partsOf(type: DataTypeDefinition): Generator<readonly Net[]> {
    let nets: Net[] = [];
    let characters = 0;
    for (const net of this.#netsOf(type)) {
      const own = keyOf(net.grant).length + PUNCTUATION;
      if (nets.length > 0 && characters + own > MAX_ACCESS_CHARACTERS) {
        yield nets;
        nets = [];
        characters = 0;
      }
      nets.push(net);
      characters += own;
    }
    if (nets.length > 0) yield nets;
  }

  *#netsOf({ name }: DataTypeDefinition): Generator<Net> {
    if (this.#nets.size === 0) return;
    for (const table of this.#relations.sharedTables.get(name) ?? [])
      for (const net of this.#nets.get(table)?.values() ?? []) if (net.step !== 0) yield net;
  }
}

function changesIn(nets: readonly Net[]): readonly AccessChange[] {
  const scopes = { taken: new Map<string, string[]>(), given: new Map<string, string[]>() };
  for (const { grant, step } of nets) {
    const { principalId, scope } = grant;
    const lists = step < 0 ? scopes.taken : scopes.given;
    const list = lists.get(principalId);
    if (list === undefined) lists.set(principalId, [scope]);
    else list.push(scope);
  }
  return (['taken', 'given'] as const).flatMap((kind) =>
    Array.from(scopes[kind], ([principalId, list]) => ({ kind, principalId, scopes: list })),
  );
}

export function keyOf({ principalId, scope }: Grant): string {
  return `${principalId} ${scope}`;
}

/** Returns the grants of an object that has this `shareWith`, by key. */
export function grantsOf(
  { table }: DataTypeDefinition,
  id: string,
  value: JsonValue,
): ReadonlyMap<string, Grant> {
  const grants = new Map<string, Grant>();
  if (!isJsonObject(value)) return grants;
  const object = sharedObject(table, id);
  for (const principalId of Object.keys(value)) {
    for (const right of rightsIn(value[principalId])) {
      const grant = { principalId, scope: shareScope(object, right) };
      grants.set(keyOf(grant), grant);
    }
  }
  return grants;
}
