import type { MethodDefinition } from '../capability/capability-definition.js';
import { adminChanges, adminGet } from './admin/admin-get.js';
import { adminSet } from './admin/admin-set.js';
import { blobCopy } from './blob/blob-copy.js';
import { blobGet } from './blob/blob-get.js';
import { blobLookup } from './blob/blob-lookup.js';
import { blobUpload } from './blob/blob-upload.js';
import { changes } from './changes/changes.js';
import type { CallContext, MethodBody } from './context.js';
import { copy } from './copy/copy.js';
import { get } from './get/get.js';
import { pushSubscriptionGet } from './push-subscription/push-get.js';
import { pushSubscriptionSet } from './push-subscription/push-set.js';
import { query } from './query/query.js';
import { queryChanges } from './query/query-changes.js';
import { set } from './set/set.js';

/**
 * The functions of the methods that the engine implements, by the `body` of a definition. The
 * standard methods (RFC 8620 5) are for objects of any type; descriptors declare the others by
 * name. Each takes the arguments that its validator has judged.
 */
export const METHOD_BODIES: Readonly<
  Record<Exclude<MethodDefinition['body'], 'hookFile'>, MethodBody>
> = Object.freeze({
  get,
  changes,
  set,
  copy,
  query,
  queryChanges,
  // RFC 8620 4: the arguments as they came, result references resolved.
  'Core/echo': (args: object, context: CallContext) => context.admit(args),
  'Blob/upload': blobUpload,
  'Blob/get': blobGet,
  'Blob/lookup': blobLookup,
  'Blob/copy': blobCopy,
  'PushSubscription/get': pushSubscriptionGet,
  'PushSubscription/set': pushSubscriptionSet,
  'AdminUser/get': adminGet,
  'AdminUser/changes': adminChanges,
  'AdminUser/set': adminSet,
  'AdminAccount/get': adminGet,
  'AdminAccount/changes': adminChanges,
  'AdminAccount/set': adminSet,
  'AdminGrant/get': adminGet,
  'AdminGrant/changes': adminChanges,
  'AdminGrant/set': adminSet,
  'AdminToken/get': adminGet,
  'AdminToken/changes': adminChanges,
  'AdminToken/set': adminSet,
});
