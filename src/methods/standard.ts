import type { DataTypeDefinition, TypeShape } from '../capability/definition.js';
import type {
  ChangesArguments,
  ChangesResponse,
  CopyArguments,
  CopyResponse,
  GetArguments,
  GetResponse,
  QueryArguments,
  QueryChangesArguments,
  QueryChangesResponse,
  QueryResponse,
  SetArguments,
  SetResponse,
  StandardMethods,
} from '../capability/standard.js';
import { changes } from './changes.js';
import type { CallContext } from './context.js';
import { copy } from './copy.js';
import { get } from './get.js';
import { extended } from './hooks/extend.js';
import { query } from './query.js';
import { queryChanges } from './query-changes.js';
import { set } from './set.js';

/**
 * The generic methods, bound to one call. The engine works on any type's objects; only here are its
 * responses given the wire types of the definition they were made by.
 */
export class BoundStandardMethods implements StandardMethods {
  readonly #context: CallContext;

  constructor(context: CallContext) {
    this.#context = context;
  }

  get<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    args: GetArguments,
  ): Promise<GetResponse<S>> {
    return extended(type, 'get', args, this.#context, (wanted) =>
      this.#context.promised(get(type, wanted, this.#context)),
    ) as Promise<GetResponse<S>>;
  }

  changes(type: DataTypeDefinition, args: ChangesArguments): Promise<ChangesResponse> {
    return extended(type, 'changes', args, this.#context, (wanted) =>
      changes(type, wanted, this.#context),
    );
  }

  set<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    args: SetArguments,
  ): Promise<SetResponse<S>> {
    return extended(type, 'set', args, this.#context, (wanted, sent) =>
      set(type, wanted, this.#context, sent),
    ) as Promise<SetResponse<S>>;
  }

  copy<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    args: CopyArguments,
  ): Promise<CopyResponse<S>> {
    return extended(type, 'copy', args, this.#context, (wanted, sent) =>
      copy(type, wanted, this.#context, sent),
    ) as Promise<CopyResponse<S>>;
  }

  query(type: DataTypeDefinition, args: QueryArguments): Promise<QueryResponse> {
    return extended(type, 'query', args, this.#context, (wanted) =>
      query(type, wanted, this.#context),
    );
  }

  queryChanges(
    type: DataTypeDefinition,
    args: QueryChangesArguments,
  ): Promise<QueryChangesResponse> {
    return extended(type, 'queryChanges', args, this.#context, (wanted) =>
      queryChanges(type, wanted, this.#context),
    );
  }
}
