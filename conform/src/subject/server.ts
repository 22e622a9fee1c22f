import type { TransportName } from '../client/connection.js';
import { Recorder } from '../client/exchange.js';
import { Fence } from '../client/fence.js';
import type { JsonMap } from '../client/json.js';
import { Secrets } from '../client/secrets.js';
import type { StandIns } from '../client/stand-ins.js';
import { type Watching, WIRE, type Wire } from '../client/watching.js';
import { type Matcher, satisfying, textWith } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import type { PushSink } from '../push/sink.js';
import { Subscriptions } from '../push/subscriptions.js';
import { Listings } from './listing.js';
import type { Samples } from './samples.js';
import { User } from './user.js';

/** Describes how to reach a server, and how to judge it. */
export interface ServerOptions {
  /** The session's URL, or the one in front of `/.well-known/jmap`. */
  readonly url: string;
  /** The header that `bearer` or `basic` makes of the user's credentials. */
  readonly authorization: string;
  /** Those of other users, for what one may see of another's. */
  readonly others?: readonly string[];
  readonly transport?: TransportName;
  /** The seed of random values. */
  readonly seed?: number;
  readonly wire?: Wire;
  /**
   * Accounts that are written to, the first before the others; without it those that the session
   * offers.
   */
  readonly accounts?: readonly string[];
  /**
   * Takes one answer alone where the RFCs allow several: errors have a description, a SetError
   * lists exactly the properties at fault, a call beyond a limit is refused. False unless it is
   * given.
   */
  readonly strict?: boolean;
  /** Takes pushes; without one no delivery is checked. */
  readonly sink?: PushSink;
}

/** The server that is tested, as its users see it. */
export class Server {
  readonly url: string;
  readonly user: User;
  readonly others: readonly User[];
  readonly recorder: Recorder;
  /** The fence around the objects that were there before the run. */
  readonly fence: Fence;
  readonly seed: number;
  /** Of types whose texts have a pattern. */
  readonly standIns: Map<string, StandIns>;
  readonly listings = new Listings();
  readonly subscriptions: Subscriptions;
  /** Whether one answer alone is right where the RFCs allow several. */
  readonly strict: boolean;
  /** Objects that it is known to take. */
  samples: Samples = new Map();
  readonly #accounts: readonly string[] | undefined;

  private constructor(
    all: Omit<Watching, 'wire' | 'standIns'> &
      Pick<Server, 'url' | 'user' | 'others' | 'seed' | 'standIns'>,
    { accounts, sink = null }: { accounts?: readonly string[]; sink?: PushSink | null },
  ) {
    this.url = all.url;
    this.user = all.user;
    this.others = all.others;
    this.recorder = all.recorder;
    this.fence = all.fence;
    this.seed = all.seed;
    this.standIns = all.standIns;
    this.strict = all.strict;
    this.#accounts = accounts;
    this.subscriptions = new Subscriptions(all.user, sink);
  }

  /**
   * Connects the users to the server. Throws SessionError or NoAnswerError where there is nothing
   * to test.
   */
  static async connect(options: ServerOptions): Promise<Server> {
    const { url, authorization, others = [], transport = 'http', seed = 1 } = options;
    const { wire = WIRE, strict = false } = options;
    const recorder = new Recorder(new Secrets([authorization, ...others]));
    const watching = {
      ...{ recorder, fence: new Fence(), wire },
      ...{ standIns: new Map<string, StandIns>(), strict },
    };
    const user = await User.connect(url, authorization, transport, watching);
    const rest: User[] = [];
    try {
      for (const other of others) rest.push(await User.connect(url, other, transport, watching));
    } catch (error) {
      // An open socket would keep the process.
      for (const one of [user, ...rest]) one.close();
      throw error;
    }
    return new Server({ url, user, others: rest, seed, ...watching }, options);
  }

