import { textSteps } from '../../capability/places.js';
import { setError } from '../../protocol/errors.js';
import { runInSlices, type Steps } from '../../runtime/slices.js';
import type { BlobProperty } from '../type-index.js';
import { blobIdsOf, unusableBlob } from '../work/blobs.js';
import type { UnitOfWork } from '../work/unit.js';
import type { Proposal, ProposedRow } from './proposal.js';

/**
 * Whether the blobs that a call's objects name are of the account, and the user may use them. It
 * looks at objects as the call leaves them, so it doesn't matter who gave an id: the client, a hook
 * or `compute`.
 */
export class BlobJudge {
  readonly #proposal: Proposal;
  readonly #unit: UnitOfWork;

  constructor(proposal: Proposal, unit: UnitOfWork) {
    this.#proposal = proposal;
    this.#unit = unit;
  }

  /**
   * Refuses what may not be; true where it did. Looks each id up once, whatever the number of
   * turns.
   */
  async judge(): Promise<boolean> {
    const { index, refused } = this.#proposal;
    if (index.blobs.length === 0) return false;
    const { blobs, slices } = this.#unit;
    const { size } = refused;
    const named = await runInSlices(this.#named(), slices);
    await blobs.lookUp(named.flatMap(({ ids }) => ids));
    await runInSlices(this.#requireUsable(named), slices);
    return refused.size > size;
  }

  /** Returns the objects that name blobs which they didn't name before. */
  *#named(): Steps<readonly NewNames[]> {
    const named: NewNames[] = [];
    for (const row of this.#proposal.rows.values()) {
      yield;
      const ids = yield* this.#added(row);
      if (ids.length > 0) named.push({ row, ids });
    }
    return named;
  }

  /** Returns the ids that are new to the object: it may go on naming the others, anywhere. */
  *#added({ before, after }: ProposedRow): Steps<readonly string[]> {
    const { index } = this.#proposal;
    if (index.blobs.every(({ name }) => before?.[name] === after[name])) return NOTHING;
    const held = before === null ? NONE : yield* blobIdsOf(index, before);
    return [...(yield* blobIdsOf(index, after))].filter((id) => !held.has(id));
  }

  *#requireUsable(named: readonly NewNames[]): Steps<void> {
    const { blobs } = this.#unit;
    for (const { row, ids } of named) {
      yield;
      const unusable = new Set(ids.filter((id) => !blobs.isUsable(id)));
      if (unusable.size === 0) continue;
      for (const property of this.#proposal.index.blobs) {
        const texts = yield* textSteps(property.blobs, row.after[property.name]);
        const first = [...texts].find((text) => unusable.has(text));
        if (first !== undefined) this.#complain(row, property, first);
      }
    }
  }

  /** Clients don't know of internal properties. */
  #complain(row: ProposedRow, { name, access }: BlobProperty, id: string): void {
    if (access !== 'internal') this.#proposal.complain(row, name, unusableBlob(id));
    else this.#proposal.blame(row, [name], HIDDEN);
  }
}

interface NewNames {
  readonly row: ProposedRow;
  readonly ids: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: readonly string[] = Object.freeze([]);

const HIDDEN = setError(
  'invalidProperties',
  'The server would give it the id of a blob that is not in this account, or that you can not use.',
  { properties: [] },
);
