import type { Principal } from '../../accounts/principal.js';
import type { CallOptions, StoredObject } from '../../store/port.js';
import type { PrincipalTypes } from './principal-index.js';

/** The users that a user sees: all of them, or those with whom it has an account in common. */
export type PrincipalMode = 'shared' | 'all';

/** The accounts in which users find principals, as methods know them. */
export interface PrincipalServices {
  readonly types: PrincipalTypes;
  readonly mode: PrincipalMode;

  /** Brings the account of a user up to date. `areNotesAlone`: principals stay as they were. */
  open(userId: string, options: CallOptions, areNotesAlone?: boolean): Promise<void>;

  /**
   * Resolves to principals as a user reads them: with accounts as the session shows them, once it
   * knows all that the objects know.
   */
  show(objects: readonly StoredObject[], principal: Principal): Promise<readonly StoredObject[]>;
}
