import { hash } from 'node:crypto';
import type { CapabilityDefinition } from '../capability/capability-definition.js';
import { findCapabilityMode, givesAccess, listNarrowed, type Narrowing } from './access-modes.js';
import type { JsonObject } from './json.js';

/** RFC 9404. */
export const BLOB = 'urn:ietf:params:jmap:blob';

/**
 * The capabilities that an account offers only if its list names them, not as some of all. Users
 * without such an account see nothing of them.
 */
export const NAMED_CAPABILITIES: ReadonlySet<string> = new Set([
  'urn:jmapsmith:admin',
  'urn:ietf:params:jmap:principals',
]);

/** An account as the session shows it. */
export interface SessionAccount {
  readonly name: string;
  readonly isPersonal: boolean;
  readonly isReadOnly: boolean;
  /** Capability URNs that the account is limited to; null is all but NAMED_CAPABILITIES. */
  readonly capabilities: ReadonlySet<string> | null;
  /** The user whom it belongs to; absent where nobody is told. */
  readonly ownerId?: string;
}

/** The user of a session. Equal access must be one object: `Sessions` keeps results by identity. */
export interface SessionOwner extends Narrowing {
  readonly userId?: string;
  readonly username: string;
  readonly accounts: ReadonlyMap<string, SessionAccount>;
}

/** Members of a capability's objects that only the running process knows (limits, URLs). */
export interface RuntimeMembers {
  /** For the entry in `capabilities`; `base` is the public base URL without a trailing slash. */
  session?(base: string, owner: Narrowing): JsonObject;
  /** For the entry in each account's `accountCapabilities`. */
  account?(owner: SessionOwner): JsonObject;
  /** False keeps the capability out of `primaryAccounts` (RFC 8620 2 says so of core). */
  readonly primary?: boolean;
}

export interface SessionOptions {
  readonly capabilities: Iterable<CapabilityDefinition>;
  readonly runtime: ReadonlyMap<string, RuntimeMembers>;
  /**
   * Returns further entries of an account's `accountCapabilities`, by names that are no
   * capabilities of the session.
   */
  readonly entriesOf?: (owner: SessionOwner, account: SessionAccount) => JsonObject;
  /** Returns another number whenever `runtime` would give other members. */
  readonly version?: () => number;
  /** The configured public base URL, no trailing slash; null where each request's host decides. */
  readonly baseUrl: string | null;
}

interface Computed {
  readonly version: number;
  readonly state: string;
  /** The base URL that `text` was made for; null before the first time. */
  base: string | null;
  text: string;
}

/** Session objects (RFC 8620 2) of owners, each computed once. */
export class Sessions {
  readonly #capabilities: readonly CapabilityDefinition[];
  readonly #byUrn: ReadonlyMap<string, CapabilityDefinition>;
  readonly #options: SessionOptions;
  readonly #computed = new WeakMap<SessionOwner, Computed>();

  constructor(options: SessionOptions) {
    this.#capabilities = [...options.capabilities];
    this.#byUrn = new Map(this.#capabilities.map((each) => [each.urn, each]));
    this.#options = options;
  }

  /**
   * Returns a hash of the session's content. URLs count only as far as the base URL is configured.
   */
  state(owner: SessionOwner): string {
    return this.#entryOf(owner).state;
  }

  /** Returns whether a capability exists for the user. */
  offers(owner: SessionOwner, urn: string): boolean {
    const capability = this.#byUrn.get(urn);
    if (capability === undefined || findCapabilityMode(owner, capability) === null) return false;
    if (!NAMED_CAPABILITIES.has(urn)) return true;
    return [...owner.accounts.values()].some((account) => accountHas(account, urn));
  }

