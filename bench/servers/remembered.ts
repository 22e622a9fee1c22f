/** How long what a token reaches is remembered, ms: so long a revoked one still counts. */
const KEEP = 5000;

type Access = { readonly readOnly: boolean } | null;

/**
 * Remembers for some seconds what each token reaches: what a good engineer does where each look
 * costs a round trip.
 */
export function remembered(
  look: (tokenHash: string, accountId: string) => Promise<Access>,
): (tokenHash: string, accountId: string) => Access | Promise<Access> {
  const known = new Map<string, { readonly access: Access; readonly until: number }>();
  return (tokenHash, accountId) => {
    const key = `${tokenHash} ${accountId}`;
    const found = known.get(key);
    if (found !== undefined && found.until > Date.now()) return found.access;
    return look(tokenHash, accountId).then((access) => {
      if (known.size > 10_000) known.clear();
      known.set(key, { access, until: Date.now() + KEEP });
      return access;
    });
  };
}
