import { idsIn } from '../../access/scopes-by-rule.js';
import { setError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import type { UnitOfWork } from '../work/unit.js';
import { octetsOf } from './object-octets.js';
import type { ProposedChanges } from './proposed-changes.js';

/** The users whom one property may name: each has a row that tells who sees the object. */
const MAX_NAMED = 500;

/** Judges an account's limits of a type: `overQuota` for too many, `tooLarge` for one too large. */
export class LimitJudge {
  readonly #changes: ProposedChanges;
  readonly #unit: UnitOfWork;
  #count: number | null = null;

  constructor(changes: ProposedChanges, unit: UnitOfWork) {
    this.#changes = changes;
    this.#unit = unit;
  }

  /** Refuses objects with a property that names too many users who see them. */
  judgeNames(): boolean {
    const { index, rows, refusals } = this.#changes;
    const rules = index.type.access ?? [];
    const names = rules.flatMap(({ who }) => (who.kind === 'property' ? who.property : []));
    for (const name of new Set(names)) {
      for (const row of rows.values()) {
        const count = idsIn(row.after[name]).length;
        // An object that has more may keep them, and lose some.
        if (count <= Math.max(MAX_NAMED, idsIn(row.before?.[name]).length)) continue;
        this.#changes.complain(row, name, `names more than ${MAX_NAMED} users`);
      }
    }
    return this.#changes.refusals > refusals;
  }

  /** Of an object: octets of its JSON, as /get would give it. */
  judgeSizes(): boolean {
    const { index } = this.#changes;
    const { type, roles } = index;
    const octets = type.limits?.octets;
    if (octets === undefined) return false;
    let refused = false;
    const { updated } = roles;
    const sizeOf = (object: StoredObject): number => octetsOf(index, object);
    for (const row of this.#changes.rows.values()) {
      const { before, after } = row;
      const size = sizeOf(after);
      if (size <= octets) continue;
      // A value that was stored under a wider limit may stay as large as it is.
      const time = updated && { [updated.name]: after[updated.name] ?? null };
      if (before !== null && size <= sizeOf({ ...before, ...time })) continue;
      const why = `The object has ${size} octets; ${octets} are allowed.`;
      const last = row.updates.at(-1)?.operation ?? row.create;
      if (last !== null) this.#changes.refuse(last, setError('tooLarge', why));
      refused = true;
    }
    return refused;
  }

  /**
   * The later creates lose; the others of the call go on. `destroyed` objects of the type go,
   * creates of this call among them: to refuse one of these would make no room.
   */
  async judgeCount(destroyed: number, isGone: (id: string) => boolean): Promise<boolean> {
    const { type } = this.#changes.index;
    const maximum = type.limits?.count;
    if (maximum === undefined) return false;
    const creates = this.#changes.creates.filter(({ error }) => error === null);
    if (creates.length === 0) return false;
    // A call that a hook makes counts what the call around it has done.
    if (this.#count === null) {
      let count = await this.#unit.transaction.objectCount(type);
      for (const { before, after } of this.#unit.touched.get(type.name)?.entries.values() ?? []) {
        count += (after === null ? 0 : 1) - (before === null ? 0 : 1);
      }
      this.#count = count;
    }
    const excess = this.#count + creates.length - destroyed - maximum;
    const staying = creates.filter(({ id }) => !isGone(id));
    if (excess <= 0 || staying.length === 0) return false;
    const why = `The account may have ${maximum} objects of this type, and has as many.`;
    for (const create of staying.slice(-excess)) {
      this.#changes.refuse(create, setError('overQuota', why));
    }
    return true;
  }
}
