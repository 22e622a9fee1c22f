import type { DataTypeDefinition } from '../../capability/definition.js';
import { countsBlobs, countsObjects, countsOctets } from '../../capability/quota-definition.js';
import { hasUserValues } from '../../capability/user-values.js';
import { jsonEqual } from '../../protocol/equal.js';
import { emptyObject } from '../../protocol/json.js';
import type { BlobUse, StoredObject, Transaction } from '../../store/port.js';
import { octetsOf } from '../set/object-octets.js';
import { indexOf } from '../type-index.js';
import { type BlobUnit, blobGrowth, readUses, type Touched } from './blob-growth.js';
import { countObjects } from './count-objects.js';
import { type KeptQuota, type OwnTerms, type Quotas, quotaObject, termsIn } from './quota-index.js';

/** The unit of work, as far as quotas follow it. */
export interface CountedUnit extends BlobUnit {
  readonly transaction: Transaction;
  readonly valueGrowth: ReadonlyMap<string, number>;
  current(type: DataTypeDefinition, id: string): StoredObject | null | undefined;
  create(type: DataTypeDefinition, object: StoredObject): void;
  update(type: DataTypeDefinition, before: StoredObject, after: StoredObject): void;
  destroy(type: DataTypeDefinition, before: StoredObject): void;
}

/** The quotas that are counted anew: of octets those that counted others before, or all. */
export type Recounts = 'none' | 'changed' | 'all';

/** Returns the terms that an account is to have of a quota, in place of its own. */
export type ChangeOfTerms = (quota: KeptQuota, terms: OwnTerms) => OwnTerms;

/** The limit of a quota in an account, and its use once the unit is written. */
export interface QuotaState {
  readonly used: number;
  readonly hardLimit: number;
}

/** The quotas of an account within one transaction. */
export class QuotaBook {
  readonly #unit: CountedUnit;
  readonly #quotas: Quotas;
  /** The objects before the unit's changes are counted, by id. */
  readonly #rows = new Map<string, StoredObject>();
  /** Octets of objects, none of which changes. */
  readonly #octets = new WeakMap<StoredObject, number>();
  /** By id of a quota: how much of the unit's changes its object has. */
  readonly #settled = new Map<string, number>();

  constructor(unit: CountedUnit, quotas: Quotas) {
    this.#unit = unit;
    this.#quotas = quotas;
  }

  /** Returns the quotas that count objects of a type. */
  quotasOf(type: DataTypeDefinition): readonly KeptQuota[] {
    return this.#quotas.byType.get(type.name) ?? NONE;
  }

  /** Returns whether a quota counts the values that users have at objects of a type. */
  countsValues(type: DataTypeDefinition): boolean {
    return hasUserValues(type) && this.quotasOf(type).some(countsOctets);
  }

  /** Returns the octets of values that go with objects, as far as a quota counts them. */
  async valuesOf(quota: KeptQuota, name: string, ids: readonly string[]): Promise<number> {
    const type = this.typeOf(name);
    const isCounted = type !== undefined && quota.types.includes(name) && countsOctets(quota);
    if (!isCounted || !hasUserValues(type) || ids.length === 0) return 0;
    return this.#unit.transaction.valueOctets(type, ids);
  }

  /** Returns the type of this name if some quota counts it. */
  typeOf(name: string): DataTypeDefinition | undefined {
    return this.#quotas.types.get(name);
  }

