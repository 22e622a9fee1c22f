/** The types that the parts of the benchmark over HTTP hand to each other. */

/** A method call of JMAP. */
export type Call = readonly [name: string, args: object, callId: string];

/** A request to a server with routes written by hand. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
}

/** Accounts that every server has. Only `scratch` changes while it is measured. */
export type AccountName = 'small' | 'big' | 'scratch' | 'huge';

export interface Account {
  readonly id: string;
  /** Objects from its middle, in order of creation; of `scratch` all that updates choose from. */
  readonly ids: readonly string[];
  /** Its state when half of its objects were there. */
  readonly halfway: string;
  /** Its state before the last ten changes. */
  readonly since: string;
  /** The same as a state of the query by text of what is not done; routes do without. */
  readonly queryState: string;
}

export type Accounts = Readonly<Record<AccountName, Account>>;

/** How a server is spoken to: JMAP, routes by hand, or an echo alone. */
export type Protocol = 'jmap' | 'rest' | 'echo';

/** The measured work, by name. */
export interface Kind {
  readonly name: string;
  readonly what: string;
  readonly protocol: Protocol;
  readonly postgresql?: boolean;
  /** Variables beside those of all servers. */
  readonly env?: Readonly<Record<string, string>>;
  /** The jobs that it takes part in; absent: all that it can do. */
  readonly jobs?: readonly string[];
  /** Of another checkout than this one. */
  readonly root?: string;
}

export interface Server {
  readonly name: string;
  readonly protocol: Protocol;
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  /** The ids of its accounts, before they are filled. */
  readonly accountIds: Readonly<Record<AccountName, string>>;
}

/** How many objects the accounts that are read hold. */
export interface Sizes {
  readonly small: number;
  readonly big: number;
  readonly scratch: number;
  /** 0: not stored, since no job asks for it. */
  readonly huge: number;
}

export interface Job {
  readonly name: string;
  /** The accounts that it reads or writes. */
  readonly needs: readonly AccountName[];
  /** It shows an index for searching: the server that has it takes the place of the other. */
  readonly indexed?: boolean;
  /** The calls of the nth request. */
  jmap(accounts: Accounts, n: number): readonly Call[];
  /** The same by routes, one after the other where one is not enough; none: it is JMAP's own. */
  byRoutes(accounts: Accounts, n: number): readonly RestRequest[];
  /** How many objects the answers have in all: both ways must give the same. */
  readonly objects: number;
}

export interface Measurement {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server process for each, microseconds; null where the system does not tell. */
  readonly cpu: number | null;
  /** The part of a processor that the load itself took: near 1 it is what is measured. */
  readonly load: number;
  /** The octets that came for each, heads and bodies. */
  readonly octets: number;
}
