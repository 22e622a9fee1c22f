import { setError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import type { QuotaBook, QuotaState } from '../quota/quota-book.js';
import type { KeptQuota } from '../quota/quota-index.js';
import type { UnitOfWork } from '../work/unit.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';

/** An object that goes: of the call's type as it is before the call. */
export interface Going {
  readonly type: string;
  /** Null where the call itself would create it. */
  readonly row: StoredObject | null;
}

/** The objects that a call destroys, and those that go with them. */
export interface GoingObjects {
  /** Whether an object of the call's type goes. */
  readonly isGone: (id: string) => boolean;
  readonly all: readonly Going[];
}

/** Judges the quotas of an account: `overQuota` for what would use more than there is. */
export class QuotaJudge {
  readonly #changes: ProposedChanges;
  readonly #book: QuotaBook | null;
  readonly #quotas: readonly KeptQuota[];

  constructor(changes: ProposedChanges, unit: UnitOfWork) {
    this.#changes = changes;
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
  async judge({ isGone, all }: GoingObjects): Promise<boolean> {
    if (this.#book === null || !this.concerns) return false;
    const rows = [...this.#changes.rows.values()].filter(({ id }) => !isGone(id));
    const growing = this.#quotas.filter((quota) =>
      rows.some((row) => this.#growthOf(quota, row) > 0),
    );
    if (growing.length === 0) return false;
    const states = await this.#book.statesOf(growing);
    for (const quota of growing) {
      const state = states.get(quota.id);
      if (state !== undefined && this.#judgeOne(quota, state, rows, all)) return true;
    }
    return false;
  }

  #judgeOne(
    quota: KeptQuota,
    { used, hardLimit }: QuotaState,
    rows: readonly ProposedRow[],
    going: readonly Going[],
  ): boolean {
    const growths = rows.map((row) => ({ row, growth: this.#growthOf(quota, row) }));
    let room = hardLimit - used;
    for (const { growth } of growths) if (growth < 0) room -= growth;
    for (const { type, row } of going)
      if (quota.types.includes(type)) room += this.#sizeOf(quota, type, row);
    let refused = false;
    for (const { row, growth } of growths.toSorted(byKind)) {
      if (growth <= 0) continue;
      if (growth <= room) {
        room -= growth;
        continue;
      }
      this.#refuse(row, whyOver(quota, { used, hardLimit }, growth));
      refused = true;
    }
    return refused;
  }

  /** The text of the time of an update may be longer than the one before: nobody asks for that. */
  #growthOf(quota: KeptQuota, { before, after }: ProposedRow): number {
    const { type, roles } = this.#changes.index;
    const { updated } = roles;
    const time = updated && { [updated.name]: after[updated.name] ?? null };
    const old = before === null || quota.resource === 'count' ? before : { ...before, ...time };
    return this.#sizeOf(quota, type.name, after) - this.#sizeOf(quota, type.name, old);
  }

  #sizeOf(quota: KeptQuota, type: string, object: StoredObject | null): number {
    return this.#book?.sizeOf(quota, type, object) ?? 0;
  }

  #refuse({ create, updates }: ProposedRow, why: string): void {
    const last = create ?? updates.at(-1)?.operation ?? null;
    if (last !== null) this.#changes.refuse(last, setError('overQuota', why));
  }
}

interface Growing {
  readonly row: ProposedRow;
}

/** Creates before updates, as a /set runs them; the order of each stays. */
function byKind(a: Growing, b: Growing): number {
  return Number(a.row.create === null) - Number(b.row.create === null);
}

function whyOver(quota: KeptQuota, { used, hardLimit }: QuotaState, growth: number): string {
  const unit = quota.resource === 'count' ? 'objects' : 'octets';
  return (
    `The quota "${quota.name}" allows ${hardLimit} ${unit}, and ${used} are used: ` +
    `there is no room for ${growth} more.`
  );
}