  /**
   * Returns the blobs that exist of `ids`, by id, with the number of the quota's objects that refer
   * to each: at most `limit` are counted.
   */
  usesOf(
    quota: KeptQuota,
    ids: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, BlobUse>> {
    return readUses(this.#unit, this.#typesOf(quota), ids, limit);
  }

  /** Returns how much of a quota an object uses, without its blobs. */
  sizeOf(quota: KeptQuota, type: string, object: StoredObject | null): number {
    if (object === null || !countsObjects(quota)) return 0;
    if (quota.resource === 'count') return 1;
    const known = this.#octets.get(object);
    if (known !== undefined) return known;
    const counted = this.#quotas.types.get(type);
    const octets = counted === undefined ? 0 : octetsOf(indexOf(counted), object);
    this.#octets.set(object, octets);
    return octets;
  }

  /** Returns what the account uses of quotas, with all that the unit has done so far. */
  async statesOf(quotas: readonly KeptQuota[]): Promise<ReadonlyMap<string, QuotaState>> {
    await this.#read(quotas);
    const states = new Map<string, QuotaState>();
    for (const quota of quotas) {
      const row = this.#rows.get(quota.id);
      const used = numberIn(row, 'used') + (await this.#growthOf(quota));
      states.set(quota.id, { used, hardLimit: numberIn(row, 'hardLimit') });
    }
    return states;
  }

  /**
   * Puts into the unit what its changes use of quotas. The unit has written the objects, and writes
   * the quotas after it. Resolves to whether there is anything to write.
   */
  async settle(): Promise<boolean> {
    if (!this.#isConcerned()) return this.#hasChanged();
    const grown = new Map<KeptQuota, number>();
    for (const quota of this.#quotas.all) {
      const growth = await this.#growthOf(quota);
      if (growth !== (this.#settled.get(quota.id) ?? 0)) grown.set(quota, growth);
    }
    if (grown.size === 0) return this.#hasChanged();
    await this.#read([...grown.keys()]);
    for (const [quota, growth] of grown) {
      const row = this.#rows.get(quota.id);
      this.#settled.set(quota.id, growth);
      if (row === undefined) continue;
      this.#put(row, Math.max(0, numberIn(row, 'used') + growth));
    }
    return this.#hasChanged();
  }

  /**
   * Gives the account the quotas that the project has, with their present limits. A new quota
   * counts what is there, and so does an existing one as far as `recounts` says. With `none` an
   * existing one stays as it is: it may be another version's, which serves beside this one.
   * `change` gives the account other terms.
   */
  async reconcile(recounts: Recounts, change: ChangeOfTerms = same): Promise<void> {
    const quotas = this.#quotas;
    const { type, all, byId } = quotas;
    const rows = await this.#unit.transaction.get(type, { first: MOST }, type.properties);
    const known = new Map(rows.map((row) => [row.id, row]));
    // A quota that is new to the account follows the plan that the others have.
    const plan = rows.map((row) => termsIn(row).plan).find((name) => name !== null) ?? null;
    for (const quota of all) {
      const row = known.get(quota.id);
      if (row !== undefined && recounts === 'none') {
        this.#rows.set(quota.id, row);
        continue;
      }
      const count = await this.#countedAs(quota, row, recounts);
      const terms = change(quota, { ...termsIn(row), plan });
      const after = quotaObject(quota, quotas, terms, count);
      if (row === undefined) this.#unit.create(type, after);
      else if (!jsonEqual(row, after)) this.#unit.update(type, row, after);
      this.#rows.set(quota.id, after);
    }
    if (recounts === 'none') return;
    for (const row of rows) if (!byId.has(row.id)) this.#unit.destroy(type, row);
  }

  /** Returns what is used of a quota, and the hash of what that counts. */
  async #countedAs(
    quota: KeptQuota,
    row: StoredObject | undefined,
    recounts: Recounts,
  ): Promise<{ readonly used: number; readonly counted: string }> {
    const counted = row?.['counted'];
    // A version that knows no quotas may have served meanwhile; to count objects costs nothing.
    const isOther = counted !== quota.basis || quota.resource === 'count';
    const isWrong = recounts === 'all' || (recounts === 'changed' && isOther);
    if (typeof counted === 'string' && !isWrong) return { used: numberIn(row, 'used'), counted };
    return { used: await this.#count(quota), counted: quota.basis };
  }

  /** Returns what the account used before the unit's changes. */
  async #count(quota: KeptQuota): Promise<number> {
    const { transaction, slices } = this.#unit;
    const there = await countObjects(quota, this.#quotas, transaction, slices);
    // The counter of objects follows the change records, which the unit writes last.
    if (quota.resource === 'count') return there;
    return there - (await this.#sum(quota, ({ stored }) => stored));
  }

  /** Reads objects of quotas that are not known yet; one that is missing is made. */
  async #read(quotas: readonly KeptQuota[]): Promise<void> {
    const unread = quotas.filter(({ id }) => !this.#rows.has(id)).map(({ id }) => id);
    if (unread.length === 0) return;
    const { type } = this.#quotas;
    for (const row of await this.#unit.transaction.get(type, unread, type.properties))
      this.#rows.set(row.id, row);
    if (unread.some((id) => !this.#rows.has(id))) await this.reconcile('none');
  }

  /** Clients are told at once where a level is crossed, in whichever direction. */
  #put(row: StoredObject, used: number): void {
    const { type } = this.#quotas;
    const before = this.#unit.current(type, row.id) ?? row;
    if (before['used'] === used) return;
    const after = Object.assign(emptyObject(), before, { used }) as StoredObject;
    this.#unit.update(type, before, after);
    if (levelOf(before) !== levelOf(after)) this.#unit.transaction.tellAtOnce(type);
  }

  /** Returns whether the unit has touched an object that some quota counts. */
  #isConcerned(): boolean {
    const { touched, valueGrowth } = this.#unit;
    return [...touched.keys(), ...valueGrowth.keys()].some((name) => this.#quotas.byType.has(name));
  }

  #hasChanged(): boolean {
    return this.#unit.touched.has(this.#quotas.type.name);
  }

  /** Returns by how much the unit's changes raise what is used of a quota. */
  #growthOf(quota: KeptQuota): Promise<number> {
    return this.#sum(quota, ({ after }) => after);
  }

  #typesOf({ types }: KeptQuota): readonly DataTypeDefinition[] {
    return types.flatMap((name) => this.typeOf(name) ?? []);
  }

  async #sum(quota: KeptQuota, now: (one: Touched) => StoredObject | null): Promise<number> {
    let sum = countsBlobs(quota) ? await blobGrowth(this.#unit, this.#typesOf(quota), now) : 0;
    for (const name of quota.types) {
      if (countsOctets(quota)) sum += this.#unit.valueGrowth.get(name) ?? 0;
      const work = this.#unit.touched.get(name);
      if (work === undefined) continue;
      for (const one of work.entries.values()) {
        const [before, after] = [one.before, now(one)];
        if (before !== after)
          sum += this.sizeOf(quota, name, after) - this.sizeOf(quota, name, before);
      }
    }
    return sum;
  }
}

/** Quotas that an account may have left of earlier versions, and more. */
const MOST = 10_000;

const NONE: readonly KeptQuota[] = Object.freeze([]);

function same(_: KeptQuota, terms: OwnTerms): OwnTerms {
  return terms;
}

function numberIn(row: StoredObject | undefined, name: string): number {
  const value = row?.[name];
  return typeof value === 'number' ? value : 0;
}

/** Returns how many of a quota's limits are reached. */
function levelOf(row: StoredObject): number {
  const limits = [row['warnLimit'], row['softLimit'], row['hardLimit']];
  const used = numberIn(row, 'used');
  return limits.filter((limit) => typeof limit === 'number' && used >= limit).length;
}
