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
import { changes } from './changes/changes.js';
import type { CallContext, StandardCall } from './context.js';
import { copy } from './copy/copy.js';
import { get } from './get/get.js';
import { query } from './query/query.js';
import { queryChanges } from './query/query-changes.js';
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
    return this.#extended({ type, verb: 'get', args }, (wanted) =>
      get(type, wanted, this.#context),
    ) as Promise<GetResponse<S>>;
  }

  changes(type: DataTypeDefinition, args: ChangesArguments): Promise<ChangesResponse> {
    return this.#extended({ type, verb: 'changes', args }, (wanted) =>
      changes(type, wanted, this.#context),
    );
  }

  set<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    args: SetArguments,
  ): Promise<SetResponse<S>> {
    return this.#extended({ type, verb: 'set', args }, (wanted, sent) =>
      set(type, wanted, this.#context, sent),
    ) as Promise<SetResponse<S>>;
  }

  copy<S extends TypeShape>(
    type: DataTypeDefinition<S>,
    args: CopyArguments,
  ): Promise<CopyResponse<S>> {
    return this.#extended({ type, verb: 'copy', args }, (wanted, sent) =>
      copy(type, wanted, this.#context, sent),
    ) as Promise<CopyResponse<S>>;
  }

  query(type: DataTypeDefinition, args: QueryArguments): Promise<QueryResponse> {
    return this.#extended({ type, verb: 'query', args }, (wanted) =>
      query(type, wanted, this.#context),
    );
  }

  queryChanges(
    type: DataTypeDefinition,
    args: QueryChangesArguments,
  ): Promise<QueryChangesResponse> {
    return this.#extended({ type, verb: 'queryChanges', args }, (wanted) =>
      queryChanges(type, wanted, this.#context),
    );
  }

  /** Types without hooks pay nothing. */
  #extended<Arguments extends object, Response extends object>(
    call: StandardCall<Arguments>,
    run: (args: Arguments, sent?: Arguments) => Promise<Response>,
  ): Promise<Response> {
    const { hooks } = this.#context.services;
    return hooks === undefined ? run(call.args) : hooks.extend(call, this.#context, run);
  }
}
