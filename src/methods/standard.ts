import type { DataTypeDefinition, StandardMethodName } from '../capability/definition.js';
import type { StandardMethods } from '../capability/standard.js';
import { changes } from './changes/changes.js';
import type { CallContext, StandardMethod } from './context.js';
import { copy } from './copy/copy.js';
import { get } from './get/get.js';
import { query } from './query/query.js';
import { queryChanges } from './query/query-changes.js';
import { set } from './set/set.js';

/**
 * Binds the generic methods to one call. The engine works on any type's objects; only here are its
 * responses given the wire types of the definition they were made by. Types without hooks pay
 * nothing.
 */
export function bindStandardMethods(context: CallContext): StandardMethods {
  const bind =
    <Arguments extends object>(
      verb: StandardMethodName,
      method: StandardMethod<Arguments, object>,
    ) =>
    (type: DataTypeDefinition, args: Arguments): Promise<never> => {
      const { hooks } = context.services;
      const run = (wanted: Arguments, sent?: Arguments) => method(type, wanted, context, sent);
      const response =
        hooks === undefined ? run(args) : hooks.extend({ type, verb, args }, context, run);
      return response as Promise<never>;
    };
  return {
    get: bind('get', get),
    changes: bind('changes', changes),
    set: bind('set', set),
    copy: bind('copy', copy),
    query: bind('query', query),
    queryChanges: bind('queryChanges', queryChanges),
  };
}
