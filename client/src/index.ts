export type * from './call/methods.js';
export type { OrReferences, Ref, Reference } from './call/reference.js';
export type { Account, BlobId, Client, Comparator, ConnectOptions, Project } from './client.js';
export { connect } from './client.js';
export type * from './schema/id.js';
export type * from './schema/set-errors.js';
export type * from './schema/shapes.js';
export type * from './schema/tables.js';
