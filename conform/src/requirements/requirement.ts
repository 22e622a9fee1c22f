/** The specifications that the ledger has rows of. */
export type Specification = 'RFC 8620' | 'RFC 8887' | 'RFC 9404';

/** One rule of a specification, with what proves it or why nothing can. */
export interface Requirement {
  /** Stable: section and a slug, as '5.2 max-changes-refused'; RFC 8887's begin with W, RFC 9404's with B. */
  readonly id: string;
  /** As '3.6.1'. */
  readonly section: string;
  /** RFC 8620 where it is left out. */
  readonly spec?: Specification;
  readonly level: 'must' | 'should' | 'may';
  readonly whom: 'server' | 'client' | 'specification';
  /** How many of the section's key words (RFC 2119) this row covers; none where it is left out. */
  readonly keywords?: number;
  /** The rule in our own words. */
  readonly rule: string;
  /** Ids of the checks of `npm run conform` that prove it. */
  readonly checks?: readonly string[];
  /** Files of tests that prove it, each alone or as 'FILE > part of a title'. */
  readonly tests?: readonly string[];
  /** Why it doesn't apply or can't be shown; beside tests, what they don't say. */
  readonly reason?: string;
}
