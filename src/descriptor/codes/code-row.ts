/**
 * The words of docs/reference/errors.md about a code. The texts are Markdown without line breaks.
 */
export interface CodeRow {
  /** Says what is wrong, and why it is an error. */
  readonly cause: string;
  /** A part of a descriptor that has the problem. */
  readonly wrong?: string;
  /** The same without the problem. */
  readonly right?: string;
  /** Says what to do about it, if no part of a descriptor shows that. */
  readonly cure?: string;
  /** Of a warning: how a project answers it, so that it is not told again. */
  readonly silence?: string;
}

/** Rows of codes by code. */
export type CodeTable = Readonly<Record<string, CodeRow>>;
