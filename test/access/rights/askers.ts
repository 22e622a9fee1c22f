/** The users and tokens that ask, a column of the table each. */

/** The rights that an asker has at the shared lists, by their first letters. */
const SHARES = {
  r: ['mayRead'],
  w: ['mayWrite'],
  a: ['mayAdmin'],
  rw: ['mayRead', 'mayWrite'],
  ra: ['mayRead', 'mayAdmin'],
  wa: ['mayWrite', 'mayAdmin'],
  rwa: ['mayRead', 'mayWrite', 'mayAdmin'],
} as const;

export interface Asker {
  readonly description: string;
  /** The access to the whole account that an operator gives; absent for its owner. */
  readonly given?: 'read' | 'write' | 'nothing';
  readonly roles?: readonly string[];
  /** Rights at the lists of the table. */
  readonly share?: keyof typeof SHARES;
  /** A list that is no part of the table is shared with it: it reaches the account. */
  readonly reaches?: true;
  /** Another asker, whose token this one is: it only reads. */
  readonly readsAs?: string;
}

export const ASKERS = {
  ow: { description: 'the owner of the account' },
  wr: { description: 'a user who may write in the account', given: 'write' },
  rd: { description: 'a user who may read in the account', given: 'read' },
  au: { description: 'the same with a role', given: 'read', roles: ['auditor'] },
  no: { description: 'a user of another list', given: 'nothing', reaches: true },
  r: { description: 'mayRead', given: 'nothing', share: 'r' },
  w: { description: 'mayWrite', given: 'nothing', share: 'w', reaches: true },
  a: { description: 'mayAdmin', given: 'nothing', share: 'a', reaches: true },
  rw: { description: 'mayRead, mayWrite', given: 'nothing', share: 'rw' },
  ra: { description: 'mayRead, mayAdmin', given: 'nothing', share: 'ra' },
  wa: { description: 'mayWrite, mayAdmin', given: 'nothing', share: 'wa', reaches: true },
  al: { description: 'all rights', given: 'nothing', share: 'rwa' },
  gr: { description: 'a member of a group that may read and write', given: 'nothing' },
  as: { description: 'a user of another list with a role', given: 'nothing', reaches: true },
  mk: { description: 'the creator and assignee', given: 'nothing', reaches: true },
  rv: { description: 'all rights once, revoked since', given: 'nothing', reaches: true },
  st: { description: 'a stranger', given: 'nothing' },
  tn: { description: 'another account, where it asks', given: 'nothing' },
  ot: { description: 'a read-only token of the owner', readsAs: 'ow' },
  lt: { description: 'a read-only token of all rights', readsAs: 'al' },
  ds: { description: 'all rights, disabled', given: 'nothing', share: 'rwa' },
} as const satisfies Readonly<Record<string, Asker>>;

export type AskerName = keyof typeof ASKERS;

export const ASKER_NAMES = Object.keys(ASKERS) as readonly AskerName[];

/** The rights of a share, as `shareWith` has them. */
export function rightsOf(share: keyof typeof SHARES): Readonly<Record<string, true>> {
  return Object.fromEntries(SHARES[share].map((right) => [right, true]));
}
