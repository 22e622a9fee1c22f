/** Makes a part of a statement: a text, or a fragment. */
type Tag<T> = (texts: TemplateStringsArray, ...parts: readonly T[]) => T;

/** The parts of the condition that principals were given a scope. */
export interface GrantedParts<T> {
  readonly account: T;
  /** The condition that `"_g"."principalId"` is one of theirs. */
  readonly isTheirs: T;
  readonly scope: T;
}

/** Returns the condition that one of some principals was given a scope by a share. */
export function isGranted<T>(tag: Tag<T>, { account, isTheirs, scope }: GrantedParts<T>): T {
  return tag`EXISTS (SELECT 1 FROM "JmapGrant" AS "_g"
 WHERE "_g"."accountId" = ${account} AND ${isTheirs} AND "_g"."scope" = ${scope})`;
}
