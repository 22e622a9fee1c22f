import type { DataTypeDefinition } from '../../capability/definition.js';
import type { Slices } from '../../runtime/slices.js';
import type { FoundObjects, WantedObjects } from '../port.js';
import { type SnapshotServices, SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';
import { readChangedObjects } from './objects.js';

/** Reading within one transaction of a connection. */
export class PostgresqlSnapshot extends SqlSnapshot<Connection> {
  #pauses = 0;

  constructor(services: SnapshotServices, connection: Connection, accountId: string) {
    super(engine, services, connection, accountId);
  }

  /** It has an answer, and waits for its turn to make objects of it. */
  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  /**
   * The objects that exist of those that `changes` gives records of, in any order; null where there are too many
   * octets of them.
   */
  async changedObjects(
    type: DataTypeDefinition,
    since: number,
    limit: number,
    wanted: WantedObjects,
  ): Promise<FoundObjects | null> {
    this.check();
    return readChangedObjects(this.scope, type, since, limit, wanted);
  }

  protected override slices(): Slices {
    const slices = this.conductor.startSlices(() => this.check());
    return {
      isOver: () => slices.isOver(),
      next: async () => {
        this.#pauses += 1;
        await slices.next().finally(() => {
          this.#pauses -= 1;
        });
      },
    };
  }
}