  /** Returns the transport that requests take. */
  get transport(): TransportName {
    return this.user.transport;
  }

  /**
   * Lists the accounts of the user that can be written to and offer a capability: those that were
   * named, or else the user's own first, of these the primary one.
   */
  listWritable(capability: string): readonly string[] {
    const { session } = this.user;
    const all = session.listOffering(capability).filter((id) => !session.isReadOnly(id));
    if (this.#accounts !== undefined) return this.#accounts.filter((id) => all.includes(id));
    return all.toSorted((a, b) => Number(session.isPersonal(b)) - Number(session.isPersonal(a)));
  }

  /**
   * Finds an account that the user may read, and not write to. Throws NotApplicable where there is
   * none.
   */
  findReadOnly(capability: string): string {
    const { session } = this.user;
    const id = session.listOffering(capability).find((one) => session.isReadOnly(one));
    if (id === undefined)
      throw new NotApplicable(`The user reaches no read-only account with ${capability}.`);
    return id;
  }

  /**
   * Finds an account of the user's that doesn't offer a capability. Throws NotApplicable where
   * there is none.
   */
  findWithout(capability: string): string {
    const { session } = this.user;
    const offering = session.listOffering(capability);
    const id = Object.keys(session.accounts).find((one) => !offering.includes(one));
    if (id === undefined)
      throw new NotApplicable(`The user reaches no account without ${capability}.`);
    return id;
  }

  /**
   * Finds another user's account that this one can't reach, and that user. Throws NotApplicable
   * where there is none.
   */
  findForeign(capability: string): { readonly accountId: string; readonly user: User } {
    const mine = Object.keys(this.user.session.accounts);
    for (const user of this.others) {
      const accountId = user.session.listOffering(capability).find((id) => !mine.includes(id));
      if (accountId !== undefined) return { accountId, user };
    }
    throw new NotApplicable(
      `No other user's account with ${capability} is known (--other-token and --other-basic ` +
        'give one).',
    );
  }

  /**
   * Finds the user who may write to an account: the user, or another whose credentials were given.
   * Throws NotApplicable where nobody may.
   */
  findWriter(accountId: string): User {
    const all = [this.user, ...this.others];
    const found = all.find(
      ({ session }) => accountId in session.accounts && !session.isReadOnly(accountId),
    );
    if (found === undefined)
      throw new NotApplicable(`Nobody whose credentials are known may write to ${accountId}.`);
    return found;
  }

  /**
   * Finds the user who may see an account: the user, or another whose credentials were given.
   * Returns the user where nobody may.
   */
  findReader(accountId: string): User {
    const all = [this.user, ...this.others];
    return all.find(({ session }) => accountId in session.accounts) ?? this.user;
  }

  /**
   * Lists the accounts that somebody whose credentials are known may see, those of the user first.
   */
  listKnown(capability: string): readonly string[] {
    const all = [this.user, ...this.others];
    return [...new Set(all.flatMap(({ session }) => session.listOffering(capability)))];
  }

  /** Returns an account id that is nobody's. */
  get unknownAccount(): string {
    return 'a-nobody';
  }

  /**
   * Returns the name of an `error` response and a matcher of its arguments; see `matchMethodError`.
   */
  matchError(type: string, ...named: readonly string[]): [string, Matcher] {
    return ['error', this.matchMethodError(type, ...named)];
  }

  /** Matches an error of a type (RFC 8620 3.6.2); a strict run wants `named` in its description. */
  matchMethodError(type: string, ...named: readonly string[]): Matcher {
    const names = textWith(...named);
    return satisfying(`an error of type ${type} (${named.join(', ')})`, (value) => {
      const error = value as JsonMap | null;
      if (error?.['type'] !== type) return false;
      return !this.strict || names.asymmetricMatch(error['description']);
    });
  }

  /** Closes the connections of all users. */
  close(): void {
    for (const user of [this.user, ...this.others]) user.close();
  }
}
