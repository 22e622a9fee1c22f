import { textsAt } from '../../capability/places.js';
import { setError } from '../../protocol/errors.js';
import type { UnitOfWork } from '../work/unit.js';
import { type BlobProperty, blobIdsOf, unusableBlob } from './blobs.js';
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
    const { index, rows, refused } = this.#proposal;
    if (index.blobs.length === 0) return false;
    const { blobs, slices } = this.#unit;
    const { size } = refused;
    const named: { readonly row: ProposedRow; readonly ids: readonly string[] }[] = [];
    for (const row of rows.values()) {
      if (slices.isOver()) await slices.next();
      const ids = this.#added(row);
      if (ids.length > 0) named.push({ row, ids });
    }
    await blobs.lookUp(named.flatMap(({ ids }) => ids));
    for (const { row, ids } of named) {
      if (slices.isOver()) await slices.next();
      this.#requireUsable(row, ids);
    }
    return refused.size > size;
  }

  /** Returns the ids that are new to the object: it may go on naming the others, anywhere. */
  #added({ before, after }: ProposedRow): readonly string[] {
    const { index } = this.#proposal;
    if (index.blobs.every(({ name }) => before?.[name] === after[name])) return NOTHING;
    const held = before === null ? NONE : blobIdsOf(index, before);
    return [...blobIdsOf(index, after)].filter((id) => !held.has(id));
  }

  #requireUsable(row: ProposedRow, ids: readonly string[]): void {
    const { blobs } = this.#unit;
    const unusable = new Set(ids.filter((id) => !blobs.isUsable(id)));
    if (unusable.size === 0) return;
    for (const property of this.#proposal.index.blobs) {
      const texts = [...textsAt(property.blobs, row.after[property.name])];
      const first = texts.find((text) => unusable.has(text));
      if (first !== undefined) this.#complain(row, property, first);
    }
  }

  /** Clients don't know of internal properties. */
  #complain(row: ProposedRow, { name, access }: BlobProperty, id: string): void {
    if (access !== 'internal') this.#proposal.complain(row, name, unusableBlob(id));
    else this.#proposal.blame(row, [name], HIDDEN);
  }
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: readonly string[] = Object.freeze([]);

const HIDDEN = setError(
  'invalidProperties',
  'The server would give it the id of a blob that is not in this account, or that you can not use.',
  { properties: [] },
);