  /** Returns the Session object's JSON text, its URLs under `base`. */
  text(owner: SessionOwner, base: string): string {
    const computed = this.#entryOf(owner);
    if (computed.base !== base) {
      computed.text = JSON.stringify({ ...this.#content(owner, base), state: computed.state });
      computed.base = base;
    }
    return computed.text;
  }

  #entryOf(owner: SessionOwner): Computed {
    let computed = this.#computed.get(owner);
    const version = this.#options.version?.() ?? 0;
    if (computed?.version !== version) {
      const content = this.#content(owner, this.#options.baseUrl ?? '');
      // A bare entry doesn't show its descriptor's hash, but the state must move with it.
      const hashes = this.#capabilities.map(({ urn, descriptorHash }) => [urn, descriptorHash]);
      const narrowed = listNarrowed(owner, this.#capabilities);
      const parts = narrowed.length === 0 ? [content, hashes] : [content, hashes, narrowed];
      const digest = hash('sha256', JSON.stringify(parts), 'base64url');
      computed = { version, state: digest.slice(0, 22), base: null, text: '' };
      this.#computed.set(owner, computed);
    }
    return computed;
  }

  #content(owner: SessionOwner, base: string): JsonObject {
    const { runtime } = this.#options;
    const visible = this.#capabilities.filter(({ urn }) => this.offers(owner, urn));
    const shown = visible.map((capability) => [
      capability.urn,
      {
        ...capability.session,
        ...runtime.get(capability.urn)?.session?.(base, owner),
        ...(capability.bareSession ? {} : { descriptorHash: capability.descriptorHash }),
      },
    ]);
    const ofAccounts = visible.filter((capability) => capability.accountLevel);
    const accounts = Array.from(owner.accounts, ([id, account]) => [
      id,
      this.#accountObject(owner, account, ofAccounts),
    ]);
    return {
      capabilities: Object.fromEntries(shown),
      accounts: Object.fromEntries(accounts),
      primaryAccounts: primaryAccounts(ofAccounts, runtime, owner),
      username: owner.username,
      ...sessionUrls(base),
    };
  }

  /** Returns an account as the session shows it; null where it is out of reach. */
  account(owner: SessionOwner, id: string): JsonObject | null {
    const account = owner.accounts.get(id);
    if (account === undefined) return null;
    const visible = this.#capabilities.filter(({ urn }) => this.offers(owner, urn));
    const ofAccounts = visible.filter((capability) => capability.accountLevel);
    return this.#accountObject(owner, account, ofAccounts);
  }

  #accountObject(
    owner: SessionOwner,
    account: SessionAccount,
    capabilities: readonly CapabilityDefinition[],
  ): JsonObject {
    const { runtime, entriesOf } = this.#options;
    const offered = capabilities.filter(({ urn }) => accountHas(account, urn));
    return {
      name: account.name,
      isPersonal: account.isPersonal,
      isReadOnly: account.isReadOnly || this.#isOnlyRead(account, owner, capabilities),
      accountCapabilities: {
        ...Object.fromEntries(
          offered.map(({ urn, accountSession }) => [
            urn,
            { ...accountSession, ...runtime.get(urn)?.account?.(owner) },
          ]),
        ),
        ...entriesOf?.(owner, account),
      },
    };
  }

  /** Returns whether all that the account offers may only be read. */
  #isOnlyRead(
    account: SessionAccount,
    owner: SessionOwner,
    capabilities: readonly CapabilityDefinition[],
  ): boolean {
    if (owner.capabilities === null) return false;
    const offered = capabilities.filter(
      (each) => givesAccess(each) && accountHas(account, each.urn),
    );
    return (
      offered.length > 0 && offered.every((each) => findCapabilityMode(owner, each) === 'read')
    );
  }
}

/** Finds each capability's first account of the user's own; accounts are in order of creation. */
function primaryAccounts(
  capabilities: readonly CapabilityDefinition[],
  runtime: ReadonlyMap<string, RuntimeMembers>,
  owner: SessionOwner,
): JsonObject {
  const primary: [string, string][] = [];
  for (const { urn } of capabilities) {
    if (runtime.get(urn)?.primary === false) continue;
    for (const [id, account] of owner.accounts) {
      const mayBe = account.isPersonal || NAMED_CAPABILITIES.has(urn);
      if (!mayBe || !accountHas(account, urn)) continue;
      primary.push([urn, id]);
      break;
    }
  }
  return Object.fromEntries(primary);
}

/** Returns true where the account offers the capability. */
export function accountHas({ capabilities }: SessionAccount, urn: string): boolean {
  return capabilities === null ? !NAMED_CAPABILITIES.has(urn) : capabilities.has(urn);
}

/** Paths under the base URL. The templates are RFC 6570 level 1. */
function sessionUrls(base: string): JsonObject {
  return {
    apiUrl: `${base}/jmap`,
    downloadUrl: `${base}/jmap/download/{accountId}/{blobId}/{name}?type={type}`,
    uploadUrl: `${base}/jmap/upload/{accountId}`,
    eventSourceUrl: `${base}/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}`,
  };
}
