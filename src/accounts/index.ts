/** Users, accounts, access and tokens: the authentication of requests, and what commands change. */
export { DirectoryRows } from './admin/directory-rows.js';
export { type AuditEntry, listActs, pruneAudit } from './audit.js';
export { type AuthenticatorOptions, createAuthenticator } from './authenticator.js';
export { bootstrap } from './bootstrap.js';
export { DirectoryError, formatVersion, VERSION_KEYS } from './change.js';
export { deleteAccount, resumeDeletions } from './delete-account.js';
export {
  type AccountListing,
  createAccount,
  DEFAULT_USER,
  grantAccess,
  listAccounts,
  renameAccount,
  revokeAccess,
} from './directory.js';
export { pruneDirectory } from './directory-log.js';
export {
  addMember,
  createGroup,
  deleteGroup,
  existingGroup,
  type GroupListing,
  listGroups,
  removeMember,
  type ScopedTables,
} from './groups.js';
export type {
  AccountAccess,
  Authenticator,
  Principal,
  Tickets,
} from './principal.js';
export { PushDeliveryRows } from './push-delivery.js';
export { PushSubscriptionRows } from './push-subscriptions.js';
export {
  listSubscriptions,
  pruneOrphans,
  pruneSubscriptions,
  type SubscriptionListing,
  sealSubscriptions,
} from './push-upkeep.js';
export { createTickets, pruneTickets } from './tickets.js';
export {
  createToken,
  listTokens,
  revokeToken,
  type TokenListing,
  type TokenScope,
} from './tokens.js';
export {
  changeRoles,
  disableUser,
  enableUser,
  listUsers,
  rolesOfUser,
  signOutUser,
  type UserListing,
} from './users.js';
export { rotateVapidKey, sealVapidKeys, VapidKeys } from './vapid-keys.js';
