/** What the composition root, the session and the transports use of the methods. */
export { MAX_DATA_SOURCES } from './blob/upload-object.js';
export { DIGEST_ALGORITHMS } from './blob/view.js';
export { isVisible } from './blob/visible.js';
export type { MethodLimits, Services } from './context.js';
export { type Answer, createDispatcher, type Dispatcher, type DispatchLimits } from './dispatch.js';
export type { FailureLog } from './failures.js';
export { createRegistry, type Registry } from './registry.js';
export { COLLATIONS } from './sort.js';
