export { type CacheStore, withCache } from './cache/cache-store.js';
export type * from './cache/cached-types.js';
export type { StoreOptions } from './cache/connect-with-store.js';
export { memory } from './cache/memory-store.js';
export type { Observable } from './cache/observable.js';
export type {
  Account,
  AccountCalls,
  CallOptions,
  Project,
} from './call/account.js';
export type {
  BlobId,
  Blobs,
  DownloadOptions,
  ObjectUrl,
  Uploaded,
  UploadOptions,
} from './call/blobs.js';
export type { ConnectionOptions, TransportContext } from './call/connection.js';
export * from './call/errors.js';
export type * from './call/methods.js';
export type { OrReferences, Ref, Reference } from './call/reference.js';
export type { Session, SessionAccount } from './call/session.js';
export type { Client, Comparator } from './client.js';
export { type ClientOf, type ConnectOptions, connect } from './connect.js';
export type { BlobChange, Change, OpenStore, Store, Table } from './persist/port.js';
export { FencedError, StoreLostError } from './persist/store-errors.js';
export type * from './schema/id.js';
export type * from './schema/set-errors.js';
export type * from './schema/shapes.js';
export type * from './schema/tables.js';
export type { Role, Tabs, Work } from './tabs/roles.js';
export type { ChangedStates, Push, PushOptions, PushStatus } from './transport/push.js';
export type { Invocation, Transport } from './transport/transport.js';
export type { OnProgress, Progress } from './transport/upload.js';
