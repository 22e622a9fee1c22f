import type { JsonObject } from '../../../src/protocol/json.js';
import type { Replica } from '../store/replica.js';
import type { Invocation, Response } from '../transport/transport.js';
import { takeObjects } from './pull.js';
import { TRANSIENT } from './transient.js';
import { answerOf } from './wire.js';

/** Objects of a request, asked for by their ids. */
interface Part {
  readonly type: string;
  readonly ids: readonly string[];
}

export interface FetchRequest {
  readonly parts: readonly Part[];
  readonly calls: readonly Invocation[];
}

export interface FetchAnswers {
  readonly objects: readonly {
    readonly type: string;
    readonly objects: ReadonlyMap<string, JsonObject | null>;
    readonly state: string;
  }[];
  /** The type of the first error that may pass. */
  readonly failure: string | null;
}

export interface FetchOptions {
  readonly accountId: string;
  readonly maxObjectsInGet: number;
}

/** Objects that somebody looks at, and that are not there yet. */
export class FetchQueue {
  readonly #replica: Replica;
  readonly #byType = new Map<string, Set<string>>();

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  /** Returns the types of which something is wanted. */
  get types(): ReadonlySet<string> {
    return new Set(this.#byType.keys());
  }

  /** Adds the objects among these that are not there. */
  add(type: string, ids: Iterable<string>): void {
    const wanted = this.#byType.get(type) ?? new Set<string>();
    for (const id of ids) if (!this.#replica.has(type, id)) wanted.add(id);
    if (wanted.size > 0) this.#byType.set(type, wanted);
  }

  delete(type: string): void {
    this.#byType.delete(type);
  }

  /** Takes objects into a request, those of a type for each call that it has room for. */
  plan(room: number, { accountId, maxObjectsInGet }: FetchOptions): FetchRequest {
    const parts = [...this.#byType]
      .slice(0, room)
      .map(([type, ids]) => ({ type, ids: [...ids].slice(0, maxObjectsInGet) }));
    const calls = parts.map(
      ({ type, ids }): Invocation => [
        `${type}/get`,
        { accountId, ids: [...ids] },
        `${type}.wanted`,
      ],
    );
    return { parts, calls };
  }

  /** Returns the objects that a response has. Errors that pass leave them wanted. */
  read({ parts }: FetchRequest, response: Response): FetchAnswers {
    let failure: string | null = null;
    const objects = parts.flatMap(({ type, ids }) => {
      const got = answerOf(response, `${type}.wanted`);
      if (got.isError && TRANSIENT.has(got.type)) {
        failure ??= got.type;
        return [];
      }
      const rest = this.#byType.get(type);
      for (const id of ids) rest?.delete(id);
      if (rest?.size === 0) this.#byType.delete(type);
      if (got.isError) return [];
      const found = new Map<string, JsonObject | null>();
      takeObjects(got.args, found);
      return [{ type, objects: found, state: String(got.args['state']) }];
    });
    return { objects, failure };
  }
}
