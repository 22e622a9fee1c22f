import type { HeldScopes } from '../../access/held-scopes.js';
import type { Inheritance } from '../../access/inheritance.js';
import { readHeld } from '../../access/read-view.js';
import { allRights, type Rights } from '../../access/rights.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { Snapshot, StoredObject } from '../../store/port.js';
import { AccessJudge } from './judge-access.js';
import type { ViewOfType } from './visible-ids.js';

/** The rights of a call's user: to the objects of any type, with the same scopes for all. */
export class CallAccess {
  readonly viewOf: ViewOfType;
  readonly #reads: Pick<Snapshot, 'sharesHeld'>;
  readonly #inheritance: () => Inheritance;
  #held: HeldScopes | null = null;

  /** `inheritance`: returns the objects that others follow, as they are then. */
  constructor(
    viewOf: ViewOfType,
    reads: Pick<Snapshot, 'sharesHeld'>,
    inheritance: () => Inheritance,
  ) {
    this.viewOf = viewOf;
    this.#reads = reads;
    this.#inheritance = inheritance;
  }

  /** Forgets what the user had: it may have other rights since. */
  renew(): void {
    this.#held = null;
  }

  /** Returns the user's rights at objects of a shared type, as they are now, by their ids. */
  async rightsAt(
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
  ): Promise<ReadonlyMap<string, Rights>> {
    const judge = await this.judgeOf(type);
    if (judge !== null) return judge.rightsAt(objects);
    const all = allRights(type);
    return new Map(objects.map(({ id }) => [id, all]));
  }

  /** Judges objects as they are now. Null: the user may do everything with the type. */
  async judgeOf(type: DataTypeDefinition): Promise<AccessJudge | null> {
    const view = this.viewOf(type);
    if (view === null) return null;
    this.#held ??= await readHeld(this.#reads, view);
    return new AccessJudge(type, this.#held, this.#inheritance());
  }
}
