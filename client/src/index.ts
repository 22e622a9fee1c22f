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
export type { ConnectOptions, TransportContext } from './call/connection.js';
export * from './call/errors.js';
export type * from './call/methods.js';
export type { OrReferences, Ref, Reference } from './call/reference.js';
export type { Session, SessionAccount } from './call/session.js';
export type { Client, Comparator } from './client.js';
export { connect } from './client.js';
export type * from './schema/id.js';
export type * from './schema/set-errors.js';
export type * from './schema/shapes.js';
export type * from './schema/tables.js';
export type { ChangedStates, Push, PushOptions, PushStatus } from './transport/push.js';
export type { Invocation, Transport } from './transport/transport.js';
export type { OnProgress, Progress } from './transport/upload.js';
