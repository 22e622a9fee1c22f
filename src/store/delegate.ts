import type { Store } from './port.js';

/** Returns a store that has some operations of its own and leaves the others to `store`. */
export function storeWith(store: Store, operations: Partial<Store>): Store {
  return {
    read: (accountId, options, work) => store.read(accountId, options, work),
    readObjects: (request) => store.readObjects(request),
    readChanges: (request) => store.readChanges(request),
    readPage: (request) => store.readPage(request),
    write: (accountId, options, work) => store.write(accountId, options, work),
    onCommit: (listener) => store.onCommit(listener),
    readStates: (accountIds) => store.readStates(accountIds),
    ping: () => store.ping(),
    pruneChanges: (before, limit) => store.pruneChanges(before, limit),
    pruneAnswers: (before, limit) => store.pruneAnswers(before, limit),
    collectBlobs: (before, limit) => store.collectBlobs(before, limit),
    plans: (accountId, deadline, statements) => store.plans(accountId, deadline, statements),
    close: () => store.close(),
    ...operations,
  };
}
