import type { DataTypeDefinition, StoredOf, TypeShape } from '../capability/definition.js';
import type { HookTransaction } from '../capability/hooks.js';
import type { SetResponse } from '../capability/standard.js';
import { HookHandleError } from '../methods/hook-errors.js';
import { WORKING_OCTETS } from '../methods/long-calls.js';
import type { JsonValue } from '../protocol/json.js';
import type { ObjectReader } from './port.js';

type SetRequest = Parameters<HookTransaction['set']>[1];

export interface SetOptions {
  /** Resolve where objects are refused, too. */
  readonly partial?: boolean;
}

export type HookSet = (
  type: DataTypeDefinition,
  request: SetRequest,
  options: SetOptions,
) => Promise<SetResponse>;

export interface HandleOptions {
  /** Null where the method has no account. */
  readonly snapshot: ObjectReader | null;
  readonly prisma: unknown;
  readonly maxObjectsInGet: number;
  /** Null where the method only reads. */
  readonly set: HookSet | null;
}

/**
 * The `tx` (or `reader`) of one hook. Its operations run one after the other, whatever the hook does
 * at once, and none runs after `end`: a hook that is given up may go on, but not in the database.
 */
export class HookHandle implements HookTransaction {
  readonly #options: HandleOptions;
  #last: Promise<unknown> = Promise.resolve();
  #over = false;

  constructor(options: HandleOptions) {
    this.#options = options;
  }

  get prisma(): unknown {
    this.#check();
    return this.#options.prisma;
  }

  get<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    ids: readonly string[] | null,
  ): Promise<readonly StoredOf<S>[]> {
    return this.#next(async () => {
      const { snapshot, maxObjectsInGet } = this.#options;
      if (snapshot === null)
        throw new HookHandleError('A method with "account: none" has no data.');
      const list =
        ids === null
          ? await snapshot.getAll(type, maxObjectsInGet, type.properties, WORKING_OCTETS)
          : await snapshot.get(type, [...new Set(ids)], type.properties, WORKING_OCTETS);
      // The engine reads any type; only its definition knows what the objects look like.
      return list as unknown as readonly StoredOf<S>[];
    });
  }

  set<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    request: {
      readonly create?: Readonly<Record<string, Partial<StoredOf<S>>>>;
      readonly update?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>;
      readonly destroy?: readonly string[];
    },
    options: SetOptions = {},
  ): Promise<SetResponse<S>> {
    return this.#next(async () => {
      const { set } = this.#options;
      if (set === null) {
        throw new HookHandleError('tx.set needs a method with "account: write".');
      }
      return (await set(type, request as SetRequest, options)) as SetResponse<S>;
    });
  }

  /** From here on every operation throws. */
  end(): void {
    this.#over = true;
  }

  #next<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      this.#check();
      return operation();
    });
    // A failure is the hook's to see; the next operation comes all the same.
    this.#last = result.catch(() => undefined);
    return result;
  }

  #check(): void {
    if (this.#over) throw new HookHandleError('The transaction of this hook is over.');
  }
}
