import type { Conductor, Slices } from '../../runtime/slices.js';
import type { ObjectScope, ReadingEngine, Scope } from './engine-port.js';
import type { Row } from './row-codec.js';
import type { StorageNames } from './storage-names.js';
import type { TableReader, TableTexts } from './table-texts.js';

/** The services that all snapshots and transactions of a store share. */
export interface SnapshotServices {
  readonly names: StorageNames;
  readonly conductor: Conductor;
}

/** Runs the statements of one transaction of a connection on the engine's own tables. */
export class TableSnapshot<C extends TableReader> {
  protected readonly scope: ObjectScope<C>;
  protected readonly names: StorageNames;
  protected readonly conductor: Conductor;
  protected readonly engine: ReadingEngine<C>;
  readonly #mayPause: boolean;
  #open = true;

  /** `mayPause`: false if others wait for the connection; then operations read all at once. */
  constructor(
    engine: ReadingEngine<C>,
    { names, conductor }: SnapshotServices,
    { connection, accountId }: Scope<C>,
    mayPause = true,
  ) {
    this.engine = engine;
    this.#mayPause = mayPause;
    this.names = names;
    this.conductor = conductor;
    this.scope = Object.freeze({ connection, accountId, slices: () => this.slices() });
  }

  /**
   * Refuses whatever a work starts after it has ended: it would belong to another's transaction.
   */
  end(): void {
    this.#open = false;
  }

  /** Slices for one read of objects, which end with the work; null where no read may pause. */
  protected slices(): Slices | null {
    return this.#mayPause ? this.conductor.startSlices(() => this.check()) : null;
  }

  protected check(): void {
    if (!this.#open) throw new Error('A storage operation was started after its work had ended.');
    this.scope.connection.check();
  }

  /** Returns the rows of one of the statements on the engine's own tables. */
  protected async all(
    text: keyof TableTexts,
    ...parameters: readonly (string | number)[]
  ): Promise<readonly Row[]> {
    this.check();
    return this.scope.connection.all(this.engine.texts[text], ...parameters);
  }
}
