import type { MethodDefinition } from '../capability/capability-definition.js';
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
});
