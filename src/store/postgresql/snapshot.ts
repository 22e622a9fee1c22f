import { inSlices, type Slices } from '../../protocol/slices.js';
import type { StorageNames } from '../sql/names.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Reading within one transaction of a connection. */
export class PostgresqlSnapshot extends SqlSnapshot<Connection> {
  #pauses = 0;

  constructor(names: StorageNames, connection: Connection, accountId: string) {
    super(engine, names, connection, accountId);
  }

  /** It has an answer, and waits for its turn to make objects of it. */
  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  protected override slices(): Slices {
    const slices = inSlices(() => this.check());
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
