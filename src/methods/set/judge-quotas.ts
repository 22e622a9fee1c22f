import { countsBlobs, countsOctets } from '../../capability/quota-definition.js';
import { setError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import type { QuotaBook, QuotaState } from '../quota/quota-book.js';
import type { KeptQuota } from '../quota/quota-index.js';
import type { UnitOfWork } from '../work/unit.js';
import { type BlobCosts, type Going, weighBlobs } from './blob-costs.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';
import { idsByType } from './relations.js';

/** The objects that a call destroys, and those that go with them. */
export interface GoingObjects {
  /** Whether an object of the call's type goes. */
  readonly isGone: (id: string) => boolean;
  readonly all: readonly Going[];
}

/** Judges the quotas of an account: `overQuota` for what would use more than there is. */
export class QuotaJudge {
  readonly #changes: ProposedChanges;
  readonly #unit: UnitOfWork;
  readonly #book: QuotaBook | null;
  readonly #quotas: readonly KeptQuota[];

  constructor(changes: ProposedChanges, unit: UnitOfWork) {
    this.#changes = changes;
    this.#unit = unit;
    this.#book = unit.book;
    this.#quotas = unit.book?.quotasOf(changes.index.type) ?? [];
  }

  /** Whether quotas count objects of the call's type. */
  get concerns(): boolean {
    return this.#quotas.length > 0;
  }

  /**
   * The call's end counts: what it destroys and what shrinks makes room for the rest. The creates
   * and then the updates get the room in their order. An object that doesn't grow is not refused.
   */
  async judge({ isGone, all: going }: GoingObjects): Promise<boolean> {
    const book = this.#book;
    if (book === null || !this.concerns) return false;
    const { rows: objects, ownRows } = this.#changes;
    const rows = [...objects.values(), ...ownRows.values()].filter(({ id }) => !isGone(id));
    const growing = this.#quotas.filter((quota) =>
      rows.some((row) => this.#growthOf(quota, row) > 0 || this.#mayNameBlobs(quota, row)),
    );
    if (growing.length === 0) return false;
    const states = await book.statesOf(growing);
    const { type } = this.#changes.index;
    const scene = { type, book, slices: this.#unit.slices, rows, going };
    for (const quota of growing) {
      const state = states.get(quota.id);
      const costs = await weighBlobs(quota, scene);
      let values = 0;
      for (const [name, ids] of idsByType(going))
        values += await book.valuesOf(quota, name, [...ids]);
      if (state === undefined) continue;
      const room = state.hardLimit - state.used + values;
      if (this.#judgeOne({ quota, state, costs, room }, rows, going)) return true;
    }
    return false;
  }

  #judgeOne(
    { quota, state, costs, room: free }: Judged,
    rows: readonly ProposedRow[],
    going: readonly Going[],
  ): boolean {
    let room = free + costs.freedBy(null);
    for (const { type, row } of going)
      if (quota.types.includes(type)) room += this.#sizeOf(quota, type, row);
    const growthOf = (row: ProposedRow): number =>
      this.#growthOf(quota, row) - costs.freedBy(row) + costs.costOf(row);
    const left: ProposedRow[] = [];
    for (const row of rows) {
      const growth = growthOf(row);
      if (growth > 0) left.push(row);
      else {
        costs.admit(row);
        room -= growth;
      }
    }
    let refused = false;
    for (const row of left.toSorted(byKind)) {
      // Another object may have had its blobs counted meanwhile.
      const growth = growthOf(row);
      if (growth <= 0 || growth <= room) {
        costs.admit(row);
        room -= growth;
        continue;
      }
      this.#refuse(row, whyOver(quota, state, growth));
      refused = true;
    }
    return refused;
  }

  /** Returns whether a row may name blobs that it didn't before. */
  #mayNameBlobs(quota: KeptQuota, { before, after }: ProposedRow): boolean {
    const { blobs } = this.#changes.index;
    return countsBlobs(quota) && blobs.some(({ name }) => before?.[name] !== after[name]);
  }

  /** The text of the time of an update may be longer than the one before: nobody asks for that. */
  #growthOf(quota: KeptQuota, row: ProposedRow): number {
    const { before, after } = row;
    const { type, roles } = this.#changes.index;
    const { updated } = roles;
    const time = updated && { [updated.name]: after[updated.name] ?? null };
    const old = before === null || quota.resource === 'count' ? before : { ...before, ...time };
    const values = countsOctets(quota) ? this.#changes.valueGrowth(row) : 0;
    return values + this.#sizeOf(quota, type.name, after) - this.#sizeOf(quota, type.name, old);
  }

  #sizeOf(quota: KeptQuota, type: string, object: StoredObject | null): number {
    return this.#book?.sizeOf(quota, type, object) ?? 0;
  }

  #refuse({ create, latest }: ProposedRow, why: string): void {
    const last = create ?? latest;
    if (last !== null) this.#changes.refuse(last, setError('overQuota', why));
  }
}

/** A quota with its use, and the blobs of the call. */
interface Judged {
  readonly quota: KeptQuota;
  readonly state: QuotaState;
  readonly costs: BlobCosts;
  /** The octets that are left, with those of values at objects that go. */
  readonly room: number;
}

/** Creates before updates, as a /set runs them; the order of each stays. */
function byKind(a: ProposedRow, b: ProposedRow): number {
  return Number(a.create === null) - Number(b.create === null);
}

function whyOver(quota: KeptQuota, { used, hardLimit }: QuotaState, growth: number): string {
  const unit = quota.resource === 'count' ? 'objects' : 'octets';
  return (
    `The quota "${quota.name}" allows ${hardLimit} ${unit}, and ${used} are used: ` +
    `there is no room for ${growth} more.`
  );
}
