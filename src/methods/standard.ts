import type { StandardMethodName } from '../capability/definition.js';
import { changes } from './changes/changes.js';
import type { StandardMethod } from './context.js';
import { copy } from './copy/copy.js';
import { get } from './get/get.js';
import { query } from './query/query.js';
import { queryChanges } from './query/query-changes.js';
import { set } from './set/set.js';

/** The bodies of the standard methods (RFC 8620 5), for objects of any type. Each takes the arguments that its validator has judged. */
export const STANDARD_METHODS: Readonly<Record<StandardMethodName, StandardMethod<never, object>>> =
  Object.freeze({ get, changes, set, copy, query, queryChanges });
